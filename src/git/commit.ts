import { join, resolve } from 'node:path';
import { realpath } from '../files/read.ts';
import { indexEntries, isContentOf } from './tracked.ts';
import { treeOfCommit } from './object.ts';
import { type RepositoryAt, readRepositories, readText, repositoryAround } from './repository.ts';
import { readRegularFile } from '../files/regular-file.ts';

/** The commit of a work tree, and how files of it compare with the index of git. */
export interface Commit {
  /** The digest of the commit, in hexadecimal. */
  readonly id: string;
  /** Number of files that the index does not have with the same content; undefined: the index has an unknown form. */
  readonly differing: number | undefined;
  /** The files are proved to be as the commit has them: they are as the index has them, and that is the tree of the commit. */
  readonly isClean?: true | undefined;
}

/**
 * Reads the commit that is checked out around a folder, and compares files with the index. Runs no program and reads no
 * settings of the repository: it may be another person's. Undefined: there is no repository, or none with a known form.
 * Never throws.
 * @param folder a path that exists
 * @param files real paths
 */
export async function readCommit(folder: string, files: readonly string[]): Promise<Commit | undefined> {
  try {
    const repositoryAt = readRepositories();
    const { git, index, head } = (await repositoryAround(await realpath(folder), repositoryAt)) ?? {};
    if (git === undefined || head === undefined) return undefined;
    const common = await commonFolder(git);
    const id = await resolveHead(head, common);
    if (id === undefined) return undefined;
    const differing = await countDiffering(files, repositoryAt);
    const isCommitted = async () => index?.tree !== undefined && index.tree === (await treeOfCommit(common, id));
    return { id, differing, isClean: differing === 0 && (await isCommitted()) ? true : undefined };
  } catch {
    return undefined;
  }
}

async function countDiffering(files: readonly string[], repositoryAt: RepositoryAt): Promise<number | undefined> {
  const entries = await indexEntries(files, { repositoryAt });
  const all = await Promise.all(
    [...entries].map(async ([file, entry]) => {
      if (entry.is === 'unreadable') return undefined;
      const bytes = entry.is === 'tracked' ? await readRegularFile(file, maxFileBytes) : undefined;
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
const maxFileBytes = 64 * 1024 * 1024;

/** The folder with branches and objects: a second work tree has those of the first one. */
export async function commonFolder(git: string): Promise<string> {
  const common = await readText(join(git, 'commondir'));
  return common === undefined ? git : resolve(git, common.trim());
}

/** The digest of the commit that a HEAD names; `branches`: the folder with its branches. */
export async function resolveHead(head: string, branches: string): Promise<string | undefined> {
  let text: string | undefined = head;
  for (let left = maxLinks; left > 0 && text !== undefined; left--) {
    const [, digest, branch]: readonly (string | undefined)[] =
      /^(?:([0-9a-f]{40}|[0-9a-f]{64})|ref: (refs\/[^\s]+))\s*$/.exec(text) ?? [];
    if (digest !== undefined) return digest;
    if (branch === undefined || branch.split('/').includes('..')) return undefined;
    text = (await readText(join(branches, branch))) ?? (await packedDigest(branches, branch));
  }
  return undefined;
}

/** Most references from a reference to another one; git follows as many. */
const maxLinks = 5;

async function packedDigest(git: string, branch: string): Promise<string | undefined> {
  const text = (await readText(join(git, 'packed-refs'), 64 * 1024 * 1024)) ?? '';
  const line = text.split('\n').find((one) => one.endsWith(` ${branch}`));
  return line?.slice(0, -branch.length - 1);
}
