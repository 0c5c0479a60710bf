import type { Node } from '../manifest/tree.ts';

/** Returns true for trees with the same values, wherever they stand, and the same order of keys unless `anyOrder`. */
export function sameTree(
  a: Node | undefined,
  b: Node | undefined,
  { anyOrder = false }: { readonly anyOrder?: boolean } = {},
): boolean {
  if (a === undefined || b === undefined) return a === b;
  if ((a.isReset ?? false) !== (b.isReset ?? false)) return false;
  if (a.is === 'scalar') return b.is === 'scalar' && Object.is(a.value, b.value) && a.source === b.source;
  const isSame = (one: Node, other: Node | undefined) => sameTree(one, other, { anyOrder });
  if (a.is === 'list') {
    return (
      b.is === 'list' && a.items.length === b.items.length && a.items.every((item, at) => isSame(item, b.items[at]))
    );
  }
  if (b.is !== 'map' || a.entries.size !== b.entries.size) return false;
  const others = [...b.entries];
  return [...a.entries].every(([key, { node }], at) =>
    anyOrder ? isSame(node, b.entries.get(key)?.node) : key === others[at]?.[0] && isSame(node, others[at]?.[1].node),
  );
}
