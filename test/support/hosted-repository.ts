import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * The repository of a forge. A clone, a fetch or a push by git starts up to ten programs, which ask each other what the other
 * side has: here both sides are folders, and what a forge does with its own repository is done by files where these say it.
 */

/** Runs git in a folder. Gives what it prints. */
export function git(folder: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=ops', '-c', 'user.email=ops@example.test', '-c', 'init.defaultBranch=main'];
  const still = ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];
  // All jobs of a run check out the same merge commit.
  const at = '2026-01-02T03:04:05Z';
  const config = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const env = { PATH: process.env.PATH, ...config, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  return execFileSync('git', [...who, ...still, '-C', folder, ...args], {
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

/** A bare repository, and a clone of it to work in, which has the same objects. */
export interface Repository {
  readonly bare: string;
  readonly clone: string;
}

/** Makes a bare repository, and its clone. */
export function hostRepository(): Repository {
  const bare = mkdtempSync(join(tmpdir(), 'trueup-bare-'));
  git(bare, 'init', '-q', '--bare');
  const clone = mkdtempSync(join(tmpdir(), 'trueup-clone-'));
  cloneInto(clone, bare, (objects) => symlinkSync(join(bare, 'objects'), objects));
  return { bare, clone };
}

/** Makes a folder a clone, on the branch main, without its files. */
function cloneInto(folder: string, bare: string, withObjects: (objects: string) => void): void {
  const of = (path: string) => join(folder, '.git', path);
  const files = {
    HEAD: 'ref: refs/heads/main\n',
    config: `[core]
	repositoryformatversion = 0
[remote "origin"]
	url = ${bare}
	fetch = +refs/heads/*:refs/remotes/origin/*
`,
  };
  for (const path of ['refs/heads', 'refs/remotes/origin']) mkdirSync(of(path), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(of(path), text);
  withObjects(of('objects'));
  cpSync(join(bare, 'refs/heads'), of('refs/remotes/origin'), { recursive: true });
  const main = join(bare, 'refs/heads/main');
  if (existsSync(main)) cpSync(main, of('refs/heads/main'));
}

/** The commit of a branch of a bare repository, which never packs its branches. */
export function commitOf(bare: string, branch: string): string {
  return readFileSync(join(bare, 'refs/heads', branch), 'utf8').trim();
}

function setBranch(bare: string, branch: string, commit: string): void {
  const file = join(bare, 'refs/heads', branch);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${commit}\n`);
}

/** Begins a branch in the clone, where main of the bare repository is. */
export function beginBranch({ bare, clone }: Repository, branch: string): void {
  git(clone, 'checkout', '-q', '-B', branch, commitOf(bare, 'main'));
}

/** Commits all of the clone, and pushes it as a branch, whatever that was. Gives the commit. */
export function commitAll({ bare, clone }: Repository, message: string, branch = 'main'): string {
  git(clone, 'add', '-A');
  git(clone, 'commit', '-q', '--allow-empty', '-m', message);
  const head = git(clone, 'rev-parse', 'HEAD');
  setBranch(bare, branch, head);
  return head;
}

/**
 * Checks a commit out into a folder: main, or a branch or commit, or the merge of that into main, as GitHub does it.
 * Gives the commit.
 */
export function checkOut(
  bare: string,
  folder: string,
  what: { readonly ref?: string; readonly merge?: string },
): string {
  const { ref, merge } = what;
  const asked = merge === undefined ? ref : mergeCommit(bare, merge, ['main', merge], 'Merge');
  cloneInto(folder, bare, (objects) => cpSync(join(bare, 'objects'), objects, { recursive: true }));
  if (asked === undefined) {
    git(folder, 'reset', '-q', '--hard');
    return commitOf(bare, 'main');
  }
  git(folder, 'checkout', '-q', '--detach', asked);
  return readFileSync(join(folder, '.git/HEAD'), 'utf8').trim();
}

/** Makes the commit of main with a branch merged into it. Gives it. @throws {Error} where both change the same lines */
function mergeCommit(bare: string, branch: string, parents: readonly string[], message: string): string {
  const tree = git(bare, 'merge-tree', '--write-tree', 'main', branch);
  return git(bare, 'commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message);
}

/** Merges a branch into main as the button of a forge does. Returns the commit. */
export function mergeBranch(bare: string, branch: string, how: 'merge' | 'squash' | 'rebase'): string {
  const commit = {
    merge: () => mergeCommit(bare, branch, ['main', branch], `Merge ${branch}`),
    squash: () => mergeCommit(bare, branch, ['main'], branch),
    rebase: () => rebased(bare, branch),
  }[how]();
  setBranch(bare, 'main', commit);
  return commit;
}

/** The commits of a branch, made again on top of main. Gives the last one. */
function rebased(bare: string, branch: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-merge-'));
  cloneInto(folder, bare, (objects) => symlinkSync(join(bare, 'objects'), objects));
  git(folder, 'checkout', '-q', '--detach', commitOf(bare, branch));
  git(folder, 'rebase', '-q', 'main');
  return git(folder, 'rev-parse', 'HEAD');
}
