import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { shellWord } from '../diagnostics/shell-word.ts';
import { decodeUtf8 } from '../formats/utf8.ts';
import { isBelowFolder } from '../files/below.ts';
import { indexEntries, isContentOf, tracksBelow, unreadableIndex } from '../git/tracked.ts';
import { readRepositories } from '../git/repository.ts';
import { matchesGlob } from '../formats/glob.ts';
import { isMemoryFile, noMemory } from './memory-name.ts';
import { credentialRule, isEnvFile } from './private-names.ts';
import { readdir, readFile, realpath, stat } from '../files/read.ts';

/** The reason why a file cannot be used; with a remedy where the file may hold secrets. */
interface FileProblem {
  readonly problem: string;
  readonly isPrivate?: { readonly remedy: string };
  /** There is none yet, at a path that may be used. */
  readonly isMissing?: true;
}

/** The text of a file, or why it cannot be used. */
export type FileText = { readonly text: string } | FileProblem;
type FileBytes = { readonly bytes: Uint8Array } | FileProblem;

/** A file of the workspace: the real path of the folder with the last name that was written, and the real path. */
interface FilePlace {
  readonly named: string;
  readonly real: string;
  /** The reason why it is read only where git tracks it. */
  readonly doubt?: FileProblem;
}

/** The files that a run may read. */
export interface FileLimit {
  /** The reason why the run is pinned: of what git tracks it reads only the content that git tracks; undefined: it is not. */
  readonly why?: string | undefined;
  /** Patterns of paths below the root, with `/`: files that git need not track. */
  readonly allowed: readonly string[];
}

/** The files of a manifest: everything below the folder of `trueup.yaml`, and nothing else. Remembers no content. */
export interface Workspace {
  readonly root: string;
  /** Real paths of the files that were read as text. */
  readonly files: ReadonlySet<string>;
  /** Reads a file by its path below the root; `limit` is in bytes. */
  readonly read: (path: string, limit: number) => Promise<FileText>;
  /**
   * Reads files side by side, each path once; `limit` is in bytes per file. Refuses memories of drift, those that may hold
   * credentials, and those that git does not track; a pinned run also those with another content than git tracks.
   * `readsUntracked`: a run that is not pinned reads what git does not track.
   */
  readonly readAll: (
    paths: Iterable<string>,
    limit: number,
    options?: { readonly readsUntracked: boolean },
  ) => Promise<ReadonlyMap<string, FileText>>;
  /** Reads a source of secrets, which need not be text. Refuses files of credentials of other programs. */
  readonly readBytes: (path: string, limit: number) => Promise<FileBytes>;
  /** The path below the root that `path` means when it is written in the file `from`. */
  readonly beside: (from: string, path: string) => string;
  /** Files that a pattern with `*` in its last part names, sorted; or why it can name none. */
  readonly match: (pattern: string) => Promise<readonly string[] | { readonly problem: string }>;
}

/** Most files that are open at once. */
const openAtOnce = 16;

/**
 * Opens the folder of a manifest.
 * @param options.fileLimit what `readAll` may read; by default what git tracks
 * @throws when the folder does not exist
 */
export async function openWorkspace(
  folder: string,
  { fileLimit = { allowed: [] } }: { readonly fileLimit?: FileLimit } = {},
): Promise<Workspace> {
  const root = await realpath(resolve(folder));
  const files = new Set<string>();
  return {
    root,
    files,
    read: async (path, limit) => {
      const place = await locate(root, path);
      if ('problem' in place) return place;
      files.add(place.real);
      return decode(path, await readPlace(path, place, limit));
    },
    readAll: async (paths, limit, { readsUntracked } = { readsUntracked: false }) => {
      const places = new Map<string, FilePlace | FileProblem>();
      await sideBySide(paths, async (path) => places.set(path, await locatePublic(root, path, { limit: fileLimit })));
      const found = [...places.values()].flatMap((place) => ('problem' in place ? [] : [place]));
      const readsAny = fileLimit.why === undefined && readsUntracked;
      const inspect = readsAny ? doubts : await inspectTracked(root, found, fileLimit);
      const texts = new Map<string, FileText>();
      await sideBySide(places.keys(), async (path) => {
        const place = places.get(path) ?? { problem: `there is no file ${path}` };
        if ('real' in place) files.add(place.real);
        texts.set(path, decode(path, 'problem' in place ? place : await readInspected(path, place, limit, inspect)));
      });
      return texts;
    },
    readBytes: async (path, limit) => {
      const place = await locatePublic(root, path, 'a source of secrets');
      return 'problem' in place ? place : readPlace(path, place, limit);
    },
    beside: (from, path) => (path === '' || isAbsolute(path) ? path : join(dirname(from), path)),
    match: (pattern) => match(root, pattern),
  };
}

/** Works on each path once, at most `openAtOnce` at a time. */
async function sideBySide(paths: Iterable<string>, work: (path: string) => Promise<unknown>): Promise<void> {
  const left = new Set(paths).values();
  const workLeft = async () => {
    for (const path of left) await work(path);
  };
  await Promise.all(Array.from({ length: openAtOnce }, workLeft));
}

