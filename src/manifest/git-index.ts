import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isBelowFolder } from './below.ts';
import { readRegularFile } from './regular-file.ts';

/** The answer of the index of git about a file: `digest` is that of the content that it tracks. */
export type IndexEntry =
  | { readonly is: 'tracked'; readonly digest: Buffer }
  | { readonly is: 'untracked' }
  | { readonly is: 'unreadable' };

/** The digests that git tracks, by path as bytes; undefined: the index has a form that is not known. */
type Index = ReadonlyMap<string, Buffer> | undefined;

/** Whether git tracks a file, whatever its content is now. */
export async function isTracked(file: string): Promise<boolean> {
  return (await indexEntries([file])).get(file)?.is === 'tracked';
}

/** The problem that the index does not tell whether git tracks a file, and its remedy. */
export function unreadableIndex(file: string): { readonly problem: string; readonly remedy: string } {
  return {
    problem: `cannot read the index of git, which says whether it tracks ${file}`,
    remedy: 'If the index is split, run git update-index --no-split-index.',
  };
}

/** Whether some content is the one of a digest that git tracks, also after git wrote its ends of lines as CRLF. */
export function isContentOf(bytes: Uint8Array, digest: Buffer): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  return [text, text.replaceAll('\r\n', '\n')].some((content) =>
    createHash(digest.length === 20 ? 'sha1' : 'sha256')
      .update(`blob ${content.length}\0`)
      .update(content, 'latin1')
      .digest()
      .equals(digest),
  );
}

/**
 * The entries of some files: untracked where there is no repository. The index is read, and no program is run: the
 * repository may be somebody else's.
 * @param options.root a real path: a repository that begins below it counts only as a submodule of the one around it
 */
export async function indexEntries(
  files: readonly string[],
  { root }: { readonly root?: string } = {},
): Promise<ReadonlyMap<string, IndexEntry>> {
  const known = new Map<string, Promise<Repository | undefined>>();
  const repositoryAt = (folder: string) => {
    const read = known.get(folder) ?? readRepository(folder);
    known.set(folder, read);
    return read;
  };
  const entryOf = async (real: string): Promise<IndexEntry> => {
    for (let folder = dirname(real); ; folder = dirname(folder)) {
      const found = await repositoryAt(folder);
      if (found !== undefined) {
        const entry = entryIn(found.index, relative(folder, real));
        const isInner = root !== undefined && isBelowFolder(root, folder);
        if (entry.is !== 'tracked' || !isInner) return entry;
        const around = await entryOf(folder);
        return around.is === 'tracked' && found.head === around.digest.toString('hex') ? entry : around;
      }
      if (dirname(folder) === folder) return { is: 'untracked' };
    }
  };
  return new Map(await Promise.all(files.map(async (file) => [file, await entryOf(await realpath(file))] as const)));
}

function entryIn(index: Index, path: string): IndexEntry {
  if (index === undefined) return { is: 'unreadable' };
  const digest = index.get(asBytes(path.split(sep).join('/')));
  return digest === undefined ? { is: 'untracked' } : { is: 'tracked', digest };
}

/** The index of a work tree, and its `HEAD`: the digest of a commit, unless it is on a branch. */
interface Repository {
  readonly index: Index;
  readonly head?: string;
}

/** The repository whose work tree begins at a folder; undefined when none begins there. */
async function readRepository(folder: string): Promise<Repository | undefined> {
  const git = join(folder, '.git');
  try {
    const found = await stat(git);
    // In a submodule and in a second work tree it is a file that says where the folder is.
    const elsewhere = found.isDirectory() ? git : /^gitdir: (.+)$/m.exec(await readSmall(git))?.[1];
    if (elsewhere === undefined) return { index: undefined };
    const at = resolve(folder, elsewhere);
    const head = await readSmall(join(at, 'HEAD')).catch(() => '');
    return { index: await readIndexFile(join(at, 'index')), head: head.trim() };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { index: undefined };
  }
}

/** Empty when there is none, as in a repository to which nothing was added. */
async function readIndexFile(path: string): Promise<Index> {
  try {
    const index = await readRegularFile(path, largestIndex);
    return index === undefined ? undefined : parseIndex(index)?.entries;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Map() : undefined;
  }
}

/** An index with some millions of files. */
const largestIndex = 512 * 1024 * 1024;

async function readSmall(path: string): Promise<string> {
  return (await readRegularFile(path, 64 * 1024))?.toString('utf8') ?? '';
}

