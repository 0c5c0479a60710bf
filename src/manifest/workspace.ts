import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { keptIn } from '../api/once.ts';
import { turn } from '../api/sleep.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { systemCode } from '../diagnostics/system-code.ts';
import { decodeUtf8 } from '../formats/utf8.ts';
import { isBelowFolder } from '../files/below.ts';
import { isLink } from '../files/regular-file.ts';
import { matchesGlob } from '../formats/glob.ts';
import { isMemoryFile, noMemory } from './memory-name.ts';
import {
  type FileLimit,
  type FilePlace,
  type FileProblem,
  type Inspect,
  doubts,
  inspectTracked,
  refusedByName,
} from './readable-files.ts';

/** The text of a file, or why it cannot be used. */
export type FileText = { readonly text: string } | FileProblem;
type FileBytes = { readonly bytes: Uint8Array } | FileProblem;

/** The files of a folder that were read already, by how they are read and their paths. */
export type FilesRead = Map<string, { readonly real?: string; readonly file: FileText }>;

/**
 * The files of a manifest: everything below the folder of `trueup.yaml`, and nothing else. Reads in one go: what waits for a
 * thread of Node takes ten times the CPU of a read from the cache of the system.
 */
export interface Workspace {
  readonly root: string;
  /** Real paths of the files that were read as text. */
  readonly files: ReadonlySet<string>;
  /**
   * All that was asked of the folder, also what is not there: paths below the root, and patterns with `*` in their last part. A file
   * behind a link is there with both of its paths.
   */
  readonly asked: ReadonlySet<string>;
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
  readonly match: (pattern: string) => Promise<readonly string[] | FileProblem>;
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
  const asked = new Set<string>();
  const read = (path: string, found: FilePlace | FileProblem, limit: number, inspect?: Inspect) => {
    if ('problem' in found) return { file: found };
    const bytes = inspect === undefined ? readPlace(path, found, limit) : readInspected(path, found, limit, inspect);
    return { real: found.real, file: decode(path, bytes) };
  };
  const ask = (path: string, real?: string) => {
    asked.add(normalize(path));
    if (real !== undefined) asked.add(relative(root, real));
  };
  const noted = (path: string, { real, file }: ReturnType<typeof read>) => {
    ask(path, real);
    if (real !== undefined) files.add(real);
    return file;
  };
  return {
    root,
    files,
    asked,
    read: (path, limit) =>
      Promise.resolve(
        noted(
          path,
          keptIn(once ?? new Map(), `root ${path}`, () => read(path, locate(root, path), limit)),
        ),
      ),
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
        texts.set(
          path,
          noted(
            path,
            keptIn(known, path, () => read(path, place, limit, inspect)),
          ),
        );
      }
      return texts;
    },
    readBytes: (path, limit) => {
      const place = locatePublic(root, path, 'a source of secrets');
      ask(path, 'problem' in place ? undefined : place.real);
      return Promise.resolve('problem' in place ? place : readPlace(path, place, limit));
    },
    beside: (from, path) => (path === '' || isAbsolute(path) ? path : join(dirname(from), path)),
    match: (pattern) => {
      ask(pattern, linkedPattern(root, pattern));
      return Promise.resolve(match(root, pattern));
    },
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

function readInspected(path: string, place: FilePlace, limit: number, inspect: Inspect): FileBytes {
  const problem = inspect(path, place);
  if (problem !== undefined) return problem;
  const file = readPlace(path, place, limit);
  return 'problem' in file ? file : (inspect(path, place, file.bytes) ?? file);
}

function match(root: string, pattern: string): readonly string[] | FileProblem {
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
  } catch (error) {
    // A folder that is not there has no file; one that is closed may have some.
    return ['ENOENT', 'ENOTDIR'].includes(systemCode(error)) ? [] : unreadable(folder, error);
  }
}

/** The same pattern where its folder really is; undefined: there is no such folder below the root. */
function linkedPattern(root: string, pattern: string): string | undefined {
  const place = locate(root, dirname(pattern));
  return 'problem' in place ? undefined : join(place.real, basename(pattern));
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
  const written = join(root, path);
  try {
    // A link inside the workspace may lead out of it: what counts is where the file really is.
    const real = realpathSync.native(written);
    if (real !== root && !isBelowFolder(root, real))
      return { problem: `${path} leads by a link ${outOf}`, isLink: true };
    // Where no link leads elsewhere, both are one.
    return { named: real === written ? real : join(realpathSync.native(dirname(written)), basename(written)), real };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || !isLink(written)) return unreadable(path, error);
    const remedy = 'Make the file that it leads to, or put a file in its place.';
    return { problem: `${path} is a link to a file that is not there`, remedy };
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
  const code = systemCode(error);
  if (code === 'ENOENT') return { problem: `there is no file ${path}`, isMissing: true };
  if (code === 'ENOTDIR') return { problem: `there is no file ${path}` };
  return { problem: `${path} cannot be read (${reasonOf(error)})`, remedy: remedyForDisk(error) };
}

function wayOut(root: string, path: string): string | undefined {
  if (isAbsolute(path)) return `${path} is an absolute path; paths are relative to the file that uses them`;
  const way = relative(root, resolve(root, path));
  return way === '..' || way.startsWith(`..${sep}`) ? outside(path) : undefined;
}

const outOf = 'out of the workspace, the folder of trueup.yaml';

function outside(path: string): string {
  return `${path} is outside the workspace, the folder of trueup.yaml`;
}
