import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { indexEntries } from '../../src/git/tracked.ts';

/** Whether git tracks a file is read from its index. */

const hasGit = spawnSync('git', ['--version']).status === 0;

function git(folder: string, ...args: readonly string[]): void {
  const about = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...about, ...args], { cwd: folder, stdio: 'ignore' });
}

function repository(files: readonly string[], ...init: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-git-'));
  git(folder, 'init', ...init);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'A=1\n');
  }
  return folder;
}

/** Names that git sorts, pads and shortens in different ways. */
const names = ['a', 'secrets.env', 'deep/er/secrets.env', 'deep/er/secrets.env.2', 'ümläut/ß', 'x'.repeat(200)];
const untracked = ['secrets', 'deep/secrets.env', 'deep/er/secrets', 'ümläut/s'];

const isTracked = async (file: string) => (await indexEntries([file])).get(file)?.is === 'tracked';

describe.skipIf(!hasGit)('the index of git has a file', () => {
  test.each([2, 3, 4])('in an index of version %i, and no other file', async (version) => {
    const folder = repository([...names, ...untracked, 'later']);
    git(folder, 'config', 'index.version', String(version));
    git(folder, 'add', '--', ...names);
    // Only a file that will be added makes an index of version 3.
    git(folder, 'add', '--intent-to-add', '--', 'later');
    for (const name of [...names, 'later']) expect(await isTracked(join(folder, name)), name).toBe(true);
    for (const name of untracked) expect(await isTracked(join(folder, name)), name).toBe(false);
    git(folder, 'rm', '--cached', 'secrets.env');
    expect(await isTracked(join(folder, 'secrets.env'))).toBe(false);
  });

  test('in a repository with SHA-256 digests', async () => {
    const folder = repository([...names, ...untracked], '--object-format=sha256');
    git(folder, 'add', '--', ...names);
    for (const name of names) expect(await isTracked(join(folder, name)), name).toBe(true);
    for (const name of untracked) expect(await isTracked(join(folder, name)), name).toBe(false);
  });

  test('beside paths of 4,095 bytes and more', async () => {
    const long = Array.from({ length: 20 }, () => 'y'.repeat(199)).join('/');
    const folder = repository(['z']);
    const paths = [`${long}/${'y'.repeat(94)}`, `${long}/${'y'.repeat(95)}`, `${long}/${'y'.repeat(120)}`];
    const blob = execFileSync('git', ['hash-object', '-w', 'z'], { cwd: folder, encoding: 'utf8' }).trim();
    for (const path of paths) git(folder, 'update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
    git(folder, 'add', 'z');
    expect(await isTracked(join(folder, 'z'))).toBe(true);
  });

  test('in a submodule and in a second work tree', async () => {
    const inner = repository(['secrets.env', 'other']);
    git(inner, 'add', 'secrets.env');
    git(inner, 'commit', '-m', 'x');
    const outer = repository(['secrets.env']);
    git(outer, 'submodule', 'add', inner, 'sub');
    expect(await isTracked(join(outer, 'sub/secrets.env'))).toBe(true);
    expect(await isTracked(join(outer, 'secrets.env'))).toBe(false);
    const second = join(mkdtempSync(join(tmpdir(), 'trueup-git-')), 'second');
    git(inner, 'worktree', 'add', second);
    expect(await isTracked(join(second, 'secrets.env'))).toBe(true);
  });

  test('behind a symbolic link', async () => {
    const folder = repository(['secrets.env', 'other']);
    git(folder, 'add', 'secrets.env');
    symlinkSync('secrets.env', join(folder, 'link'));
    expect(await isTracked(join(folder, 'link'))).toBe(true);
  });
});

test('isTracked finds no file without a repository or a readable index', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-git-'));
  const file = join(folder, 'secrets.env');
  writeFileSync(file, 'A=1\n');
  expect(await isTracked(file)).toBe(false);
  mkdirSync(join(folder, '.git'));
  expect(await isTracked(file)).toBe(false);
  const head = Buffer.from('DIRC\0\0\0\u0002\0\0\0\u0005', 'latin1');
  for (const index of ['', 'DIRC', head, Buffer.concat([head, Buffer.alloc(500, 1)]), Buffer.alloc(500, 7)]) {
    writeFileSync(join(folder, '.git/index'), index);
    expect(await isTracked(file)).toBe(false);
  }
});
