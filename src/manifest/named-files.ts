import { parseExpressions } from './expression.ts';
import type { MapNode, Node, Place } from './tree.ts';
import type { FileText, Workspace } from './workspace.ts';

/** Most bytes of a file that `${file:…}` brings in: a request may carry no more. */
const contentLimit = 1_000_000;

/** Gives the text of a file by its path as written in an expression, and the place of that expression. */
export type NamedFiles = (path: string, from: Place) => FileText;

/** Reads the files that the expressions of a tree name, each once and side by side. */
export async function readNamedFiles(tree: MapNode, workspace: Workspace): Promise<NamedFiles> {
  const paths = new Set<string>();
  collect(tree, (path, at) => paths.add(workspace.beside(at.file, path)));
  const files = await workspace.readAll(paths, contentLimit);
  return (path, from) => {
    const file = files.get(workspace.beside(from.file, path));
    if (file === undefined) throw new Error(`the file ${path} is not among those that were read`);
    return 'text' in file && file.text.includes('\0')
      ? { problem: `${path} is not text: it holds the character NUL` }
      : file;
  };
}

function collect(node: Node, found: (path: string, at: Place) => void): void {
  switch (node.is) {
    case 'scalar':
      if (typeof node.value !== 'string' || !node.value.includes('${file:')) return;
      for (const part of parseExpressions(node.value).parts) {
        if (typeof part === 'object' && part.source === 'file') found(part.name, node.at);
      }
      return;
    case 'list':
      for (const item of node.items) collect(item, found);
      return;
    case 'map':
      for (const entry of node.entries.values()) collect(entry.node, found);
      return;
    default:
      node satisfies never;
  }
}
