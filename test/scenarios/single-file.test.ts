import { Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { runnerOf } from '../support/fake-forge.ts';
import { startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { isAll } from '../support/whole.ts';

/** The single file, as users without Node get it: built, and run in an environment that names no program. */

const root = resolve(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'trueup-single-file-'));
const file = join(place, `trueup-linux-${process.arch}`);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };

/** Whether npm reaches what it has to get. Every CI does: there it is a failure if it does not. */
const canBuild =
  process.platform === 'linux' &&
  ((process.env.CI ?? '') !== '' || spawnSync('npm', ['view', 'postject', 'version']).status === 0);
/** In the tier `all`, the emulator of the other architecture: qemu-user of Debian, and the libraries that it has for it (libstdc++6-arm64-cross). */
const qemu = ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'] as const;
const hasQemu =
  isAll &&
  process.arch === 'x64' &&
  existsSync(join(qemu[2], 'lib/libstdc++.so.6')) &&
  spawnSync(qemu[0], ['--version']).status === 0;

function build(to: string, ...archs: readonly string[]): void {
  execFileSync(process.execPath, [join(root, 'scripts/single-file.mjs'), ...archs, '--out', to], { stdio: 'pipe' });
}

interface About {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a command to its end. Its environment has only what is given: no PATH, so that no Node is found. */
function run([command, ...args]: readonly [string, ...string[]], { env = {}, cwd = place }: About = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 120_000 });
  return { code: status, out: stdout, err: stderr };
}

const trueup = (args: readonly string[], about?: About) => run([file, ...args], about);

