import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { remedyForDisk } from '../diagnostics/disk-errors.ts';
import { systemCode } from '../diagnostics/system-code.ts';

/** The disk of a state in a folder. Every operation rejects with an error that has a `code`. */
export interface Disk {
  /** Creates a folder and its parents for this user alone, so that they survive a loss of power. */
  readonly makeFolder: (path: string) => Promise<void>;
  readonly read: (path: string) => Promise<string>;
  /** Reads a file that only this user can read, and no link; rejects with ENOTPRIVATE for others. */
  readonly readPrivate: (path: string) => Promise<string>;
  /** The names in a folder. */
  readonly list: (path: string) => Promise<readonly string[]>;
  /** A new name beside a file. */
  readonly nameBeside: (path: string) => string;
  /** Opens a new file, or truncates an old one; only this user can read it. */
  readonly create: (path: string) => Promise<DiskFile>;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Gives a file a second name; rejects with EEXIST when that is taken. */
  readonly link: (from: string, to: string) => Promise<void>;
  /** Removes a file; a missing one is no error. */
  readonly remove: (path: string) => Promise<void>;
  /** Makes the names in a folder survive a loss of power. */
  readonly syncFolder: (path: string) => Promise<void>;
  /** Age of a file, by the clock of the disk. Milliseconds. */
  readonly ageOf: (path: string) => Promise<number>;
}

/** A file that is open for writing. */
export interface DiskFile {
  readonly append: (text: string) => Promise<void>;
  /** Makes the appended text survive a loss of power. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Reads a file. @throws as `readFile` does, and with the code `ENOTFILE` for a pipe, which waits for its writer, and a device without end */
export async function readNoPipe(path: string): Promise<Buffer> {
  const seen = await stat(path);
  if (!seen.isFile() && !seen.isDirectory()) throw Object.assign(new Error('no file'), { code: 'ENOTFILE' });
  return readFile(path);
}

/**
 * Creates a folder and its parents, and gives the first one that is new. For one that the file system refuses, Node says ENOENT:
 * created alone, it says why.
 * @throws as `mkdir` does
 */
export async function makeFolders(path: string, mode?: number): Promise<string | undefined> {
  try {
    return await mkdir(path, { recursive: true, mode });
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).path ?? path;
    const why: unknown = await mkdir(missing, { mode }).catch((reason: unknown) => reason);
    if (why !== undefined) throw remedyForDisk(why) === undefined ? error : why;
    await mkdir(path, { recursive: true, mode }); // it could not be made for a moment
    return missing;
  }
}

/** The disk of this machine. */
export const nodeDisk: Disk = {
  makeFolder: async (path) => {
    const first = await makeFolders(path, 0o700);
    if (first === undefined) return;
    for (let folder = path; folder.length >= first.length; folder = dirname(folder)) await syncFolder(dirname(folder));
  },
  read: async (path) => (await readNoPipe(path)).toString(),
  readPrivate: async (path) => {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
      (error: unknown) => {
        throw (error as NodeJS.ErrnoException).code === 'ELOOP' ? notPrivate() : error;
      },
    );
    try {
      const seen = await handle.stat();
      const isOpen = process.platform !== 'win32' && (seen.mode & 0o077) !== 0;
      if (!seen.isFile() || isOpen || seen.size > 1_000) throw notPrivate();
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  },
  list: (path) => readdir(path),
  nameBeside: (path) => `${path}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`,
  create: async (path) => {
    const handle = await open(path, 'w', 0o600);
    return { append: (text) => handle.appendFile(text), sync: () => handle.datasync(), close: () => handle.close() };
  },
  // Loaded when they are called: Node takes milliseconds for them.
  rename: (from, to) => rename(from, to),
  link: (from, to) => link(from, to),
  remove: (path) => rm(path, { force: true }),
  syncFolder,
  // The disk may belong to another machine with another clock: a file written now shows its time. Anybody can set the time
  // of the content, and copies keep it; the time of the last change of the file itself only the disk sets.
  ageOf: async (path) => {
    const probe = join(dirname(path), `0.${randomUUID()}.tmp`);
    const handle = await open(probe, 'wx', 0o600);
    try {
      const now = await handle.stat();
      return now.ctimeMs - (await stat(path)).ctimeMs;
    } finally {
      await handle.close();
      await rm(probe, { force: true });
    }
  },
};

function notPrivate(): Error {
  return Object.assign(new Error('not private'), { code: 'ENOTPRIVATE' });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Writes a draft completely, and lets `name` give it the name of the file; the draft is removed however that ends. */
export async function throughDraft(
  disk: Disk,
  { draft, text }: { readonly draft: string; readonly text: string },
  name: () => Promise<void>,
): Promise<void> {
  try {
    const file = await disk.create(draft);
    try {
      await file.append(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await name();
  } finally {
    await disk.remove(draft).catch(() => undefined);
  }
}

/** The next step after a failure of the disk of a state, as a sentence: the state can also be elsewhere. */
export function remedyForState(error: unknown): string {
  const remedy = remedyForDisk(error) ?? 'It needs a folder that can be read and written.';
  return systemCode(error) === 'EROFS' ? `${remedy} Or keep the state elsewhere: docs/state.md.` : remedy;
}
