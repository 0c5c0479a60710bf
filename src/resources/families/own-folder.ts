/** Folders of the system, in which a number may be that of a process. */
const ofSystem = /^\/+(?:dev|proc|run|sys|var\/run)(?:\/|$)/;

/** Whether a path of the host that has the id of a preview leads to a folder of others all the same. */
export function leadsAway(path: string): boolean {
  return path.split('/').includes('..') || ofSystem.test(resolvedPath(path));
}

/**
 * Whether a path of the host lies in a folder that has the id of a preview: what a container wrote there may be a link, which
 * Docker follows on the host.
 */
export function isBelowOwn(path: string, isOwn: (text: string) => boolean): boolean {
  return resolvedPath(path).split('/').slice(0, -1).some(isOwn);
}

/** A path without `.`, empty parts and each `..` that a part before it undoes. */
export function resolvedPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    const before = parts.at(-1);
    if (part === '..' && before !== undefined && before !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}
