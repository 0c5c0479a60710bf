import { folderTree } from '../../compose/folder-tree.ts';
import type { Row } from '../../formats/json.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { filePath } from '../../kind/codecs.ts';
import { isReadByShell, signsOfShell } from '../../kind/value-forms.ts';
import { groupBy } from '../../kind/group.ts';
import type { Loss } from '../../kind/lifecycle.ts';
import { isOnServer } from './large-files.ts';
import { mountRows } from './mounted-volumes.ts';

/** Paths of which one lies below another: the platform deletes a path with all that is below it. */

/** Finds blocks above the path of another one below the same parent: one problem each. */
export function nestedPaths(
  all: readonly CheckedResource[],
  field: string,
  says: (outer: CheckedResource, inner: string) => string,
): readonly Problem[] {
  return [...groupBy(all.map((self) => [self.parent, self] as const)).values()].flatMap((siblings) => {
    const paths = siblings.map(({ values }) => normalPath(values[field]));
    const tree = folderTree(paths);
    const inside = new Map<CheckedResource, string>();
    for (const [index, path] of paths.entries())
      for (const above of path === undefined ? [] : tree.above(path)) {
        const outer = siblings[above];
        const inner = siblings[index]?.address;
        if (outer === undefined || inner === undefined || paths[above] === path || inside.has(outer)) continue;
        inside.set(outer, inner);
      }
    return [...inside].map(([outer, inner]): Problem => {
      const remedy = 'Give one of them another path.';
      return { code: 'inconsistent', address: outer.address, field, message: says(outer, inner), remedy };
    });
  });
}

/** Finds a file that another file of the same service needs as a folder. */
export function filesInFiles(all: readonly CheckedResource[]): readonly Problem[] {
  const files = all.filter(({ values }) => values['type'] === undefined || values['type'] === 'file');
  return nestedPaths(files, 'filePath', ({ values, shown }, inner) => {
    const path = shown(String(values['filePath']));
    return `${path} is a file, and the folder of ${inner}: the platform writes one of the two, and deletes both together`;
  });
}

/**
 * Finds a new file whose path a shell would read: on its own server the platform deletes it by a command without quotes. Source:
 * removeFileOrDirectory of v0.30.2. One that is there is better left as it is: another path would delete it.
 */
export function filesReadByShell(
  all: readonly CheckedResource[],
  at: (address: string) => CheckedResource | undefined,
): readonly Problem[] {
  return all.flatMap(({ address, parent, values: { filePath: path }, shown }): Problem[] => {
    if (isOnServer(at(parent ?? '')) || typeof path !== 'string' || !isReadByShell(path)) return [];
    const message = `the platform deletes ${shown(path)} by a command of a shell without quotes, which reads its blanks and signs`;
    const remedy = `Write a path without blanks, and without any of ${signsOfShell}.`;
    const about = { field: 'filePath', fails: true, when: { isNew: true } } as const;
    return [{ code: 'refused-setting', address, ...about, message, remedy }];
  });
}

/** The same in a preview, where whoever wrote it must not reach a shell of the platform: nothing in it allows that. */
export function pathIsReadByShell({ values: { filePath: path } }: CheckedResource) {
  if (typeof path !== 'string' || !isReadByShell(path)) return [];
  const message = 'filePath holds blanks or signs that a shell of the platform reads when it deletes the file';
  return [{ field: 'filePath', message, remedy: 'Write a path without them.' }];
}

/** The other files of a service that are deleted with one, because they lie below its path, or because a shell reads it. */
export function filesBelow({ type, filePath: own }: Row, service: Row): Loss | undefined {
  const folder = normalPath(own);
  if (type !== 'file' || folder === undefined) return undefined;
  // On another server the platform quotes it.
  if (typeof service['serverId'] !== 'string' && isReadByShell(folder)) {
    const rest = 'which the platform runs on its server without quotes around the path';
    return {
      of: 'data',
      what: `what a shell makes of rm -rf …/${folder}, ${rest}`,
      unnamed: `what rm -rf deletes, ${rest}`,
    };
  }
  const inside = mountRows(service).flatMap((one) => {
    const path = one['type'] === 'file' ? normalPath(one['filePath']) : undefined;
    return path?.startsWith(`${folder}/`) === true ? [path] : [];
  });
  if (inside.length === 0) return undefined;
  const rest = 'which the platform deletes together with this file';
  const unnamed = inside.length === 1 ? '1 other file' : `${inside.length} other files`;
  return { of: 'data', what: `${inside.join(', ')}, ${rest}`, unnamed: `${unnamed}, ${rest}` };
}

function normalPath(path: unknown): string | undefined {
  return typeof path === 'string' ? String(filePath.normal(path)) : undefined;
}
