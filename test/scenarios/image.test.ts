import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAll } from '../support/whole.ts';

/**
 * The image of the Dockerfile, built and run. Its bases are made of the programs of this machine, because no image can be
 * pulled in a test; `apt-get` and `useradd` only note what they are asked for.
 */

const root = resolve(import.meta.dirname, '../..');
const hasBuildah = process.getuid?.() === 0 && spawnSync('buildah', ['--version']).status === 0;
const place = mkdtempSync(join(tmpdir(), 'trueup-image-'));

function buildah(args: readonly string[]) {
  const store = ['--storage-driver=vfs', `--root=${join(place, 'images')}`, `--runroot=${join(place, 'run')}`];
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
  return spawnSync('buildah', [...store, ...args], { env, encoding: 'utf8', timeout: 600_000 });
}

function succeed(args: readonly string[]): string {
  const { status, stdout, stderr } = buildah(args);
  if (status !== 0) throw new Error(`buildah ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** npm; below the tier `all` it copies what `npm ci` installed here already, where the build has that as a volume. */
const npmOfBase = `#!/bin/sh
if [ "$1" != ci ] || [ ! -d /modules ]; then exec node /usr/lib/node_modules/npm/bin/npm-cli.js "$@"; fi
mkdir node_modules
exec cp -a /modules/* /modules/.bin /modules/.package-lock.json node_modules
`;

/** Copies a program with its libraries into a root folder, or only these. */
function copyProgram(folder: string, path: string, name?: string): void {
  if (name !== undefined) copyFileSync(path, join(folder, 'usr/bin', name));
  for (const [library] of execFileSync('ldd', [path], { encoding: 'utf8' }).matchAll(/\/\S+/g)) {
    const at = join(folder, realpathSync(dirname(library)));
    mkdirSync(at, { recursive: true });
    copyFileSync(realpathSync(library), join(at, library.split('/').at(-1) ?? ''));
  }
}

function writeProgram(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, 'usr/bin', name), text);
  chmodSync(join(folder, 'usr/bin', name), 0o755);
}

/** A root folder with a shell and other programs, and with what Debian has for each program in C++. */
function baseOf(folder: string, programs: readonly string[]): void {
  for (const path of ['usr/bin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'etc', 'tmp', 'root', 'var/lib/apt/lists']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(folder, name));
  for (const name of ['sh', 'env', 'ln', 'rm', 'cat', 'id', 'ls', ...programs])
    copyProgram(folder, realpathSync(execFileSync('which', [name], { encoding: 'utf8' }).trim()), name);
  copyProgram(folder, realpathSync(process.execPath));
  writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\n');
  writeProgram(folder, 'apt-get', '#!/bin/sh\necho "$@" >> /var/asked\n');
  writeProgram(
    folder,
    'useradd',
    '#!/bin/sh\necho "useradd $@" >> /var/asked\necho trueup:x:1000:1000::/tmp:/bin/sh >> /etc/passwd\n',
  );
  chmodSync(join(folder, 'tmp'), 0o1777);
}

/** Adds Node and npm to a root folder. */
function addNode(folder: string): void {
  copyFileSync(realpathSync(process.execPath), join(folder, 'usr/local/bin/node'));
  const npm = realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim());
  cpSync(resolve(npm, '../..'), join(folder, 'usr/lib/node_modules/npm'), { recursive: true });
  writeProgram(folder, 'npm', npmOfBase);
}

/** Settings of npm that are paths, and where the image finds them; undefined: at the same path. */
const npmSettings = {
  userconfig: '/root/.npmrc:ro',
  globalconfig: undefined,
  cafile: undefined,
  cache: '/root/.npm',
};

describe.skipIf(!hasBuildah)('the image', () => {
  let container = '';

  beforeAll(() => {
    for (const name of ['node', 'debian']) {
      const folder = join(place, name);
      baseOf(folder, name === 'node' ? ['cp', 'mkdir', 'mv', 'tar', 'gzip'] : ['install', 'stat']);
      if (name === 'node') addNode(folder);
      const base = succeed(['from', 'scratch']);
      succeed(['copy', base, folder, '/']);
      succeed(['config', '--env=PATH=/usr/local/bin:/usr/bin:/bin', base]);
      succeed(['commit', '--rm', base, `localhost/${name}`]);
    }
    // How this machine reaches the registry, and what it has of it, for the time of the build.
    const settings = Object.entries(npmSettings).flatMap(([name, inside]) => {
      const path = execFileSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8' }).trim();
      return existsSync(path) ? [`--volume=${path}:${inside ?? `${path}:ro`}`] : [];
    });
    if (!isAll) settings.push(`--volume=${join(root, 'node_modules')}:/modules:ro`);
    const bases = ['--build-arg=NODE=localhost/node', '--build-arg=DEBIAN=localhost/debian'];
    succeed(['build', ...bases, ...settings, '--tag=localhost/trueup', root]);
    container = succeed(['from', 'localhost/trueup']);
  }, 900_000);

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  const run = (args: readonly string[], options: readonly string[] = []) =>
    buildah(['run', ...options, container, '--', ...args]);

  test('runs trueup and trueup-ci as a user without rights', () => {
    expect(run(['id', '-u'])).toMatchObject({ status: 0, stdout: '1000\n' });
    expect(run(['trueup', '--version'])).toMatchObject({ status: 0, stderr: '' });
    expect(run(['trueup-ci', '--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('trueup-ci plan'),
    });
    const { OCIv1 } = JSON.parse(succeed(['inspect', '--type=image', 'localhost/trueup'])) as {
      OCIv1: { config: unknown };
    };
    expect(OCIv1.config).toMatchObject({
      User: 'trueup',
      Entrypoint: ['trueup'],
      Cmd: ['--help'],
      WorkingDir: '/workspace',
    });
  });

  test('has a folder for the checkouts of the controller, whose owner a volume takes', () => {
    expect(run(['stat', '--format=%u %g %a', '/var/lib/trueup'])).toMatchObject({ stdout: '1000 1000 700\n' });
  });

  test('checks a manifest that it may only read', () => {
    const options = [`--volume=${join(root, 'examples/hello')}:/workspace:ro`];
    expect(run(['trueup', 'validate'], options)).toMatchObject({
      status: 0,
      stdout: 'trueup.yaml is valid: 3 resources.\n',
      stderr: '',
    });
  });

  test('has the program with its licenses, and neither Node nor the working copy', () => {
    expect(run(['ls', '/usr/local/bin', '/usr/local/share/doc/trueup'])).toMatchObject({
      stdout:
        '/usr/local/bin:\ntrueup\ntrueup-ci\n\n/usr/local/share/doc/trueup:\ntrueup-licenses.txt\ntrueup.cdx.json\n',
    });
    expect(run(['node', '--version']).status).not.toBe(0);
    expect(run(['ls', '/src'])).toMatchObject({ stdout: '' });
    expect(run(['cat', '/var/asked']).stdout.split('\n')).toEqual([
      'update',
      'install --yes --no-install-recommends ca-certificates curl git',
      'useradd --create-home --uid 1000 trueup',
      '',
    ]);
  });
});
