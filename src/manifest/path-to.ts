import type { Node, Place } from './tree.ts';

/**
 * The keys to the value, or to the key, that stands at a place of a file; undefined: it is none of a map, or an alias alone
 * leads there.
 */
export function pathTo(tree: Node | undefined, { offset }: Pick<Place, 'offset'>): readonly string[] | undefined {
  if (tree?.is !== 'map') return undefined;
  for (const [key, { keyAt, node }] of tree.entries) {
    const { offset: from, end = Infinity } = node.at;
    if (keyAt.offset === offset) return [key];
    // What comes from an alias or a merge key stands elsewhere.
    if (from > offset || end < offset || from < tree.at.offset) continue;
    if (from === offset) return [key];
    const below = pathTo(node, { offset });
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}
