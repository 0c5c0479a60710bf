import { createHash } from 'node:crypto';
import { realpath } from '../files/read.ts';
import { dirname, relative, sep } from 'node:path';
import { isBelowFolder } from '../files/below.ts';
import { type Repository, type RepositoryAt, readRepositories, repositoryAround } from './repository.ts';

/** The answer of the index of git about a file: `digest` is that of the content that it tracks. */
export type IndexEntry =
  | { readonly is: 'tracked'; readonly digest: Buffer }
  | { readonly is: 'untracked' }
  | { readonly is: 'unreadable' };

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
 * repository may be another person's.
 * @param options.root a real path: a repository that begins below it counts only as a submodule of the one around it
 */
export async function indexEntries(
  files: readonly string[],
  { root, repositoryAt = readRepositories() }: { readonly root?: string; readonly repositoryAt?: RepositoryAt } = {},
): Promise<ReadonlyMap<string, IndexEntry>> {
  const entryOf = async (real: string): Promise<IndexEntry> => {
    const found = await repositoryAround(dirname(real), repositoryAt);
    if (found === undefined) return { is: 'untracked' };
    const entry = entryIn(found, relative(found.root, real));
    const isInner = root !== undefined && isBelowFolder(root, found.root);
    if (entry.is !== 'tracked' || !isInner) return entry;
    const around = await entryOf(found.root);
    return around.is === 'tracked' && found.head === around.digest.toString('hex') ? entry : around;
  };
  return new Map(await Promise.all(files.map(async (file) => [file, await entryOf(await realpath(file))] as const)));
}

function entryIn({ index }: Repository, path: string): IndexEntry {
  if (index === undefined) return { is: 'unreadable' };
  const digest = index.entries.get(asBytes(path.split(sep).join('/')));
  return digest === undefined ? { is: 'untracked' } : { is: 'tracked', digest };
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
  const found = await repositoryAround(real, readRepositories());
  if (found?.index === undefined) return undefined;
  const prefix = pathIn(found, real);
  const bytes = asBytes(prefix);
  const below = [...found.index.entries].filter(([name]) => name.startsWith(bytes));
  const digests = new Map(below.map(([name, digest]) => [name.slice(bytes.length), digest.toString('hex')]));
  return { prefix, digests };
}

/**
 * Whether git tracks a file in a folder or below it; also when the index of the repository does not tell.
 * @param folder a real path
 */
export async function tracksBelow(folder: string, repositoryAt: RepositoryAt): Promise<boolean> {
  const found = await repositoryAround(folder, repositoryAt);
  if (found?.index === undefined) return found !== undefined;
  const bytes = asBytes(pathIn(found, folder));
  for (const name of found.index.entries.keys()) if (name.startsWith(bytes)) return true;
  return false;
}

/** The path of a folder in a work tree, with a slash at its end; empty at the root. */
function pathIn({ root }: Repository, folder: string): string {
  const path = relative(root, folder).split(sep).join('/');
  return path === '' ? '' : `${path}/`;
}

function asBytes(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}
