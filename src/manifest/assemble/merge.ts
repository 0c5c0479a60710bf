import { type Report } from '../report-at.ts';
import { type Entry, type MapNode, type Node, isEmpty, position } from '../tree.ts';

export type Entries = MapNode['entries'];

/**
 * What stands below, with what stands over it: maps merge by key, everything else replaces, and `!reset` takes out. Problems
 * are reported. Pure.
 */
export function mergeEntries(below: Entries, above: Entries, report: Report): Entries {
  const merged = new Map(below);
  for (const [key, over] of above) {
    const entry = mergeEntry(key, below.get(key), over, report);
    if (entry === undefined) merged.delete(key);
    else merged.set(key, entry);
  }
  return merged;
}

/** One key of both; undefined: it is taken out. */
export function mergeEntry(key: string, below: Entry | undefined, over: Entry, report: Report): Entry | undefined {
  const { keyAt, node } = over;
  if (node.isReset === true) {
    if (below === undefined) reportNothing(key, over, report);
    else if (key === 'private') {
      const remedy = 'Remove the line. To show a value in plans, take its name out of the list that calls it private.';
      report('inconsistent', 'private only grows: no plan may show more than before', keyAt, remedy);
      return below;
    }
    return isEmpty(node) ? undefined : mergeEntry(key, undefined, { keyAt, node: withoutReset(node) }, report);
  }
  const under = below === undefined || isEmpty(below.node) ? undefined : below.node;
  if (node.is === 'map') {
    if (under !== undefined && under.is !== 'map') return mixed(key, { node: under, over }, report);
    const base = under === undefined || isOfOtherType(under, node) ? new Map<string, Entry>() : under.entries;
    return {
      keyAt: below?.keyAt ?? keyAt,
      node: { is: 'map', entries: mergeEntries(base, node.entries, report), at: node.at },
    };
  }
  if (under?.is === 'map' && !isEmpty(node)) return mixed(key, { node: under, over }, report);
  if (key === 'private' && under?.is === 'list' && node.is === 'list')
    return { keyAt, node: { ...node, items: [...under.items, ...node.items] } };
  return over;
}

/** A value without its tag. */
export function withoutReset(node: Node): Node {
  const { isReset: _, ...rest } = node;
  return rest;
}

/** Reports a `!reset` that takes out nothing. */
function reportNothing(key: string, { keyAt }: Entry, report: Report): void {
  report('bad-reference', `!reset takes out ${key}, and nothing stands below it`, keyAt, 'Remove the line.');
}

/** Whether two maps choose other cases: then the keys of one mean nothing in the other. */
function isOfOtherType(a: MapNode, b: MapNode): boolean {
  const typeOf = ({ entries }: MapNode) => {
    const type = entries.get('type')?.node;
    return type?.is === 'scalar' && type.isReset !== true ? type.value : undefined;
  };
  const [before, after] = [typeOf(a), typeOf(b)];
  return before !== undefined && after !== undefined && before !== after;
}

function mixed(key: string, { node, over }: { readonly node: Node; readonly over: Entry }, report: Report): Entry {
  const { file, line, column } = position(node.at);
  const message = `${key} is ${nouns[over.node.is]} here and ${nouns[node.is]} in ${file}:${line}:${column}, and the two do not merge`;
  report('inconsistent', message, over.keyAt, `Write ${key}: !reset and the value, or write both in one form.`);
  return over;
}

const nouns = { map: 'a map', list: 'a list', scalar: 'a text' } as const;

/** Reports each `!reset` that is left in a tree: it stands where nothing can stand below it. */
export function refuseResets(node: Node, report: Report): void {
  if (node.isReset === true)
    report('wrong-type', '!reset stands under changes: and beside use: only', node.at, 'Remove the tag, or the line.');
  if (node.is === 'list') for (const item of node.items) refuseResets(item, report);
  else if (node.is === 'map') for (const entry of node.entries.values()) refuseResets(entry.node, report);
}
