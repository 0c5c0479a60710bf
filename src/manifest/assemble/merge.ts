import { didYouMean } from '../../diagnostics/closest.ts';
import { positionText } from '../../diagnostics/diagnostic.ts';
import type { Kind } from '../../kind/kind.ts';
import { type Report } from '../report-at.ts';
import { type Entry, type MapNode, type Node, type Place, eachNode, isEmpty, position } from '../tree.ts';

/** What merging needs to know of the kinds. */
export interface Merging {
  /** The sections of all kinds. */
  readonly sections: ReadonlySet<string>;
  /** The keys of blocks whose maps choose a case by `type`, such as `source`. */
  readonly typed: ReadonlySet<string>;
  readonly report: Report;
}

/** What a map is: a block, a section of blocks, or the value of a field. */
type Level = 'block' | 'section' | 'value';

export function mergingOf(kinds: readonly Kind[], report: Report): Merging {
  const typed = kinds.flatMap(({ unions = [] }) => unions.flatMap(({ at }) => at ?? []));
  return { sections: new Set(kinds.map(({ section }) => section)), typed: new Set(typed), report };
}

/**
 * What stands below, with what stands over it: maps merge by key, everything else replaces, and `!reset` takes out. Problems
 * are reported. Pure.
 */
export function mergeMaps(
  below: MapNode | undefined,
  above: Pick<MapNode, 'entries' | 'at'>,
  merging: Merging,
  level: Level = 'block',
): MapNode {
  const merged = growing(below);
  for (const [key, over] of above.entries) putOver(merged, key, over, merging, level);
  return { is: 'map', ...merged, at: above.at };
}

/** A map to put more keys over. */
interface Growing {
  readonly entries: Map<string, Entry>;
  /** The keys that a `!reset` took out, each with its place. */
  readonly resets: Map<string, Place>;
}

export function growing(below: Pick<MapNode, 'entries' | 'resets'> | undefined): Growing {
  return { entries: new Map(below?.entries), resets: new Map(below?.resets) };
}

/** Puts a key over those of a map, or takes it out. */
export function putOver(
  { entries, resets }: Growing,
  key: string,
  over: Entry,
  merging: Merging,
  level: Level = 'block',
): void {
  const isThere = entries.has(key);
  if (over.node.isReset === true && !isThere) reportNothing(key, over, [...entries.keys()], merging.report);
  const entry = mergeEntry(key, entries.get(key), over, merging, level);
  if (entry !== undefined) entries.set(key, entry);
  else if (entries.delete(key)) resets.set(key, over.keyAt);
}

/** One key of both; undefined: it is taken out. `level`: of the map that has it. */
export function mergeEntry(
  key: string,
  below: Entry | undefined,
  over: Entry,
  merging: Merging,
  level: Level = 'block',
): Entry | undefined {
  const { report } = merging;
  const { keyAt, node } = over;
  const isPrivate = key === 'private' && level === 'block';
  const inner = levelBelow(key, level, merging);
  if (node.isReset === true) {
    if (below !== undefined && isPrivate) {
      const remedy = 'Remove the line. To show a value in plans, take its name out of the list that calls it private.';
      report('inconsistent', 'private only grows: no plan may show more than before', keyAt, remedy);
      return below;
    }
    if (isEmpty(node)) return undefined;
    const kept = below && privateOf(below.node, node, inner);
    const value = { keyAt, node: standingOver(withoutReset(node), below) };
    return mergeEntry(key, kept && { keyAt, node: kept }, value, merging, level);
  }
  const under = below === undefined || isEmpty(below.node) ? undefined : below.node;
  if (node.is === 'map') {
    if (under !== undefined && under.is !== 'map') return mixed(key, { node: under, over }, report);
    const isTyped = inner === 'block' || (level === 'block' && merging.typed.has(key));
    const base = under && isTyped ? underCase(under, node, inner) : under;
    return {
      keyAt: below?.keyAt ?? keyAt,
      node: mergeMaps(base, node, merging, inner),
    };
  }
  if (under?.is === 'map' && !isEmpty(node)) return mixed(key, { node: under, over }, report);
  if (isPrivate && under?.is === 'list' && node.is === 'list')
    return { keyAt, node: { ...node, items: [...under.items, ...node.items] } };
  return { keyAt, node: standingOver(node, below) };
}

/** A value that is no map, which knows what stood below it. */
function standingOver(node: Node, below: Entry | undefined): Node {
  return below === undefined || node.is === 'map' ? node : { ...node, at: { ...node.at, over: below.node.at } };
}

function levelBelow(key: string, level: Level, { sections }: Merging): Level {
  if (level === 'section') return 'block';
  return level === 'block' && sections.has(key) ? 'section' : 'value';
}

/** What of a map stays below another: all, or where that one is of another type only what is private. */
export function underCase(under: MapNode, over: MapNode, level: Level = 'block'): MapNode {
  if (!isOfOtherType(under, over)) return under;
  return privateOf(under, over, level) ?? { ...under, entries: new Map() };
}

/** What stays of a value that another one takes the place of: what blocks call private. */
function privateOf(below: Node, over: Node, level: Level = 'block'): MapNode | undefined {
  if (below.is !== 'map' || over.is !== 'map' || level === 'value') return undefined;
  const entries = [...below.entries].flatMap(([key, entry]): [string, Entry][] => {
    if (level === 'block') return key === 'private' ? [[key, entry]] : [];
    const same = over.entries.get(key);
    const kept = same && privateOf(entry.node, same.node);
    return kept === undefined ? [] : [[key, { ...entry, node: kept }]];
  });
  return { ...below, entries: new Map(entries) };
}

/** A value without its tag. */
function withoutReset(node: Node): Node {
  const { isReset: _, ...rest } = node;
  return rest;
}

/** Reports a `!reset` that takes out nothing. */
function reportNothing(key: string, { keyAt }: Entry, beside: readonly string[], report: Report): void {
  const remedy = didYouMean(key, beside, 'Remove the line.');
  report('bad-reference', `!reset takes out ${key}, and nothing stands below it`, keyAt, remedy);
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
  const message = `${key} is ${nouns[over.node.is]} here and ${nouns[node.is]} in ${positionText(position(node.at))}, and the two do not merge`;
  report('inconsistent', message, over.keyAt, `Write ${key}: !reset and the value, or write both in one form.`);
  return over;
}

const nouns = { map: 'a map', list: 'a list', scalar: 'a text' } as const;

/** Reports each `!reset` that is left in a tree: it stands where nothing can stand below it. */
export function refuseResets(node: Node, report: Report): void {
  eachNode(node, ({ isReset, at }) => {
    if (isReset === true) refuseReset(at, report);
  });
}

/** Reports a `!reset` that stands where nothing can stand below it. */
export function refuseReset(at: Place, report: Report): void {
  report('wrong-type', '!reset stands under changes: and beside use: only', at, 'Remove the tag, or the line.');
}
