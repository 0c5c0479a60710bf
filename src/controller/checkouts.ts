import { createHash } from 'node:crypto';
import { copyFile, link, lstat, mkdir, readdir, readlink, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { isMemoryFile } from '../manifest/memory-name.ts';
import { inDraftFolder, removeDrafts } from '../project/drafts.ts';
import { type CommitFile, type Fingerprint, fingerprintIn } from './fingerprint.ts';
import { type GitAccess, type GitSource, asText, checkRef, gitOf, refused, tooLarge } from './git-source.ts';

import type { Author } from './records/authors.ts';

export type { GitSource } from './git-source.ts';

/** The files of git sources, by their commits. Every function throws `Stop` `refused` with what git says, without credentials. */
export interface Checkouts {
  /** Fetches the ref; gives its commit, 40 or 64 hex digits. */
  readonly fetch: (source: GitSource, signal?: AbortSignal) => Promise<string>;
  /** The root files of a commit, sorted: paths of YAML files whose text has `trueup:` at its top, without those longer than 1,000 bytes. */
  readonly rootFiles: (source: GitSource, commit: string) => Promise<readonly string[]>;
  /** Those of its root files that describe previews: they have `preview:` at their top too. */
  readonly previewFiles: (source: GitSource, commit: string) => Promise<readonly string[]>;
  /** Who wrote a commit: its author, and those that its message names as co-authors. */
  readonly authors: (source: GitSource, commit: string) => Promise<readonly Author[]>;
  /** What a commit has in folders. */
  readonly fingerprint: (source: GitSource, commit: string) => Promise<Fingerprint>;
  /**
   * Gives `work` a folder with the files of a commit, and removes it afterwards. Links out of the folder are left out. `below`: only
   * the files below this folder of the repository are in it.
   */
  readonly at: <T>(source: GitSource, commit: string, work: Work<T>, below?: string) => Promise<T>;
}

type Work<T> = (folder: string, fingerprint: Fingerprint) => Promise<T>;

export interface CheckoutsOptions extends Pick<GitAccess, 'credentials' | 'ssh'> {
  /** Most files of a commit; 50,000 unless given. */
  readonly maxFiles?: number;
  /** Most bytes of a commit, packed as well as unpacked; 512 MiB unless given. */
  readonly maxBytes?: number;
}

/** Where repositories are, and their limits. */
interface Store extends GitAccess {
  readonly maxFiles: number;
}

/**
 * Keeps a bare repository for each commit, in a folder that only this user can enter. Nothing changes a repository that is there,
 * so any number of workers share the folder. What was not used for a day is removed, and what killed workers left.
 */
export function checkoutsIn(folder: string, options: CheckoutsOptions = {}): Checkouts {
  const { maxFiles = 50_000, maxBytes = 512 * 1024 * 1024, credentials, ssh } = options;
  const store = { folder: resolve(folder), maxFiles, maxBytes, credentials, ssh };
  let preparing: Promise<void> | undefined;
  const prepared = async (): Promise<Store> => {
    preparing ??= prepare(store.folder);
    await preparing.catch((error: unknown) => {
      preparing = undefined;
      throw error;
    });
    return store;
  };
  return {
    fetch: async (source, signal) => fetchTip(await prepared(), source, signal),
    rootFiles: async (source, commit) => findFiles(await prepared(), source, { commit, has: [atTop('trueup')] }),
    previewFiles: async (source, commit) =>
      findFiles(await prepared(), source, { commit, has: [atTop('trueup'), atTop('preview')] }),
    authors: async (source, commit) => findAuthors(await prepared(), source, commit),
    fingerprint: async (source, commit) => {
      const fetched = await prepared();
      const repository = await repositoryOf(fetched, source, { commit });
      return fingerprintIn(await entriesOf(fetched, source, { repository, commit }));
    },
    at: async (source, commit, work, below = '') => checkOut(await prepared(), source, { commit, work, below }),
  };
}

/** Makes the folder, and removes what is left in it. @throws {Stop} `refused`, when others can enter it */
async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (((await stat(folder)).mode & 0o077) !== 0) {
    const remedy = `Name a folder of its own, or run: chmod 700 ${shellWord(folder)}.`;
    throw stop('refused', 'file-unwritable', `others can enter the folder ${folder}`, { remedy });
  }
  for (const name of (await readdir(folder)).filter((one) => /^[0-9a-f]{32}$/.test(one))) {
    const home = join(folder, name);
    await removeDrafts(home);
    await inDraftFolder(home, (own) => removeUnused(home, own));
  }
}

async function fetchTip(store: Store, source: GitSource, signal: AbortSignal | undefined): Promise<string> {
  checkRef(source);
  // The commit of a tag with a message stands in a line of its own.
  const names = [`${source.ref}^{}`, source.ref];
  const args = ['ls-remote', '--quiet', '--', source.url, ...names];
  const lines = (await gitOf(store, source, { args, signal })).split('\n').map((line) => line.split('\t'));
  const commit = names.map((name) => lines.find(([, one]) => one === name)?.[0]).find((one) => one !== undefined);
  if (commit === undefined) throw refused(source, `it has no ${source.ref}`);
  await repositoryOf(store, source, { commit, signal });
  return commit;
}

