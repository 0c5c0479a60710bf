/** Groups values by their keys; keys and values keep their order. */
export function groupBy<K, V>(pairs: Iterable<readonly [key: K, value: V]>): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const pair of pairs) append(groups, pair[0], pair[1]); // of millions: taken apart, each pair makes an iterator
  return groups;
}

/** Adds a value to the group of a key. */
export function append<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}