/** The files that git tracks below a folder. */
export interface TrackedFiles {
  /** The path of the folder in its work tree, with a slash at its end; empty at the root. */
  readonly prefix: string;
  /** The digest of each file in hexadecimal, by its path below the folder, as bytes. */
  readonly digests: ReadonlyMap<string, string>;
}

/** The files that git tracks below a folder; undefined: there is no repository, or its index has an unknown form. */
export async function trackedBelow(folder: string): Promise<TrackedFiles | undefined> {
  const real = await realpath(folder);
  for (let root = real; ; root = dirname(root)) {
    const found = await readRepository(root);
    if (found !== undefined) {
      const path = relative(root, real).split(sep).join('/');
      const prefix = path === '' ? '' : `${path}/`;
      const bytes = asBytes(prefix);
      const below = [...(found.index ?? [])].filter(([name]) => name.startsWith(bytes));
      const digests = new Map(below.map(([name, digest]) => [name.slice(bytes.length), digest.toString('hex')]));
      return found.index === undefined ? undefined : { prefix, digests };
    }
    if (dirname(root) === root) return undefined;
  }
}

/**
 * The digest of the tree that the index of a repository is, in hexadecimal; undefined: something was added since git knew
 * it, or the index has an unknown form. Never throws.
 */
export async function treeOfIndex(git: string): Promise<string | undefined> {
  const index = await readRegularFile(join(git, 'index'), largestIndex).catch(() => undefined);
  const parsed = index === undefined ? undefined : parseIndex(index);
  return index === undefined || parsed === undefined ? undefined : cachedTree(index, parsed);
}

/** The extension with the trees of the index: https://git-scm.com/docs/index-format#_cache_tree */
function cachedTree(index: Buffer, { extensions, digestLength }: Parsed): string | undefined {
  for (let at = extensions; at + 8 <= index.length - digestLength; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString('latin1', at, at + 4) !== 'TREE') continue;
    // The root has no name; a tree of unknown content counts -1 entries.
    const [, counts = ''] = /^\0(\d+ \d+\n)/.exec(index.toString('latin1', at + 8, at + 64)) ?? [];
    const from = at + 9 + counts.length;
    return counts === '' ? undefined : index.toString('hex', from, from + digestLength);
  }
  return undefined;
}

/** An index: what it tracks, and where its extensions begin. */
interface Parsed {
  readonly entries: ReadonlyMap<string, Buffer>;
  readonly extensions: number;
  readonly digestLength: number;
}

/** Reads an index of version 2, 3 or 4. */
function parseIndex(index: Buffer): Parsed | undefined {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  return readEntries(index, 20) ?? readEntries(index, 32);
}

/** undefined: the lengths that it tells do not fit, so digests have another length, or entries are in another file. */
function readEntries(index: Buffer, digestLength: number): Parsed | undefined {
  const version = index.readUInt32BE(4);
  const entries = new Map<string, Buffer>();
  let at = 12;
  let path = '';
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const start = at;
    at += 40 + digestLength;
    if (at + 4 > index.length) return undefined;
    const digest = index.subarray(at - digestLength, at);
    const flags = index.readUInt16BE(at);
    at += (flags & 0x4000) === 0 ? 2 : 4;
    let kept = 0;
    if (version === 4) {
      const cut = readNumber(index, at);
      kept = path.length - cut.value;
      at = cut.end;
    }
    const end = index.indexOf(0, at);
    if (end === -1 || kept < 0) return undefined;
    path = path.slice(0, kept) + index.toString('latin1', at, end);
    if (Math.min(path.length, 0xfff) !== (flags & 0xfff)) return undefined;
    entries.set(path, digest);
    at = version === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8;
  }
  return isWhole(index, at, digestLength) ? { entries, extensions: at, digestLength } : undefined;
}

/** Whether only extensions and the digest of the index follow its entries, and none of them adds entries of another file. */
function isWhole(index: Buffer, from: number, digestLength: number): boolean {
  const end = index.length - digestLength;
  let at = from;
  while (at + 8 <= end) {
    // A split index: https://git-scm.com/docs/index-format#_split_index
    if (index.toString('latin1', at, at + 4) === 'link') return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}

/** A number of seven bits a byte, where each byte that another follows counts one more. */
function readNumber(index: Buffer, from: number): { value: number; end: number } {
  let at = from;
  let byte = index[at++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = index[at++] ?? 0;
    value = (value + 1) * 0x80 + (byte & 0x7f);
  }
  return { value, end: at };
}

function asBytes(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}
