import { join } from 'node:path';
import { once } from '../api/once.ts';
import type { DeclaredBeside } from '../manifest/beside.ts';
import { type MapNode, readTree } from '../manifest/tree.ts';
import type { ProjectFolder } from './folder.ts';
import { rootFiles, textOf, yamlFiles } from './root-files.ts';

/** Finds what a manifest lacks in files that other root files of its folder include, and templates also in the folder. Never throws. */
export function declaredBeside({ folder, file }: Pick<ProjectFolder, 'folder' | 'file'>): DeclaredBeside {
  const treeIn = (path: string): MapNode | undefined => {
    const tree = readTree(path, textOf(join(folder, path)), []);
    return tree?.is === 'map' ? tree : undefined;
  };
  const shared = once(() => {
    const others = rootFiles(folder).filter((root) => root.file !== file);
    return others.flatMap((root) => includedBy(treeIn(root.file)).map((path) => ({ path, by: root.file })));
  });
  return (key, name) => {
    const has = (path: string): boolean => {
      const node = treeIn(path)?.entries.get(key)?.node;
      return name === undefined ? node !== undefined : node?.is === 'map' && node.entries.has(name);
    };
    const write = (path: string): string =>
      treeIn(file)?.entries.has('include') === true
        ? `Add ${path} to include: in ${file}.`
        : `Write include: [${path}] in ${file}.`;
    const found = shared().find(({ path }) => has(path));
    if (found !== undefined) return `${write(found.path)} ${found.by} includes it, and it has ${name ?? key}.`;
    const path = key === 'templates' ? yamlFiles(folder).find((one) => one !== file && has(one)) : undefined;
    return path && `${write(path)} It declares ${name}.`;
  };
}

/** The files that a root file includes by their names. */
function includedBy(tree: MapNode | undefined): readonly string[] {
  const list = tree?.entries.get('include')?.node;
  return (list?.is === 'list' ? list.items : []).flatMap((item) => {
    const path = item.is === 'scalar' ? String(item.value) : '*';
    return /\*|^\/|\.\./.test(path) ? [] : [path];
  });
}
