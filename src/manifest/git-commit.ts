import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { indexEntries, isContentOf, treeOfIndex } from './git-index.ts';
import { treeOfCommit } from './git-object.ts';
import { readRegularFile } from './regular-file.ts';

/** The commit of a work tree, and how files of it compare with the index of git. */
export interface Commit {
  /** The digest of the commit, in hexadecimal. */
  readonly id: string;
  /** Number of files that the index does not have with the same content; undefined: the index has an unknown form. */
  readonly differing: number | undefined;
  /** The files are proved to be as the commit has them: they are as the index has them, and that is the tree of the commit. */
  readonly isClean?: true;
}

/**
 * Reads the commit that is checked out around a folder, and compares files with the index. Runs no program and reads no
 * settings of the repository: it may be somebody else's. Undefined: there is no repository, or none with a known form.
 * Never throws.
 * @param folder a path that exists
 * @param files real paths
 */
export async function readCommit(folder: string, files: readonly string[]): Promise<Commit | undefined> {
  try {
    const git = await gitFolder(await realpath(folder));
    const id = git === undefined ? undefined : await resolveHead(git);
    if (git === undefined || id === undefined) return undefined;
    const differing = await countDiffering(files);
    const isClean = differing === 0 && (await isCommitted(git, id));
    return { id, differing, ...(isClean ? { isClean } : {}) };
  } catch {
    return undefined;
  }
}

/** Whether the index is the tree of a commit. */
async function isCommitted(git: string, id: string): Promise<boolean> {
  const tree = await treeOfIndex(git);
  return tree !== undefined && tree === (await treeOfCommit(await commonFolder(git), id));
}

async function countDiffering(files: readonly string[]): Promise<number | undefined> {
  const entries = await indexEntries(files);
  const all = await Promise.all(
    [...entries].map(async ([file, entry]) => {
      if (entry.is === 'unreadable') return undefined;
      const bytes = entry.is === 'tracked' ? await readRegularFile(file, largestFile) : undefined;
      return entry.is === 'tracked' && bytes !== undefined && isContentOf(bytes, entry.digest) ? 0 : 1;
    }),
  );
  let count = 0;
  for (const one of all) {
    if (one === undefined) return undefined;
    count += one;
  }
  return count;
}

/** No file of a manifest is larger. Bytes. */
const largestFile = 64 * 1024 * 1024;

/** The folder that `.git` is or names, of the nearest folder that has one. */
async function gitFolder(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git');
  const found = await stat(git).catch(() => undefined);
  if (found === undefined) return dirname(folder) === folder ? undefined : gitFolder(dirname(folder));
  if (found.isDirectory()) return git;
  // In a submodule and in a second work tree it is a file that says where the folder is.
  const elsewhere = /^gitdir: (.+)$/m.exec((await readSmall(git)) ?? '')?.[1];
  return elsewhere === undefined ? undefined : resolve(folder, elsewhere);
}

/** The folder with branches and objects: a second work tree has those of the first one. */
async function commonFolder(git: string): Promise<string> {
  const common = await readSmall(join(git, 'commondir'));
  return common === undefined ? git : resolve(git, common.trim());
}

/** A second work tree has a HEAD of its own, and the branches of the first one. */
async function resolveHead(git: string): Promise<string | undefined> {
  const branches = await commonFolder(git);
  let text = await readSmall(join(git, 'HEAD'));
  for (let left = mostLinks; left > 0 && text !== undefined; left--) {
    const [, digest, branch] = /^(?:([0-9a-f]{40}|[0-9a-f]{64})|ref: (refs\/[^\s]+))\s*$/.exec(text) ?? [];
    if (digest !== undefined) return digest;
    if (branch === undefined || branch.split('/').includes('..')) return undefined;
    text = (await readSmall(join(branches, branch))) ?? (await packedDigest(branches, branch));
  }
  return undefined;
}

/** Most references from a reference to another one; git follows as many. */
const mostLinks = 5;

async function packedDigest(git: string, branch: string): Promise<string | undefined> {
  const text = (await readSmall(join(git, 'packed-refs'), 64 * 1024 * 1024)) ?? '';
  const line = text.split('\n').find((one) => one.endsWith(` ${branch}`));
  return line?.slice(0, -branch.length - 1);
}

/** Reads a file as text; undefined: it cannot be read, is no file, or has more bytes. */
async function readSmall(path: string, mostBytes = 4096): Promise<string | undefined> {
  return (await readRegularFile(path, mostBytes).catch(() => undefined))?.toString('utf8');
}