/** Locates a file that no rule names, as it is written or by the place that a link leads to, or that the limit names itself. */
async function locatePublic(
  root: string,
  path: string,
  purpose: 'a source of secrets' | { readonly limit: FileLimit },
): Promise<FilePlace | FileProblem> {
  const problem = wayOut(root, path);
  if (problem !== undefined) return { problem };
  const place = await locate(root, path);
  if ('problem' in place) {
    if (isMemoryFile(normalize(path))) return { problem: noMemory(path) };
    const refused = refusedByName(path, [normalize(path)], purpose)?.problem;
    if (refused !== undefined) return refused;
    // What a run writes there, such as a hook, runs with the next command of git.
    return normalize(path).split(sep).includes('.git') ? { problem: `${path} is inside of .git` } : place;
  }
  const names = [normalize(path), relative(root, place.named), relative(root, place.real)];
  if (names.some(isMemoryFile)) return { problem: noMemory(path) };
  const refused = refusedByName(path, names, purpose);
  if (refused === undefined) return place;
  return refused.isDoubt ? { ...place, doubt: refused.problem } : refused.problem;
}

/** Refuses a file by one of its names; a doubt ends where git tracks the file. */
function refusedByName(
  path: string,
  names: readonly string[],
  purpose: 'a source of secrets' | { readonly limit: FileLimit },
): { readonly problem: FileProblem; readonly isDoubt: boolean } | undefined {
  let doubt: FileProblem | undefined;
  for (const file of names) {
    const name = withSlashes(file);
    const rule = credentialRule(name);
    if (rule === undefined) continue;
    const { glob, readBy } = rule;
    const isRead =
      purpose === 'a source of secrets'
        ? readBy === 'git' || isEnvFile(glob)
        : readBy !== 'nothing' && purpose.limit.allowed.includes(name);
    if (isRead) continue;
    const another = 'Write ${secret:NAME} for a secret. Give a file without credentials another name';
    const remedy =
      readBy === 'nothing' || purpose === 'a source of secrets'
        ? `${another}.`
        : `${another}, or set TRUEUP_FILE_ALLOW=${allowing(purpose.limit, [name])}.`;
    const problem = { problem: `${leading(path, file)} may hold credentials (rule: ${glob})`, isPrivate: { remedy } };
    if (readBy !== 'git') return { problem, isDoubt: false };
    doubt ??= problem;
  }
  return doubt === undefined ? undefined : { problem: doubt, isDoubt: true };
}

/** Refuses what its name puts in doubt, where git is not asked. */
const doubts: Inspect = (_path, { doubt }) => doubt;

/** Finds why a file must not be read, or without that why its content must not be used. */
type Inspect = (path: string, place: FilePlace, bytes?: Uint8Array) => FileProblem | undefined;

async function readInspected(path: string, place: FilePlace, limit: number, inspect: Inspect): Promise<FileBytes> {
  const problem = inspect(path, place);
  if (problem !== undefined) return problem;
  const file = await readPlace(path, place, limit);
  return 'problem' in file ? file : (inspect(path, place, file.bytes) ?? file);
}

/**
 * Refuses what git does not track: this machine has it, and whoever wrote the manifest may not know it. In a pinned run also
 * content that is not the one that git tracks: the pipeline made it. Outside of a repository, and in a folder in which git
 * tracks nothing yet, only a pinned run refuses it.
 */
async function inspectTracked(root: string, places: readonly FilePlace[], limit: FileLimit): Promise<Inspect> {
  const repositoryAt = readRepositories();
  if (places.length === 0 || (limit.why === undefined && !(await tracksBelow(root, repositoryAt)))) return doubts;
  const entries = await indexEntries(
    places.map(({ real }) => real),
    { root, repositoryAt },
  );
  const isAllowed = (file: string) => limit.allowed.some((pattern) => matchesGlob(pattern, withSlashes(file)));
  const untracked = places
    .filter(({ real }) => entries.get(real)?.is === 'untracked')
    .map(({ real }) => relative(root, real))
    .filter((file) => !isAllowed(file));
  return (path, { real }, bytes) => {
    const file = relative(root, real);
    if (isAllowed(file)) return undefined;
    const entry = entries.get(real) ?? { is: 'untracked' };
    const name = leading(path, file);
    const refused = (problem: string, ...remedies: readonly string[]) => ({
      problem: limit.why === undefined ? problem : `${problem}; only tracked files are read, because ${limit.why}`,
      isPrivate: { remedy: ['Write ${secret:NAME} for a secret.', ...remedies].join(' ') },
    });
    if (entry.is === 'unreadable') {
      const { problem, remedy } = unreadableIndex(file);
      return refused(problem, remedy, ...(limit.why === undefined ? [] : [allowIt]));
    }
    if (limit.why === undefined) {
      if (entry.is === 'tracked') return undefined;
      const others = untracked.length > maxNamed ? [file] : [...new Set(untracked)].toSorted();
      const allow = `TRUEUP_FILE_ALLOW=${allowing(limit, others)}`;
      return refused(
        `${name} is not tracked by git and may hold secrets of this machine`,
        `For files without secrets: ${gitAdd(root, others)}, or set ${allow}.`,
      );
    }
    if (entry.is === 'untracked') {
      return refused(
        `${name} is not tracked by git and may hold secrets of the pipeline`,
        'Commit a file without secrets. In a checkout without .git, give --no-pinned or set TRUEUP_PINNED=false.',
        allowIt,
      );
    }
    if (bytes === undefined || isContentOf(bytes, entry.digest)) return undefined;
    return refused(`${name} differs from the file that git tracks and may hold secrets of the pipeline`, allowIt);
  };
}

