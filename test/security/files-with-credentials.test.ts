import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { askSources } from '../../src/manifest/ask-sources.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { validate } from '../../src/workflow/validate.ts';
import { kinds } from '../../src/resources/index.ts';
import { oneError, problemsOf, told } from '../support/problems.ts';
import { head } from '../support/world.ts';

/** A manifest of a stranger reads files that hold the credentials of the run or of the repository. */

const hasGit = spawnSync('git', ['--version']).status === 0;

const reading = (path: string) => `${head}environments: { production: { description: §"\${file:${path}}" } }\n`;
const including = (path: string) => `${head}include: [§"${path}"]\n`;

function git(folder: string, ...args: readonly string[]): void {
  const about = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  execFileSync('git', [...about, ...args], { cwd: folder, stdio: 'ignore' });
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const withCredentials = [
  '.git/config',
  '.git',
  'sub/.git/HEAD',
  '.trueup/state.json',
  '.trueup/emulator.json',
  '.env',
  '.env.production',
  'web/.env',
  '.ENV',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.netrc',
  '.pgpass',
  '.git-credentials',
  '.ssh/config',
  '.aws/credentials',
  '.azure/x',
  '.config/gcloud/x',
  '.docker/config.json',
  '.kube/config',
  '.gnupg/x',
  'tls/server.pem',
  'server.KEY',
  'id_rsa',
  'id_rsa_deploy',
  'id_ed25519',
  'id_ecdsa',
  'id_dsa',
  'store.p12',
  'store.pfx',
];

describe('S6: a file by whose name it may hold credentials', () => {
  test.each([
    ['.git/config', { file: '.git/config' }],
    ['.npmrc', { file: '.npmrc' }],
    ['.trueup/state.json', { age: '.trueup/state.json' }],
    ['a link to .git/config', { file: 'link' }],
  ])('is no source of secrets: %s', async (_, source) => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-sources-'));
    write(folder, { '.git/config': 'A=x', '.npmrc': 'A=x', '.trueup/state.json': 'A=x', '.env': 'A=x' });
    symlinkSync('.git/config', join(folder, 'link'));
    const asking = async (secrets: object) => {
      write(folder, {
        'trueup.yaml': `${head}secrets: [${JSON.stringify(secrets)}]\nenvironments: { production: {} }\n`,
      });
      const about = { file: 'trueup.yaml', kinds, env: () => undefined, secret: () => undefined };
      const workspace = await openWorkspace(folder);
      const { manifest } = await validate({ ...about, workspace, given: () => undefined, addSecret: () => undefined });
      const { values, diagnostics } = await askSources({
        sources: manifest.settings.secrets,
        names: ['A'],
        workspace,
        identity: () => Promise.resolve({ problem: 'there is none' }),
        allowsCommands: false,
        env: {},
        addSecret: () => undefined,
        redact: (text) => text,
        variable: (name) => name,
      });
      return { values: [...values], codes: diagnostics.map(({ code }) => code) };
    };
    expect(await asking(source)).toEqual({ values: [], codes: ['private-source'] });
    expect(await asking({ file: '.env' })).toEqual({ values: [['A', 'x']], codes: [] });
  });

  test.each(withCredentials)('is not read by ${file:}: %s', async (path) => {
    const error = oneError('private-source', /may hold credentials[^]*\$\{secret:NAME\}/);
    expect(await told({ 'trueup.yaml': reading(path), [path]: 'top secret' })).toEqual(error);
  });

  test.each(['.env', '.git/config', 'sub/../.env', 'key.pem'])('is not included: %s', async (path) => {
    const error = oneError('private-source', 'may hold credentials');
    expect(await told({ 'trueup.yaml': including(path), [path]: 'a: 1\n', 'sub/x': '' })).toEqual(error);
  });

  test('is not read through a link, nor under the name of a link', async () => {
    const prepare = (folder: string) => {
      write(folder, { '.git/config': 'token', 'notes.txt': 'notes' });
      symlinkSync('.git/config', join(folder, 'link'));
      symlinkSync('.git', join(folder, 'folder'));
      symlinkSync('notes.txt', join(folder, '.env'));
    };
    for (const path of ['link', 'folder/config', './folder/../.env', 'folder/../.git/config']) {
      expect(await told(reading(path), { prepare }), path).toEqual(oneError('private-source', 'may hold credentials'));
    }
  });

  test('is refused alike whether it is there or not', async () => {
    expect(await told(reading('.env'))).toEqual(await told({ 'trueup.yaml': reading('.env'), '.env': 'A=1' }));
  });
});

