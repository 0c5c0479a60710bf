import { parseExpressions } from './expression.ts';
import type { ExpressionSource, Values } from './sources/source.ts';
import type { Node, Place } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** Most bytes of a file that an expression names: a request may carry no more. */
const contentLimit = 1_000_000;

/** Reads the files that the expressions of trees name, each once and side by side. */
export async function readNamedFiles(
  trees: readonly Node[],
  sources: readonly ExpressionSource[],
  workspace: Workspace,
): Promise<Values['file']> {
  const paths = new Set<string>();
  for (const tree of trees) collect(tree, sources, (path, at) => paths.add(workspace.beside(at.file, path)));
  const files = await workspace.readAll(paths, contentLimit);
  return (path, from) => {
    const file = files.get(workspace.beside(from.file, path));
    if (file === undefined) throw new Error(`the file ${path} is not among those that were read`);
    return file;
  };
}

function collect(node: Node, sources: readonly ExpressionSource[], found: (path: string, at: Place) => void): void {
  switch (node.is) {
    case 'scalar':
      if (typeof node.value !== 'string') return;
      for (const part of parseExpressions(node.value, sources).parts) {
        if (typeof part === 'object') for (const path of part.source.files(part.argument)) found(path, node.at);
      }
      return;
    case 'list':
      for (const item of node.items) collect(item, sources, found);
      return;
    case 'map':
      for (const entry of node.entries.values()) collect(entry.node, sources, found);
      return;
    default:
      node satisfies never;
  }
}
