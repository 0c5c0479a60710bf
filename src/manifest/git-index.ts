import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Whether git tracks a file. */
export async function isTracked(file: string): Promise<boolean> {
  return (await untrackedFiles([file])).size === 0;
}

/**
 * Those of some files that git does not track: all of them where there is no repository. Its index is read, and no program is
 * run: the repository may be somebody else's.
 */
export async function untrackedFiles(files: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  const trackedBelow = (folder: string) => {
    const tracked = known.get(folder) ?? readIndex(folder).then((index) => index && trackedPaths(index));
    known.set(folder, tracked);
    return tracked;
  };
  const isTrackedFile = async (file: string): Promise<boolean> => {
    const real = await realpath(file);
    for (let folder = dirname(real); ; folder = dirname(folder)) {
      const tracked = await trackedBelow(folder);
      if (tracked !== undefined) return tracked.has(asBytes(relative(folder, real).split(sep).join('/')));
      if (dirname(folder) === folder) return false;
    }
  };
  const untracked = await Promise.all(files.map(async (file) => ((await isTrackedFile(file)) ? [] : [file])));
  return new Set(untracked.flat());
}

/** The index of the work tree that begins at a folder; undefined when none begins there, empty when none is readable. */
async function readIndex(folder: string): Promise<Buffer | undefined> {
  const git = join(folder, '.git');
  try {
    const found = await stat(git);
    // In a submodule and in a second work tree it is a file that says where the folder is.
    const [, elsewhere = ''] = found.isDirectory() ? [] : (/^gitdir: (.+)$/m.exec(await readFile(git, 'utf8')) ?? []);
    return await readIndexFile(join(found.isDirectory() ? git : resolve(folder, elsewhere), 'index'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : Buffer.alloc(0);
  }
}

/** Empty when it cannot be read, as that of a repository without a first commit. */
async function readIndexFile(path: string): Promise<Buffer> {
  return readFile(path).catch(() => Buffer.alloc(0));
}

/** Reads the paths of an index of version 2, 3 or 4, as bytes; a form that is not known gives none. */
function trackedPaths(index: Buffer): ReadonlySet<string> {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return new Set();
  for (const digestLength of [20, 32]) {
    const paths = readEntries(index, digestLength);
    if (paths !== undefined) return paths;
  }
  return new Set();
}

/** undefined: the lengths that it tells do not fit, so digests have another length. */
function readEntries(index: Buffer, digestLength: number): Set<string> | undefined {
  const version = index.readUInt32BE(4);
  const paths = new Set<string>();
  let at = 12;
  let path = '';
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const start = at;
    at += 40 + digestLength;
    if (at + 4 > index.length) return undefined;
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
    paths.add(path);
    at = version === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8;
  }
  return paths;
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
