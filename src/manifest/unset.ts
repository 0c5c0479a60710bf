import { type Entry, type MapNode, type Node, type Place, entriesOf } from './tree.ts';

/** The key of a block that names the fields which have no value. */
export const unsetKey = 'unset';

/**
 * The entries of a block with `null` at each path that its `unset` names, such as `memoryLimit` or `source.watchPaths`. Pure.
 * An `unset` that is no list of texts stays, for its schema to refuse. `onTwice` gets each path that has a value beside it.
 */
export function withUnset(entries: MapNode['entries'], onTwice: (path: string, at: Place) => void): MapNode['entries'] {
  const list = entries.get(unsetKey)?.node;
  if (list?.is !== 'list' || !list.items.every(isText)) return entries;
  const all = new Map(entries);
  all.delete(unsetKey);
  const places = new Map(list.items.map(({ value, at }) => [value, at] as const));
  for (const [path, at] of places) if (!put(all, path.split('.'), at)) onTwice(path, at);
  return all;
}

function isText(node: Node): node is Extract<Node, { is: 'scalar' }> & { readonly value: string } {
  return node.is === 'scalar' && typeof node.value === 'string';
}

/** Puts `null` at a path. Returns false where it has a value. */
function put(entries: Map<string, Entry>, [key = '', ...rest]: readonly string[], at: Place): boolean {
  const found = entries.get(key);
  if (rest.length === 0) {
    if (found === undefined) entries.set(key, { keyAt: at, node: { is: 'scalar', value: null, source: 'null', at } });
    return found === undefined;
  }
  if (found !== undefined && found.node.is !== 'map') return false;
  const inner = new Map(entriesOf(found?.node));
  const isPut = put(inner, rest, at);
  entries.set(key, { keyAt: found?.keyAt ?? at, node: { is: 'map', entries: inner, at: found?.node.at ?? at } });
  return isPut;
}
