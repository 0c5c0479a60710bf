import { join } from 'node:path';
import { once } from '../api/once.ts';
import type { DeclaredBeside } from '../manifest/beside.ts';
import { readTree } from '../manifest/read-tree.ts';
import { type Node, itemsOf, nodeAt } from '../manifest/tree.ts';
import type { RootPlace } from './folder.ts';
import { rootFiles, textOf, yamlFiles } from './root-files.ts';

/** Finds what a manifest lacks in files that other root files of its folder include, and templates also in the folder. Never throws. */
export function declaredBeside({ folder, file }: RootPlace): DeclaredBeside {
  const treeIn = (path: string) => readTree(path, textOf(join(folder, path)), []);
  const shared = once(() => {
    const others = rootFiles(folder).filter((root) => root.file !== file);
    return others.flatMap((root) => includedBy(treeIn(root.file)).map((path) => ({ path, by: root.file })));
  });
  return (key, name) => {
    const has = (path: string): boolean => {
      return nodeAt(treeIn(path), name === undefined ? [key] : [key, name]) !== undefined;
    };
    const write = (path: string): string =>
      nodeAt(treeIn(file), ['include']) !== undefined
        ? `Add ${path} to include: in ${file}.`
        : `Write include: [${path}] in ${file}.`;
    const found = shared().find(({ path }) => has(path));
    if (found !== undefined) return `${write(found.path)} ${found.by} includes it, and it has ${name ?? key}.`;
    const path = key === 'templates' ? yamlFiles(folder).find((one) => one !== file && has(one)) : undefined;
    return path && `${write(path)} It declares ${name}.`;
  };
}

/** The files that a root file includes by their names. */
function includedBy(tree: Node | undefined): readonly string[] {
  return itemsOf(nodeAt(tree, ['include'])).flatMap((item) => {
    const path = item.is === 'scalar' ? String(item.value) : '*';
    return /\*|^\/|\.\./.test(path) ? [] : [path];
  });
}