const allowIt = 'For a file without secrets that the pipeline makes, add its path to TRUEUP_FILE_ALLOW.';

/** Most files that one command adds to git. */
const maxNamed = 20;

/** The command that adds files of a folder to git, from the current folder. */
function gitAdd(root: string, files: readonly string[]): string {
  const git = root === process.cwd() ? ['git'] : ['git', '-C', root];
  return [...git, 'add', ...files].map(shellWord).join(' ');
}

/**
 * The command that adds new files to git, so that a run that is not pinned reads them; undefined: it reads them as they are.
 * @param files paths below the folder
 */
export async function addToGit(folder: string, files: readonly string[]): Promise<string | undefined> {
  const root = await realpath(folder);
  const repositoryAt = readRepositories();
  if (!(await tracksBelow(root, repositoryAt))) return undefined;
  const entries = await indexEntries(
    files.map((file) => join(root, file)),
    { root, repositoryAt },
  );
  const isTracked = [...entries.values()].every(({ is }) => is === 'tracked');
  return isTracked ? undefined : gitAdd(root, [...new Set(files.map((file) => file.split(/[\\/]/, 1)[0] ?? file))]);
}

/** The value of TRUEUP_FILE_ALLOW that allows more files, as a word of a shell. */
function allowing({ allowed }: FileLimit, files: readonly string[]): string {
  return shellWord([...allowed, ...files.map(withSlashes)].join(','));
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}

/** Names a file, and where the link leads by which it was written. */
function leading(path: string, file: string): string {
  return file === normalize(path) ? path : `${path} leads to ${file}, which`;
}

async function match(root: string, pattern: string): Promise<readonly string[] | { readonly problem: string }> {
  const [folder, last] = [dirname(pattern), basename(pattern)];
  const problem = wayOut(root, pattern);
  if (problem !== undefined) return { problem };
  if (folder.includes('*')) {
    return { problem: `${pattern} has a * before its last part` };
  }
  try {
    const named = (await readdir(join(root, folder), { withFileTypes: true })).filter(
      ({ name }) => matchesGlob(last, name) && (!name.startsWith('.') || last.startsWith('.')),
    );
    const isFolder = await Promise.all(
      named.map(async (entry) =>
        entry.isSymbolicLink() ? leadsToFolder(join(root, folder, entry.name)) : entry.isDirectory(),
      ),
    );
    return named
      .filter((_, index) => isFolder[index] !== true)
      .map(({ name }) => join(folder, name))
      .toSorted();
  } catch {
    return [];
  }
}

async function leadsToFolder(link: string): Promise<boolean> {
  return stat(link).then(
    (target) => target.isDirectory(),
    () => false,
  );
}

function decode(path: string, file: FileBytes): FileText {
  if ('problem' in file) return file;
  const decoded = decodeUtf8(file.bytes);
  return 'problem' in decoded ? { problem: `${path} ${decoded.problem}` } : decoded;
}

async function locate(root: string, path: string): Promise<FilePlace | FileProblem> {
  if (path === '') return { problem: 'no file is named' };
  const problem = wayOut(root, path);
  if (problem !== undefined) return { problem };
  try {
    // A link inside the workspace may lead out of it: what counts is where the file really is.
    const written = join(root, path);
    const real = await realpath(written);
    if (real !== root && !isBelowFolder(root, real)) return { problem: outside(path) };
    return { named: join(await realpath(dirname(written)), basename(written)), real };
  } catch (error) {
    return unreadable(path, error);
  }
}

async function readPlace(path: string, { real }: FilePlace, limit: number): Promise<FileBytes> {
  try {
    const found = await stat(real);
    if (!found.isFile()) return { problem: `${path} is not a file` };
    if (found.size > limit) return { problem: `${path} has ${found.size} bytes; the limit is ${limit}` };
    return { bytes: await readFile(real) };
  } catch (error) {
    return unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): FileProblem {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return { problem: `there is no file ${path}`, isMissing: true };
  if (code === 'ENOTDIR') return { problem: `there is no file ${path}` };
  return { problem: `${path} cannot be read (${code ?? 'unknown reason'})` };
}

function wayOut(root: string, path: string): string | undefined {
  if (isAbsolute(path)) return `${path} is an absolute path; paths are relative to the file that uses them`;
  const way = relative(root, resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) ? outside(path) : undefined;
}

function outside(path: string): string {
  return `${path} is outside the workspace, the folder of trueup.yaml`;
}
