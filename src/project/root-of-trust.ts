import { lstat, realpath } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { isBelowFolder } from '../manifest/below.ts';
import { readRepositories, repositoryAround } from '../manifest/git-repository.ts';
import type { Environment } from './folder.ts';

/**
 * Refuses a folder to which a link leads out of the repository that holds the link: its author would choose what the
 * pipeline reads, plans and shows, such as another repository on the same runner.
 *
 * @param folder the absolute path, as it is written
 * @throws {Stop} `refused`
 */
export async function refuseLinkOut(folder: string, why: string, env: Environment): Promise<void> {
  const path = await asWritten(folder, env);
  const repositoryAt = readRepositories();
  const { root } = parse(path);
  let here = root;
  for (const name of path.slice(root.length).split(sep).filter(Boolean)) {
    const next = join(here, name);
    const isLink = (await lstat(next)).isSymbolicLink();
    const real = isLink ? await realpath(next) : next;
    const repository = isLink ? await repositoryAround(here, repositoryAt) : undefined;
    if (repository !== undefined && real !== repository.root && !isBelowFolder(repository.root, real)) {
      const message = `the link ${next} leads out of its repository to ${real}, and is not followed, because ${why}`;
      const remedy = 'Name the folder of the manifest itself. If you did not make the link, find out who did.';
      throw new Stop('refused', [diagnostic('unpinned', message, { remedy })]);
    }
    here = real;
  }
}

/** A path with the links that the shell went through to the current folder: the system itself knows only where they led. */
async function asWritten(path: string, { PWD = '' }: Environment): Promise<string> {
  const real = PWD === '' ? undefined : await realpath(PWD).catch(() => undefined);
  const isHere = real !== undefined && (path === real || isBelowFolder(real, path));
  return isHere ? join(PWD, path.slice(real.length)) : path;
}