/** A folder with files. */
function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(place, 'folder-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** What users do first, on the emulator that is built in: the exit code and the output of each command. */
function walk(command: readonly [string, ...string[]]) {
  const cwd = mkdtempSync(join(place, 'hello-'));
  cpSync(join(root, 'examples/hello'), cwd, { recursive: true });
  const commands = ['plan', 'apply --auto-approve --adopt', 'plan --detailed-exitcode', 'destroy --auto-approve'];
  return commands.map((words) => {
    const { code, out } = run([...command, ...words.split(' ')], { cwd });
    return [code, out];
  });
}

const walked = ['Plan: 2 to create', 'Applied: 2 created', 'No changes.', 'Applied: 2 deleted'].map((line) => [
  0,
  expect.stringContaining(line) as string,
]);

describe.skipIf(!canBuild)(canBuild ? 'the single file' : 'npm gives no Node to build the single file with', () => {
  beforeAll(() => build(place, process.arch, ...(hasQemu ? ['arm64'] : [])), 600_000);
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test('shows its version and its help, and refuses bad input with one error', () => {
    expect(trueup(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
    expect(trueup(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Usage: trueup') });
    expect(trueup(['plam'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error\[usage\]\n.*'plam'/),
    });
    expect(trueup(['plan'], { cwd: folderWith({}) }).err).toMatch(/^error\[[\w-]+\][^]*-> /);
    const page = trueup(['explain', 'data-at-risk']);
    expect(page).toMatchObject({ code: 0, out: expect.stringContaining('--allow-data-loss'), err: '' });
  });

  test('plans, applies and destroys on the emulator that is built in', () => {
    expect(walk([file])).toEqual(walked);
  });

  test('does what the demo shows, over a connection', async () => {
    const words = ['--import', 'tsx', join(root, 'scripts/demo.ts'), file];
    const { stdout } = await promisify(execFile)(process.execPath, words, {
      cwd: root,
      env: { HOME: place, TMPDIR: tmpdir() },
    });
    expect(stdout).toContain('The demo showed what it says, and checked it.');
  });

  test('ignores what is meant for another Node', () => {
    const env = { NODE_OPTIONS: '--require /none.js --no-such-option' };
    expect(trueup(['--version'], { env })).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test('reads a file encrypted with age, and reaches for a state in PostgreSQL and in a bucket', async () => {
    const identity = await generateIdentity();
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(identity));
    const manifest = (rest: string) =>
      `trueup: 1\nplatform: emulator\nproject: prj_1\n${rest}\nenvironments: { production: { env: { A: '\${secret:A}' } } }\n`;
    const sealed = folderWith({
      'trueup.yaml': manifest('secrets: [{ age: a.age }]'),
      'a.age': await encrypter.encrypt('A=a-secret-4711\n'),
    });
    const planned = trueup(['plan'], { cwd: sealed, env: { TRUEUP_AGE_IDENTITY: identity } });
    expect(planned).toMatchObject({ code: 0, out: expect.stringContaining('Plan: '), err: '' });
    const states = [
      ['state: { backend: postgres }', { TRUEUP_STATE_URL: 'postgres://a:b@127.0.0.1:1/x' }],
      [
        'state: { backend: s3, bucket: a, endpoint: "http://127.0.0.1:1", region: eu }',
        { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
      ],
    ] as const;
    for (const [state, env] of states) {
      const about = {
        cwd: folderWith({ 'trueup.yaml': manifest(state) }),
        env: { TRUEUP_SECRET_A: 'b', TRUEUP_STATE_KEY: newStateKey().text(), ...env },
      };
      expect(trueup(['plan'], about).err).toContain('cannot be reached');
    }
  });

  test('is trueup-ci by a link of that name, which starts it again as trueup', () => {
    const link = join(place, 'trueup-ci');
    symlinkSync(file, link);
    expect(run([link, '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Usage: trueup-ci') });
    const cwd = folderWith({});
    cpSync(join(root, 'examples/hello'), cwd, { recursive: true });
    for (const words of [
      ['init', '--quiet'],
      ['add', '.'],
    ])
      execFileSync('git', words, { cwd });
    const env = { ...runnerOf('github', 'http://127.0.0.1:1'), GITHUB_SHA: 'c0ffee', PATH: '/usr/bin:/bin' };
    const drift = run([link, 'drift'], { cwd, env });
    expect(drift).toMatchObject({ code: 7, err: expect.stringContaining('Apply first.') });
  });

  const noPostgres = whyNoPostgres();
  test.skipIf(noPostgres !== undefined)(
    noPostgres ?? 'serves the controller, with a worker beside it',
    async () => {
      const server = await startPostgres();
      const folder = folderWith({ 'controller.yaml': 'trueupController: 1\naddress: http://127.0.0.1:8080\n' });
      const words = 'controller serve --listen 127.0.0.1:0 --with-worker --folder checkouts --log json'.split(' ');
      const env = { TRUEUP_CONTROLLER_URL: server.url(), TRUEUP_STATE_KEY: newStateKey().text() };
      const child = spawn(file, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
      try {
        let log = '';
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          log += text;
        });
        await expect.poll(() => log).toContain('started');
        child.kill('SIGTERM');
        expect(await once(child, 'exit')).toEqual([0, null]);
      } finally {
        child.kill('SIGKILL');
        server.stop();
      }
    },
    120_000,
  );

  test('has the same bytes when it is built again, and the licenses of what it holds', () => {
    const again = join(place, 'again');
    build(again, process.arch);
    const digest = (folder: string) =>
      createHash('sha256')
        .update(readFileSync(join(folder, `trueup-linux-${process.arch}`)))
        .digest('hex');
    expect(digest(again)).toBe(digest(place));
    const licenses = readFileSync(join(again, 'trueup-licenses.txt'), 'utf8');
    for (const name of ['Trueup', 'Node.js 24', 'undici 7', 'pg-boss 12', 'fastify 5', 'age-encryption 0'])
      expect(licenses).toMatch(new RegExp(`^${name.replace('.', '\\.')}`, 'm'));
    // Each of them is in the bill of materials, with its digest.
    const materials = readFileSync(join(again, `trueup-linux-${process.arch}.cdx.json`), 'utf8');
    const { components } = JSON.parse(materials) as {
      components: { name: string; version: string; hashes: unknown }[];
    };
    const named = Array.from(licenses.matchAll(/^={80}\n(.+)\n={80}$/gm), ([, name = '']) => name).slice(2);
    expect(named.length).toBeGreaterThan(20);
    expect(components.map(({ name, version }) => `${name} ${version}`)).toEqual([
      expect.stringMatching(/^node-linux-(x64|arm64) 24\./),
      ...named,
    ]);
    for (const { hashes } of components)
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/) as string }]);
  });

  test('is built for no other architecture', () => {
    const built = spawnSync(process.execPath, [join(root, 'scripts/single-file.mjs'), 'riscv64'], { encoding: 'utf8' });
    expect(built).toMatchObject({ status: 1, stderr: 'error: the architecture must be x64 or arm64, got riscv64\n' });
  });

  test.skipIf(!hasQemu)('does the same on arm64', () => {
    expect(walk([...qemu, join(place, 'trueup-linux-arm64')])).toEqual(walked);
  });
});
