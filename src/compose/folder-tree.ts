/** Numbers at paths of files and folders, found in one walk along a path. A path has no slash at its ends; '' is the root. */
export interface FolderTree {
  /** Numbers have to come in order. */
  add(path: string, number: number): void;
  /** The numbers at a path and at the folders above it, each once and in order. */
  above(path: string): readonly number[];
  /** Whether a number is at a path or below it. */
  reaches(path: string): boolean;
}

interface Folder {
  readonly numbers: number[];
  readonly below: Map<string, Folder>;
}

/** Makes a tree with the places of some paths in their list; of one that is undefined it has none. Never throws. */
export function folderTree(paths: readonly (string | undefined)[] = []): FolderTree {
  const root: Folder = { numbers: [], below: new Map() };
  const tree: FolderTree = {
    add(path, number) {
      let folder = root;
      for (const name of namesIn(path)) {
        const next = folder.below.get(name) ?? { numbers: [], below: new Map() };
        folder.below.set(name, next);
        folder = next;
      }
      if (folder.numbers.at(-1) !== number) folder.numbers.push(number);
    },
    above(path) {
      const lists = walk(root, path).flatMap(({ numbers }) => (numbers.length === 0 ? [] : [numbers]));
      const [first = []] = lists;
      return lists.length < 2 ? first : [...new Set(lists.flat())].toSorted((a, b) => a - b);
    },
    reaches(path) {
      const last = walk(root, path)[namesIn(path).length];
      return last !== undefined && (last.numbers.length > 0 || last.below.size > 0);
    },
  };
  for (const [index, path] of paths.entries()) if (path !== undefined) tree.add(path, index);
  return tree;
}

/** The folders along a path that are in the tree, from the root down. */
function walk(root: Folder, path: string): readonly Folder[] {
  const folders = [root];
  for (const name of namesIn(path)) {
    const next = folders.at(-1)?.below.get(name);
    if (next === undefined) break;
    folders.push(next);
  }
  return folders;
}

function namesIn(path: string): readonly string[] {
  return path === '' ? [] : path.split('/');
}
