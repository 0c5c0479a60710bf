import { positionText } from '../../diagnostics/diagnostic.ts';
import { shownKey } from '../problem.ts';
import type { Report } from '../report-at.ts';
import { type Entry, type MapNode, isEmpty, position } from '../tree.ts';

/**
 * Adds what another file has. Sections are merged, and of those that have sections below them the blocks and these; two
 * definitions of one block contradict. `depthOf`: how deep the map of a key counts as standing; from 3 on it is one value.
 */
export function joinMaps(into: MapNode, from: MapNode, depthOf: (key: string) => number, report: Report): MapNode {
  const entries = new Map<string, Entry>(into.entries);
  for (const [key, entry] of from.entries) {
    const present = entries.get(key);
    entries.set(key, present === undefined ? entry : joinEntries(key, present, entry, depthOf(key), report));
  }
  return { ...into, entries };
}

/** Joins what two places say about one key. */
export function joinEntries(key: string, present: Entry, added: Entry, depth: number, report: Report): Entry {
  const a = present.node;
  const b = added.node;
  if (a.is === 'map' && b.is === 'map' && depth < 3)
    return { keyAt: present.keyAt, node: joinMaps(a, b, () => depth + 1, report) };
  if (a.is === 'list' && b.is === 'list')
    return { keyAt: present.keyAt, node: { ...a, items: [...a.items, ...b.items] } };
  // A key with nothing below it is reported where it stands, when its block is read.
  if (depth < 2 && (isEmpty(a) || isEmpty(b))) return isEmpty(b) ? added : present;
  const message = `${shownKey(key, isEmpty(b))} is already defined in ${positionText(position(present.keyAt))}`;
  report('defined-twice', message, added.keyAt, 'Keep one of the two.');
  return present;
}