test.each([
  'env',
  'shop.env',
  '.envrc.txt',
  'git/config',
  'keys.txt',
  'id_ed25519.pub',
  'monkey',
  'a.crt',
  '.well-known/x',
])('S6: a file with a name like those is read: %s', async (path) => {
  expect((await problemsOf({ 'trueup.yaml': reading(path), [path]: 'text' })).problems).toEqual([]);
});

describe.skipIf(!hasGit)('S6: a file that git ignores', () => {
  const repository = (folder: string) => {
    git(folder, 'init');
    const ignore = 'local.txt\nbuild/\n*.secret\nforced.txt\n:(glob)x\n';
    write(folder, { '.gitignore': ignore, 'local.txt': 'secret', 'build/a': 'secret', 'sub/b.secret': 'secret' });
    write(folder, { 'forced.txt': 'shown', 'new.txt': 'shown', 'sub/shown.txt': 'shown', ':(glob)x': 'secret' });
    symlinkSync('local.txt', join(folder, 'link'));
    symlinkSync('build', join(folder, 'folder'));
    symlinkSync('local.txt', join(folder, 'c.secret'));
    git(folder, 'add', '--force', '--', 'forced.txt', '.gitignore', 'sub/shown.txt', 'c.secret');
  };
  const ignored = [
    'local.txt',
    'build/a',
    'sub/b.secret',
    './sub/../local.txt',
    'link',
    'folder/a',
    'c.secret',
    ':(glob)x',
  ];

  test.each(ignored)('is not read: %s', async (path) => {
    const error = oneError('private-source', /\$\{secret:NAME\}/);
    expect(await told(reading(path), { prepare: repository })).toEqual(error);
  });

  test.each(['forced.txt', 'sub/shown.txt'])('is none that git tracks: %s', async (path) => {
    expect((await problemsOf(reading(path), { prepare: repository })).problems).toEqual([]);
  });

  test('may be included: its content is a manifest', async () => {
    const prepare = (folder: string) => {
      repository(folder);
      write(folder, { 'build/local.yaml': 'environments: { production: { description: x } }\n' });
    };
    expect((await problemsOf(including('build/local.yaml'), { prepare })).problems).toEqual([]);
  });

  test('is not read beside a path in a submodule', async () => {
    const prepare = (folder: string) => {
      repository(folder);
      git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
      write(folder, { 'module/x': 'text' });
    };
    const both = '${file:module/x}${file:local.txt}';
    const text = `${head}environments: { production: { description: §"${both}" } }\n`;
    expect((await told(text, { prepare })).said).toContain('local.txt is not tracked by git');
  });

  test('is read where git ignores the whole workspace: then git is about another project', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-ignored-'));
    git(folder, 'init');
    write(folder, { '.gitignore': '*\n', 'infra/a.txt': 'text', 'infra/.env': 'secret' });
    git(folder, 'add', '--force', '.gitignore');
    const files = await (await openWorkspace(join(folder, 'infra'))).readAll(['a.txt', '.env'], 100);
    expect(files.get('a.txt')).toEqual({ text: 'text' });
    expect(files.get('.env')).toMatchObject({ isPrivate: expect.anything() as unknown });
  });

  test('is refused without running a program, whatever the environment says', async () => {
    let ran = '';
    const prepare = (folder: string) => {
      repository(folder);
      ran = join(folder, 'ran');
      git(folder, 'config', 'core.fsmonitor', `touch ${ran}; false`);
      write(folder, { 'bin/git': `#!/bin/sh\necho > '${ran}'\n` });
      chmodSync(join(folder, 'bin/git'), 0o755);
      vi.stubEnv('PATH', join(folder, 'bin'));
      vi.stubEnv('GIT_DIR', '/nowhere');
    };
    try {
      const error = oneError('private-source', 'is not tracked by git');
      expect(await told(reading('local.txt'), { prepare })).toEqual(error);
      expect((await problemsOf(reading('forced.txt'), { prepare })).problems).toEqual([]);
      expect(existsSync(ran)).toBe(false);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('is refused in a folder that looks like a bare repository itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-bare-'));
    git(folder, 'init');
    const bare = { HEAD: 'ref: refs/heads/main\n', config: `[core]\n  bare = true\n`, 'objects/x': '', 'refs/x': '' };
    write(join(folder, 'infra'), bare);
    write(folder, { '.gitignore': 'local.txt\n' });
    git(folder, 'add', '--all');
    write(folder, { 'infra/local.txt': 'secret' });
    const files = await (await openWorkspace(join(folder, 'infra'))).readAll(['local.txt'], 100);
    expect(files.get('local.txt')).toMatchObject({ isPrivate: expect.anything() as unknown });
  });
});
