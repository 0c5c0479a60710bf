import { dirname, join, resolve } from 'node:path';
import { type Index, parseIndex } from './index-format.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { stat } from '../files/read.ts';

/** The repository of a work tree. */
export interface Repository {
  /** The folder at which its work tree begins. */
  readonly root: string;
  /** The folder with its HEAD and its index; undefined: `.git` cannot be read. */
  readonly git?: string;
  /** Undefined: it cannot be read, or has an unknown form. */
  readonly index: Index | undefined;
  /** The text of HEAD, without its line end: the digest of a commit, or the name of a branch. */
  readonly head: string;
}

/** Gives the repository whose work tree begins at a folder; undefined when none begins there. Never throws. */
export type RepositoryAt = (folder: string) => Promise<Repository | undefined>;

/** Gives the repository of the nearest folder that has one, of a folder and those around it. */
export async function repositoryAround(folder: string, repositoryAt: RepositoryAt): Promise<Repository | undefined> {
  const found = await repositoryAt(folder);
  return found !== undefined || dirname(folder) === folder ? found : repositoryAround(dirname(folder), repositoryAt);
}

/** Reads repositories, each once. */
export function readRepositories(): RepositoryAt {
  const known = new Map<string, Promise<Repository | undefined>>();
  return (folder) => {
    const read = known.get(folder) ?? readRepository(folder);
    known.set(folder, read);
    return read;
  };
}

async function readRepository(folder: string): Promise<Repository | undefined> {
  const unreadable = { root: folder, index: undefined, head: '' };
  try {
    const git = join(folder, '.git');
    // In a submodule and in a second work tree it is a file that says where the folder is.
    const elsewhere = (await stat(git)).isDirectory() ? git : /^gitdir: (.+)$/m.exec((await readText(git)) ?? '')?.[1];
    if (elsewhere === undefined) return unreadable;
    const at = resolve(folder, elsewhere);
    const head = (await readText(join(at, 'HEAD'))) ?? '';
    return { root: folder, git: at, index: await readIndex(join(at, 'index')), head: head.trimEnd() };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unreadable;
  }
}

/** Empty when there is none, as in a repository to which nothing was added. */
async function readIndex(path: string): Promise<Index | undefined> {
  try {
    const index = await readRegularFile(path, maxIndexBytes);
    return index === undefined ? undefined : parseIndex(index);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? { entries: new Map(), tree: undefined } : undefined;
  }
}

/** An index with some millions of files. Bytes. */
const maxIndexBytes = 512 * 1024 * 1024;

/** Reads a file of a repository as text; undefined: it cannot be read, is no file, or has more bytes. */
export async function readText(path: string, maxBytes = 64 * 1024): Promise<string | undefined> {
  return (await readRegularFile(path, maxBytes).catch(() => undefined))?.toString('utf8');
}
