import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { indexEntries } from './git-index.ts';

/** The longest that git may take. Milliseconds. */
const limitMs = 10_000;
/** Most bytes of its answer: paths that it was asked about. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Those of some files that git ignores and does not track, asked with one `git check-ignore`; git is not run where it tracks
 * all of them. None where there is no repository or no git, where git refuses the repository, or where it ignores the whole
 * folder `root`.
 * @param paths real paths of files below `root`, which is a real path too
 */
export async function ignoredFiles(root: string, paths: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const top = workTree(root);
  if (top === undefined) return new Set();
  const entries = await indexEntries([...paths]);
  const untracked = [...paths].filter((path) => entries.get(path)?.is !== 'tracked');
  if (untracked.length === 0) return new Set();
  const ignored = await checkIgnore(top, root === top ? untracked : [root, ...untracked]);
  return new Set(ignored.includes(root) ? [] : ignored);
}

/** The nearest folder around a folder, or itself, that has a `.git`. */
function workTree(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  return dirname(folder) === folder ? undefined : workTree(dirname(folder));
}

/**
 * Runs where `.git` is, so that git takes no other folder for the repository, and without the variables of the run, which
 * could name another one. `--no-index`: with the index, one path in a submodule leaves all without an answer.
 */
function checkIgnore(top: string, paths: readonly string[]): Promise<readonly string[]> {
  const args = ['-c', 'core.fsmonitor=false', 'check-ignore', '--no-index', '--stdin', '-z'];
  const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
  const env = { PATH, HOME, XDG_CONFIG_HOME };
  return new Promise((answer) => {
    const options = { cwd: top, env, timeout: limitMs, maxBuffer: mostBytes, encoding: 'utf8' } as const;
    // It exits with 1 when it ignores none of them; after another failure it has printed nothing.
    const child = execFile('git', args, options, (_error, stdout) =>
      answer(stdout.split('\0').filter((path) => path !== '')),
    );
    child.stdin?.on('error', () => {}).end(paths.map((path) => `${path}\0`).join(''));
  });
}
