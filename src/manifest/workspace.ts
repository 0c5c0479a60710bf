import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { keptIn } from '../api/once.ts';
import { turn } from '../api/sleep.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { decodeUtf8 } from '../formats/utf8.ts';
import { isBelowFolder } from '../files/below.ts';
import { indexEntries, isContentOf, tracksBelow, unreadableIndex } from '../git/tracked.ts';
import { readRepositories } from '../git/repository.ts';
import { matchesGlob } from '../formats/glob.ts';
import { isMemoryFile, noMemory } from './memory-name.ts';
import { credentialRule, isEnvFile } from './private-names.ts';

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

/** The files of a folder that were read already, by how they are read and their paths. */
export type FilesRead = Map<string, { readonly real?: string; readonly file: FileText }>;

/** The files that a run may read. */
interface FileLimit {
  /** The reason why the run is pinned: of what git tracks it reads only the content that git tracks; undefined: it is not. */
  readonly why?: string | undefined;
  /** Patterns of paths below the root, with `/`: files that git need not track. */
  readonly allowed: readonly string[];
}

/**
 * The files of a manifest: everything below the folder of `trueup.yaml`, and nothing else. Reads in one go: what waits for a
 * thread of Node takes ten times the CPU of a read from the cache of the system.
 */
export interface Workspace {
  readonly root: string;
  /** Real paths of the files that were read as text. */
  readonly files: ReadonlySet<string>;
  /** Reads a file by its path below the root; `limit` is in bytes. */
  readonly read: (path: string, limit: number) => Promise<FileText>;
  /**
   * Reads files, each path once; `limit` is in bytes per file. Refuses memories of drift, those that may hold
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

/** How many files are read in a row, a few milliseconds, while answers of the platform wait. */
const filesPerTurn = 100;

/**
 * Opens the folder of a manifest.
 * @param options.fileLimit what `readAll` may read; by default what git tracks
 * @param options.once the YAML files that workspaces of the folder read once for all of them; by default a file that is asked for
 * again is read again
 * @throws when the folder does not exist
 */
export async function openWorkspace(
  folder: string,
  { fileLimit = { allowed: [] }, once }: { readonly fileLimit?: FileLimit; readonly once?: FilesRead | undefined } = {},
): Promise<Workspace> {
  const root = realpathSync.native(resolve(folder));
  const files = new Set<string>();
  const read = (path: string, found: FilePlace | FileProblem, limit: number, inspect?: Inspect) => {
    if ('problem' in found) return { file: found };
    const bytes = inspect === undefined ? readPlace(path, found, limit) : readInspected(path, found, limit, inspect);
    return { real: found.real, file: decode(path, bytes) };
  };
  const noted = ({ real, file }: ReturnType<typeof read>) => {
    if (real !== undefined) files.add(real);
    return file;
  };
  return {
    root,
    files,
    read: (path, limit) =>
      Promise.resolve(noted(keptIn(once ?? new Map(), `root ${path}`, () => read(path, locate(root, path), limit)))),
    readAll: async (paths, limit, { readsUntracked } = { readsUntracked: false }) => {
      const known = readsUntracked ? (once ?? new Map()) : new Map();
      const all = [...new Set(paths)];
      const places = new Map(
        all
          .filter((path) => !known.has(path))
          .map((path) => [path, locatePublic(root, path, { limit: fileLimit })] as const),
      );
      const found = [...places.values()].flatMap((place) => ('problem' in place ? [] : [place]));
      const readsAny = fileLimit.why === undefined && readsUntracked;
      const inspect = readsAny ? doubts : await inspectTracked(root, found, fileLimit);
      const texts = new Map<string, FileText>();
      for (const [index, path] of all.entries()) {
        if (index % filesPerTurn === filesPerTurn - 1) await turn();
        const place = places.get(path) ?? { problem: `there is no file ${path}` };
        texts.set(path, noted(keptIn(known, path, () => read(path, place, limit, inspect))));
      }
      return texts;
    },
    readBytes: (path, limit) => {
      const place = locatePublic(root, path, 'a source of secrets');
      return Promise.resolve('problem' in place ? place : readPlace(path, place, limit));
    },
    beside: (from, path) => (path === '' || isAbsolute(path) ? path : join(dirname(from), path)),
    match: (pattern) => Promise.resolve(match(root, pattern)),
  };
}

/** Locates a file that no rule names, as it is written or by the place that a link leads to, or that the limit names itself. */
function locatePublic(
  root: string,
  path: string,
  purpose: 'a source of secrets' | { readonly limit: FileLimit },
): FilePlace | FileProblem {
  const problem = wayOut(root, path);
  if (problem !== undefined) return { problem };
  const place = locate(root, path);
  if ('problem' in place) {
    if (isMemoryFile(normalize(path))) return { problem: noMemory(path) };
    const refused = refusedByName(path, [normalize(path)], purpose)?.problem;
    if (refused !== undefined) return refused;
    // What a run writes there, such as a hook, runs with the next command of git.
    return normalize(path).split(sep).includes('.git') ? { problem: `${path} is inside of .git` } : place;
  }
  const names = [...new Set([normalize(path), relative(root, place.named), relative(root, place.real)])];
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

function readInspected(path: string, place: FilePlace, limit: number, inspect: Inspect): FileBytes {
  const problem = inspect(path, place);
  if (problem !== undefined) return problem;
  const file = readPlace(path, place, limit);
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
  const root = realpathSync.native(folder);
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

function match(root: string, pattern: string): readonly string[] | { readonly problem: string } {
  const [folder, last] = [dirname(pattern), basename(pattern)];
  const problem = wayOut(root, pattern);
  if (problem !== undefined) return { problem };
  if (folder.includes('*')) {
    return { problem: `${pattern} has a * before its last part` };
  }
  try {
    const named = readdirSync(join(root, folder), { withFileTypes: true }).filter(
      ({ name }) => matchesGlob(last, name) && (!name.startsWith('.') || last.startsWith('.')),
    );
    const isFolder = (entry: (typeof named)[number]) =>
      entry.isSymbolicLink() ? leadsToFolder(join(root, folder, entry.name)) : entry.isDirectory();
    return named
      .filter((entry) => !isFolder(entry))
      .map(({ name }) => join(folder, name))
      .toSorted();
  } catch {
    return [];
  }
}

function leadsToFolder(link: string): boolean {
  return statSync(link, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function decode(path: string, file: FileBytes): FileText {
  if ('problem' in file) return file;
  const decoded = decodeUtf8(file.bytes);
  return 'problem' in decoded ? { problem: `${path} ${decoded.problem}` } : decoded;
}

function locate(root: string, path: string): FilePlace | FileProblem {
  if (path === '') return { problem: 'no file is named' };
  const problem = wayOut(root, path);
  if (problem !== undefined) return { problem };
  try {
    // A link inside the workspace may lead out of it: what counts is where the file really is.
    const written = join(root, path);
    const real = realpathSync.native(written);
    if (real !== root && !isBelowFolder(root, real)) return { problem: outside(path) };
    // Where no link leads elsewhere, both are one.
    return { named: real === written ? real : join(realpathSync.native(dirname(written)), basename(written)), real };
  } catch (error) {
    return unreadable(path, error);
  }
}

function readPlace(path: string, { real }: FilePlace, limit: number): FileBytes {
  try {
    const found = statSync(real);
    if (!found.isFile()) return { problem: `${path} is not a file` };
    if (found.size > limit) return { problem: `${path} has ${found.size} bytes; the limit is ${limit}` };
    return { bytes: readFileSync(real) };
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