/** The repository of a commit, which is fetched unless it is there. */
async function repositoryOf(
  store: Store,
  source: GitSource,
  { commit, signal }: { readonly commit: string; readonly signal?: AbortSignal | undefined },
): Promise<string> {
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) throw refused(source, 'its commit has no known form');
  const home = homeOf(store, source);
  const repository = join(home, commit);
  if (await isUsed(repository)) return repository;
  await mkdir(home, { recursive: true });
  await inDraftFolder(home, async (own) => {
    const draft = join(own, 'repository');
    await fetchInto(draft, store, source, { commit, signal });
    await refuseLarge(store, source, { repository: draft, commit });
    await rename(draft, repository).catch(async (error: unknown) => {
      // Another worker was faster.
      if (!(await isUsed(repository))) throw error;
    });
    await removeUnused(home, own);
  });
  return repository;
}

/** No conversion of line ends or encodings, and no program: files are as their commit has them. */
const asCommitted = '* -text !eol !ident !filter !working-tree-encoding\n';

/** Makes a repository with a commit and nothing of its history. A server sends what the last commit of the source did not have. */
async function fetchInto(
  draft: string,
  store: Store,
  source: GitSource,
  { commit, signal }: { readonly commit: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const format = `--object-format=${commit.length === 40 ? 'sha1' : 'sha256'}`;
  await gitOf(store, source, { args: ['init', '--quiet', '--bare', '--template=', format, draft] });
  await mkdir(join(draft, 'info'));
  await writeFile(join(draft, 'info/attributes'), asCommitted);
  const former = await lastUsed(homeOf(store, source));
  // Another worker may remove it meanwhile; all is fetched then.
  if (former !== undefined) await borrow(draft, former).catch(() => undefined);
  const plain = ['--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const args = ['fetch', ...plain, '--', source.url, `${commit}:refs/heads/fetched`];
  await gitOf(store, source, { args, env: { GIT_DIR: draft }, signal });
}

/** The maximum number of commits whose packs a repository links; the next commit starts a new one. */
const maxPacks = 8;

/** Gives a new repository the files of another one, by hard links. */
async function borrow(draft: string, { repository, commit }: Fetched): Promise<void> {
  const packs = 'objects/pack';
  const names = await readdir(join(repository, packs));
  if (names.filter((name) => name.endsWith('.pack')).length >= maxPacks) return;
  for (const name of names) await link(join(repository, packs, name), join(draft, packs, name));
  await copyFile(join(repository, 'shallow'), join(draft, 'shallow'));
  // Last: git tells the server that all of its commit is there.
  await writeFile(join(draft, 'refs/heads/former'), `${commit}\n`);
}

/** A commit, and a repository that has it. */
interface Fetched {
  readonly repository: string;
  readonly commit: string;
}

async function refuseLarge(store: Store, source: GitSource, fetched: Fetched): Promise<void> {
  const { maxFiles, maxBytes } = store;
  const entries = await entriesOf(store, source, fetched);
  let bytes = 0;
  for (const entry of entries) bytes += entry.bytes;
  if (entries.length > maxFiles) throw tooLarge(source, `it has ${entries.length} files, more than ${maxFiles}`);
  if (bytes > maxBytes) throw tooLarge(source, `its files have ${bytes} bytes, more than ${maxBytes}`);
}

interface Entry extends CommitFile {
  /** The bytes of its path, as latin1. */
  readonly bytesOfPath: string;
  readonly bytes: number;
}

/** The files of a commit. `below`: those below a folder. */
async function entriesOf(
  store: Store,
  source: GitSource,
  { repository, commit }: Fetched,
  below = '',
): Promise<readonly Entry[]> {
  const args = ['ls-tree', '-r', '-l', '-z', '--full-tree', commit, ...(below === '' ? [] : ['--', `${below}/`])];
  const listed = await gitOf(store, source, { args, env: { GIT_DIR: repository } });
  const lines = listed.split('\0').slice(0, -1);
  return lines.map((line) => {
    const [, mode, id = '', size, path = ''] = /^(\d+) \w+ (\w+) +(\d+|-)\t([^]*)$/.exec(line) ?? [];
    const bytes = Number(size === '-' ? 0 : size);
    return { path: asText(path), bytesOfPath: path, id, isLink: mode === '120000', bytes };
  });
}

/** A key at the top of a file, as `isRootText` has it, for `git grep`, which reads no other files. */
const atTop = (key: string): string => `^(\uFEFF)?${key}[[:blank:]]*:([[:space:]]|$)`;

/** Longest path of a root file, in bytes: it names its stack, and no index of PostgreSQL takes a key of more than 2,704. */
const maxPath = 1_000;

/** The YAML files of a commit that have a line for each pattern. */
async function findFiles(
  store: Store,
  source: GitSource,
  { commit, has }: { readonly commit: string; readonly has: readonly string[] },
): Promise<readonly string[]> {
  const repository = await repositoryOf(store, source, { commit });
  const patterns = has.flatMap((one) => ['-e', one]);
  const args = [
    'grep',
    '-z',
    '-l',
    '-a',
    '-E',
    '--threads=1',
    '--all-match',
    ...patterns,
    commit,
    '--',
    '*.yaml',
    '*.yml',
  ];
  const found = await gitOf(store, source, { args, env: { GIT_DIR: repository }, codes: [0, 1] });
  const paths = found.split('\0').slice(0, -1);
  return paths
    .map((path) => asText(path.slice(`${commit}:`.length)))
    .filter((path) => !isMemoryFile(path) && !/[\p{Cc}\u{fffd}]/u.test(path) && Buffer.byteLength(path) <= maxPath)
    .toSorted();
}

async function findAuthors(store: Store, source: GitSource, commit: string): Promise<readonly Author[]> {
  const repository = await repositoryOf(store, source, { commit });
  const format = '%an <%ae>%n%(trailers:key=Co-authored-by,valueonly,unfold)';
  const args = ['log', '-1', '--no-show-signature', '--no-mailmap', `--format=${format}`, commit];
  const lines = asText(await gitOf(store, source, { args, env: { GIT_DIR: repository } })).split('\n');
  return lines.flatMap((line) => {
    const [, name, email] = /^(.*?)\s*<([^<>]*)>\s*$/.exec(line) ?? [];
    return name === undefined || email === undefined ? [] : [{ name, email }];
  });
}

/** Its `.git` is that of a second work tree of the repository. */
async function checkOut<T>(
  store: Store,
  source: GitSource,
  { commit, work, below }: { readonly commit: string; readonly work: Work<T>; readonly below: string },
): Promise<T> {
  const repository = await repositoryOf(store, source, { commit });
  return inDraftFolder(homeOf(store, source), async (own) => {
    const folder = join(own, 'files');
    const git = join(folder, '.git');
    await mkdir(git, { recursive: true });
    await writeFile(join(git, 'HEAD'), `${commit}\n`);
    await writeFile(join(git, 'commondir'), `${repository}\n`);
    const env = { GIT_DIR: git, GIT_WORK_TREE: folder };
    const entries = await entriesOf(store, source, { repository, commit }, below);
    // The index has all of the commit also where the folder has a part of it.
    await gitOf(store, source, { args: ['read-tree', ...(below === '' ? ['-u'] : []), '--reset', commit], env });
    if (below !== '' && entries.length > 0)
      await gitOf(store, source, { args: ['--literal-pathspecs', 'checkout', '--quiet', '--', below], env });
    for (const { bytesOfPath, isLink } of entries) if (isLink) await removeLinkOut(folder, bytesOfPath);
    return work(folder, fingerprintIn(entries));
  });
}

/** Removes a link that leads out of the folder, or into its `.git`. */
async function removeLinkOut(folder: string, path: string): Promise<void> {
  const link = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
  if (!isInside(path, await readlink(link))) await rm(link);
}

/**
 * Whether a link stays inside: `..` only in front, and no more of them than folders are around it. If all links of a folder are
 * so, none leads out through another one either.
 */
function isInside(link: string, target: string): boolean {
  const names = target.split('/');
  const up = names.findIndex((name) => name !== '..');
  const inner = up === -1 ? [] : names.slice(up);
  const depth = link.split('/').length - 1;
  const isPlain = inner.every((name) => name !== '..' && !/^\.git$/i.test(name));
  return !target.startsWith('/') && names.length - inner.length <= depth && isPlain;
}

/** The folder of a source. With its address: no other server can say that it has a commit of it. */
function homeOf({ folder }: Store, { id, url }: GitSource): string {
  return join(
    folder,
    createHash('sha256')
      .update(JSON.stringify([id, url]))
      .digest('hex')
      .slice(0, 32),
  );
}

const dayMs = 86_400_000;

/** The repositories of a source, with the time of their last use. */
async function repositoriesIn(home: string): Promise<readonly (Fetched & { readonly usedAt: number })[]> {
  const commits = (await readdir(home)).filter((name) => /^[0-9a-f]+$/.test(name));
  const found = await Promise.all(
    commits.map(async (commit) => {
      const repository = join(home, commit);
      const state = await lstat(repository).catch(() => undefined);
      return state === undefined ? [] : { repository, commit, usedAt: state.mtimeMs };
    }),
  );
  return found.flat();
}

async function lastUsed(home: string): Promise<Fetched | undefined> {
  return (await repositoriesIn(home)).toSorted((a, b) => b.usedAt - a.usedAt)[0];
}

/**
 * Takes repositories away that were not used for a day; a run takes less. `own`: a folder that is removed. A worker that begins to
 * use one at this moment fails, and its queue starts the run again.
 */
async function removeUnused(home: string, own: string): Promise<void> {
  for (const { repository, commit, usedAt } of await repositoriesIn(home)) {
    if (Date.now() - usedAt >= dayMs) await rename(repository, join(own, commit)).catch(() => undefined);
  }
}

/** Whether a repository is there; if so, it counts as used now. */
async function isUsed(repository: string): Promise<boolean> {
  const now = new Date();
  return utimes(repository, now, now).then(
    () => true,
    () => false,
  );
}
