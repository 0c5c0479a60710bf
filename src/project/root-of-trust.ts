import { realpathSync } from 'node:fs';
import { join, parse, sep } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { isBelowFolder } from '../files/below.ts';
import { indexEntries } from '../git/tracked.ts';
import { type Repository, type RepositoryAt, readRepositories, repositoryAround } from '../git/repository.ts';
import type { Environment, ProjectFolder } from './folder.ts';
import { whyPinned } from './pins.ts';

/**
 * Refuses in a pinned run a folder to which a link leads out of the repository that holds the link, also into another one
 * inside of it that is no submodule: the author of the link would choose what the pipeline reads, plans and shows, such as
 * another repository on the same runner.
 *
 * @throws {Stop} `refused`; `usage`, when there is a link in a repository, and TRUEUP_PINNED is neither true nor false
 */
export async function refuseLinkOut(options: ProjectFolder): Promise<void> {
  const path = asWritten(options.folder, options.env);
  const repositoryAt = readRepositories();
  const { root } = parse(path);
  let here = root;
  for (const name of path.slice(root.length).split(sep).filter(Boolean)) {
    const next = join(here, name);
    const real = realPath(next);
    // The command itself reports a folder that does not exist.
    if (real === undefined) return;
    const isLink = real !== next; // what stands before it is real
    const repository = isLink ? await repositoryAround(here, repositoryAt) : undefined;
    const why = repository && whyPinned(options);
    if (repository !== undefined && why !== undefined && !(await isOf(repository, real, repositoryAt))) {
      const message = `the link ${next} leads out of its repository to ${real}, and is not followed, because ${why}`;
      const remedy = 'Name the folder of the manifest itself. If you did not make the link, find out who did.';
      throw stop('refused', 'unpinned', message, { remedy });
    }
    here = real;
  }
}

/** Whether a real folder is of the work tree of a repository, or of a submodule at the commit that the repository names. */
async function isOf(repository: Repository, folder: string, repositoryAt: RepositoryAt): Promise<boolean> {
  const { root } = repository;
  const nearest = await repositoryAround(folder, repositoryAt);
  if (nearest === undefined || nearest.root === root) return nearest !== undefined;
  if (!isBelowFolder(root, nearest.root)) return false;
  const entry = (await indexEntries([nearest.root], { root, repositoryAt })).get(nearest.root);
  return entry?.is === 'tracked' && entry.digest.toString('hex') === nearest.head;
}

/** A path with the links that the shell went through to the current folder: the system itself knows only where they led. */
function asWritten(path: string, { PWD = '' }: Environment): string {
  const real = PWD === '' ? undefined : realPath(PWD);
  const isHere = real !== undefined && (path === real || isBelowFolder(real, path));
  return isHere ? join(PWD, path.slice(real.length)) : path;
}

/** Where a path leads; undefined where it leads nowhere. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
