import { parseExpressions } from './expression.ts';
import type { Values } from './sources/source.ts';
import { type Node, eachNode, textOf } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** Most bytes of a file that an expression names: a request may carry no more. */
const contentLimit = 1_000_000;

/** Reads the files that the expressions of trees name, each once and side by side. */
export async function readNamedFiles(trees: readonly Node[], workspace: Workspace): Promise<Values['file']> {
  const paths = new Set<string>();
  for (const tree of trees)
    eachNode(tree, (node) => {
      for (const part of parseExpressions(textOf(node) ?? '').parts)
        for (const path of typeof part === 'object' ? part.source.files(part.argument) : [])
          paths.add(workspace.beside(node.at.file, path));
    });
  const files = await workspace.readAll(paths, contentLimit);
  return (path, from) => {
    const file = files.get(workspace.beside(from.file, path));
    if (file === undefined) throw new Error(`the file ${path} is not among those that were read`);
    return file;
  };
}
