import type { Node } from '../manifest/tree.ts';

/** Returns true for trees with the same values and the same order of keys, wherever they stand. */
export function sameTree(a: Node | undefined, b: Node | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.is === 'scalar') return b.is === 'scalar' && Object.is(a.value, b.value) && a.source === b.source;
  if (a.is === 'list') {
    return (
      b.is === 'list' && a.items.length === b.items.length && a.items.every((item, at) => sameTree(item, b.items[at]))
    );
  }
  if (b.is !== 'map' || a.entries.size !== b.entries.size) return false;
  const others = [...b.entries];
  return [...a.entries].every(([key, { node }], at) => key === others[at]?.[0] && sameTree(node, others[at]?.[1].node));
}
