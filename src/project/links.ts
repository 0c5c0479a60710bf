import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { isBelowFolder } from '../files/below.ts';
import { isLink } from '../files/regular-file.ts';

/**
 * Refuses a folder of Trueup that leads out of the workspace, and links in it: a repository can contain links, and Trueup
 * would write where they lead.
 *
 * @param root the folder of the manifest
 * @param folder a folder below it
 * @param names of files and folders in that folder, none of which may be a link
 * @throws {Stop} `state`
 */
export function refuseLinks(root: string, folder: string, names: readonly string[]): void {
  if (leavesWorkspace(root, folder)) {
    throw leadsElsewhere(folder, 'leads out of the folder of the manifest');
  }
  for (const path of names.map((name) => join(folder, name))) {
    if (isLink(path)) throw leadsElsewhere(path, 'is a link');
  }
}

/** Whether a path below a folder leads out of it by a link. A path that is not below it does not count. */
export function leavesWorkspace(root: string, path: string): boolean {
  const way = relative(root, path);
  if (way === '' || way === '..' || way.startsWith(`..${sep}`)) return false;
  let at = root;
  for (const part of way.split(sep)) {
    at = join(at, part);
    if (isLink(at) && !isBelow(realpathSync(root), at)) return true;
  }
  return false;
}

function isBelow(root: string, link: string): boolean {
  try {
    const real = realpathSync(link);
    return real === root || isBelowFolder(root, real);
  } catch {
    return false; // a link without a target may lead anywhere
  }
}

function leadsElsewhere(path: string, what: string): Stop {
  return stop('state', 'state-unusable', `${path} ${what}; nothing was read or written there`, {
    remedy: 'Remove the link. If you did not make it, find out who did. To keep the state elsewhere: docs/state.md.',
  });
}

/** The path of a file behind links; of one that is not there, its own. */
export function linkTarget(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
