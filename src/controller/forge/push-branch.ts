import { join, resolve } from 'node:path';
import { inDraftFolder } from '../../project/drafts.ts';
import { type GitAccess, type GitSource, checkRef, gitOf, refused } from '../git-source.ts';

/** Files of a checkout that changed, and the commit that they become. */
interface Change {
  /** The folder of a checkout. */
  readonly folder: string;
  /** The commit that was checked out. */
  readonly parent: string;
  /** Paths below the folder. */
  readonly files: readonly string[];
  readonly message: string;
  /** The time of the commit: with the same files, message and time it is the same commit. */
  readonly at: Date;
}

/** A branch that only the controller writes. */
interface Branch {
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** The commits that the controller pushed there, or began to: another one is the work of others. */
  readonly own: readonly string[];
}

/** Writes branches of sources. Every function throws `Stop` `refused` with what git says, without credentials. */
export interface Pusher {
  /** Makes a commit, which only the folder has. Gives its id. */
  readonly commit: (source: GitSource, change: Change) => Promise<string>;
  /** Has a branch at a commit, whatever it was before; refuses one that has the work of others. */
  readonly push: (
    source: GitSource,
    pushed: Branch & Pick<Change, 'folder'> & { readonly commit: string },
  ) => Promise<void>;
  /** Removes a branch, where it has nothing of others. */
  readonly remove: (source: GitSource, branch: Branch) => Promise<void>;
}

/** Opens the folder of checkouts for writing, with the same limits and credentials. */
export function pusherIn(folder: string, options: Pick<GitAccess, 'credentials' | 'ssh'> = {}): Pusher {
  const access: GitAccess = { folder: resolve(folder), maxBytes: 64 * 1024 * 1024, ...options };
  return {
    commit: (source, change) => makeCommit(access, source, change),
    push: async (source, { folder: checkout, commit, branch, own }) => {
      checkBranch(source, branch);
      const there = await tipOf(access, source, branch);
      if (there === commit) return;
      refuseOthers(source, { branch, own }, there);
      await send(access, source, {
        env: environmentOf(checkout),
        expected: there ?? '',
        refspec: `${commit}:${refOf(branch)}`,
      });
    },
    remove: async (source, { branch, own }) => {
      checkBranch(source, branch);
      const there = await tipOf(access, source, branch);
      if (there === undefined || !own.includes(there)) return;
      await inDraftFolder(access.folder, async (draft) => {
        const env = { GIT_DIR: join(draft, 'empty') };
        await gitOf(access, source, {
          args: ['init', '--quiet', '--bare', '--template=', env.GIT_DIR],
          doing: 'write to',
        });
        await send(access, source, { env, expected: there, refspec: `:${refOf(branch)}` });
      });
    },
  };
}

/** New objects are in the folder: the repository of the commit stays as it is. */
function environmentOf(folder: string) {
  const git = join(folder, '.git');
  return { GIT_DIR: git, GIT_WORK_TREE: folder };
}

async function makeCommit(access: GitAccess, source: GitSource, change: Change): Promise<string> {
  const { folder, parent, files, message, at } = change;
  const date = `${Math.floor(at.getTime() / 1_000)} +0000`;
  const who = { NAME: 'Trueup', EMAIL: 'trueup@localhost', DATE: date };
  const people = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(who).map(([name, value]) => [`GIT_${role}_${name}`, value] as const),
  );
  const env = { ...environmentOf(folder), ...Object.fromEntries(people), GIT_LITERAL_PATHSPECS: '1' };
  const run = async (...args: readonly string[]): Promise<string> =>
    (await gitOf(access, source, { args, env, doing: 'write to' })).trim();
  await run('update-index', '--', ...files);
  return run('commit-tree', await run('write-tree'), '-p', parent, '-m', message);
}

async function tipOf(access: GitAccess, source: GitSource, branch: string): Promise<string | undefined> {
  const args = ['ls-remote', '--quiet', '--', source.url, refOf(branch)];
  const lines = (await gitOf(access, source, { args, doing: 'write to' })).split('\n').map((line) => line.split('\t'));
  return lines.find(([, name]) => name === refOf(branch))?.[0];
}

async function send(
  access: GitAccess,
  source: GitSource,
  {
    env,
    expected,
    refspec,
  }: { readonly env: { readonly GIT_DIR: string }; readonly expected: string; readonly refspec: string },
): Promise<void> {
  const ref = refspec.slice(refspec.indexOf(':') + 1);
  const plain = ['--quiet', '--no-signed', '--no-follow-tags', '--recurse-submodules=no', '--no-verify'];
  const args = ['push', ...plain, `--force-with-lease=${ref}:${expected}`, '--', source.url, refspec];
  await gitOf(access, source, { args, env, doing: 'write to' });
}

/** @throws {Stop} `refused`, for the branch of the source itself, and for what is none */
function checkBranch(source: GitSource, branch: string): void {
  checkRef({ ...source, ref: refOf(branch) });
  if (source.ref === refOf(branch)) throw refused(source, `${branch} is its own branch`, { doing: 'write to' });
}

function refuseOthers(source: GitSource, { branch, own }: Branch, there: string | undefined): void {
  if (there === undefined || own.includes(there)) return;
  const remedy = 'Delete that branch, or rename it.';
  throw refused(source, `the branch ${branch} has a commit that Trueup did not push`, { doing: 'write to', remedy });
}

function refOf(branch: string): string {
  return `refs/heads/${branch}`;
}
