import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCommit } from '../../src/git/commit.ts';
import { indexEntries } from '../../src/git/tracked.ts';
import { project } from '../cli/process.ts';

/** The commit of a plan is read from the files of git; no program runs. */

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

function repository(): { folder: string; file: string; id: string } {
  const folder = realpathSync(project('trueup: 1\n'));
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
  return { folder, file: join(folder, 'trueup.yaml'), id: git(folder, 'rev-parse', 'HEAD') };
}

describe.skipIf(spawnSync('git', ['--version']).status !== 0)('the commit', () => {
  test('is that of the branch, loose and packed, and of a detached HEAD', async () => {
    const { folder, file, id } = repository();
    const found = { id, differing: 0, isClean: true };
    expect(await readCommit(folder, [file])).toEqual(found);
    git(folder, 'pack-refs', '--all');
    expect(await readCommit(folder, [file])).toEqual(found);
    git(folder, 'checkout', '-q', '--detach');
    expect(await readCommit(folder, [file])).toEqual(found);
  });

  test('is found from a folder below, and in a second work tree', async () => {
    const { folder, file, id } = repository();
    mkdirSync(join(folder, 'infra'));
    expect(await readCommit(join(folder, 'infra'), [file])).toMatchObject({ id });
    const second = join(realpathSync(project({})), 'second');
    git(folder, 'worktree', 'add', '-q', '-b', 'other', second);
    git(second, 'commit', '-q', '--allow-empty', '-m', 'second');
    expect(await readCommit(second, [join(second, 'trueup.yaml')])).toEqual({
      id: git(second, 'rev-parse', 'HEAD'),
      differing: 0,
      isClean: true,
    });
  });

  test('is clean while the files are as it has them: loose, packed, cloned, of a repository with SHA-256', async () => {
    const { folder, file, id } = repository();
    const isClean = async () => (await readCommit(folder, [file]))?.isClean === true;
    expect(await isClean()).toBe(true);
    for (let n = 0; n < 40; n++) git(folder, 'commit', '-q', '--allow-empty', '-m', `commit ${n}`);
    git(folder, 'gc', '-q');
    expect(await isClean()).toBe(true);
    expect(await readCommit(folder, [file])).not.toMatchObject({ id });
    const clone = join(realpathSync(project({})), 'clone');
    git(folder, 'clone', '-q', '--no-local', '.', clone);
    expect(await readCommit(clone, [join(clone, 'trueup.yaml')])).toMatchObject({ differing: 0, isClean: true });
    writeFileSync(file, 'trueup: 2\n');
    expect(await isClean()).toBe(false);
    git(folder, 'add', '.'); // in the index and in no commit
    expect(await readCommit(folder, [file])).toEqual({ id: git(folder, 'rev-parse', 'HEAD'), differing: 0 });
    git(folder, 'write-tree'); // git knows the tree of the index now, and it is not that of the commit
    expect(await isClean()).toBe(false);
    git(folder, 'commit', '-q', '-m', 'second');
    expect(await isClean()).toBe(true);
    writeFileSync(join(folder, '.git/HEAD'), `${'0'.repeat(40)}\n`);
    expect(await isClean()).toBe(false);
    const other = realpathSync(project('trueup: 1\n'));
    git(other, 'init', '-q', '--object-format=sha256');
    git(other, 'add', '.');
    git(other, 'commit', '-q', '-m', 'first');
    expect(await readCommit(other, [join(other, 'trueup.yaml')])).toMatchObject({ isClean: true });
  });

  test('counts changed and untracked files', async () => {
    const { folder, file } = repository();
    writeFileSync(file, 'trueup: 2\n');
    writeFileSync(join(folder, 'new.yaml'), '');
    expect(await readCommit(folder, [file, join(folder, 'new.yaml')])).toMatchObject({ differing: 2 });
  });

  test('is unknown without a repository, without a commit and for a HEAD of another form', async () => {
    expect(await readCommit(project({}), [])).toBeUndefined();
    const fresh = project({});
    git(fresh, 'init', '-q');
    expect(await readCommit(fresh, [])).toBeUndefined();
    const { folder } = repository();
    for (const head of ['ref: refs/../../secret', 'ref: /etc/passwd', 'x', '', `${'a'.repeat(40)}b`]) {
      writeFileSync(join(folder, '.git/HEAD'), head);
      expect(await readCommit(folder, [])).toBeUndefined();
    }
  });

  test('is unknown where HEAD leads in a circle, is a link to another file, or is a pipe', async () => {
    const { folder } = repository();
    const head = join(folder, '.git/HEAD');
    writeFileSync(join(folder, '.git/refs/heads/main'), 'ref: refs/heads/main\n');
    expect(await readCommit(folder, [])).toBeUndefined();
    rmSync(head);
    symlinkSync('/etc/passwd', head);
    expect(await readCommit(folder, [])).toBeUndefined();
    rmSync(head);
    execFileSync('mkfifo', [head]);
    expect(await readCommit(folder, [])).toBeUndefined();
  });

  test('waits for no pipe that the repository has in place of a file', async () => {
    const { folder, file, id } = repository();
    const index = join(folder, '.git/index');
    rmSync(index);
    execFileSync('mkfifo', [index]);
    expect(await readCommit(folder, [file])).toEqual({ id, differing: undefined });
    rmSync(join(folder, '.git'), { recursive: true });
    execFileSync('mkfifo', [join(folder, '.git')]);
    expect(await readCommit(folder, [file])).toBeUndefined();
    expect((await indexEntries([file])).get(file)).toEqual({ is: 'unreadable' });
  });

  test('runs no program that the repository names', async () => {
    const { folder, file, id } = repository();
    git(folder, 'config', 'core.fsmonitor', `touch ${join(folder, 'ran')}`);
    git(folder, 'config', 'core.sshCommand', `touch ${join(folder, 'ran')}`);
    expect(await readCommit(folder, [file])).toMatchObject({ id });
    expect(git(folder, '-c', 'core.fsmonitor=false', 'status', '--porcelain')).toBe('');
  });
});
