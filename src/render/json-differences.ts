import { diffArrays } from 'diff';
import { type Json, canonical, isObject, same } from '../formats/json.ts';

/** A difference of two JSON values; a side is undefined where there is nothing. */
export interface Difference {
  /** Where it is: `healthCheckSwarm.Interval`, `ulimitsSwarm[nofile].Soft`. */
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** The lists hold the same in another order. */
  readonly isOrder?: true;
}

interface Sides {
  readonly path: string;
  /** The number of lists and maps around it. */
  readonly depth: number;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** Members that name an object in a list, from the best. */
const names = ['name', 'Name', 'serviceName', 'id', 'key', 'Target', 'TargetPort', 'host', 'path'];

/** Most lists and maps around a difference: what is deeper differs as a whole. */
const maxDepth = 64;

/** Most lists and maps in each other of two values that are compared: for thousands the stack of Node has no room. */
const maxLevels = 1_000;

/** Most elements of a list that may differ, to be compared one by one. */
const maxEdits = 500;

/** The differences of two JSON values, member by member and element by element. Elements of lists are numbered from 0. */
export function jsonDifferences(before: Json, after: Json, path: string): Difference[] {
  const isDeep = [before, after].some(nestsDeeply);
  return isDeep ? [{ path, before, after }] : [...between({ path, depth: 0, before, after })];
}

/** Whether there are too many lists and maps in each other. */
function nestsDeeply(value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxLevels) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

function* between(sides: Sides): Iterable<Difference> {
  const { before, after, path } = sides;
  const depth = sides.depth + 1;
  if (depth > maxDepth) {
    yield { path, before, after };
    return;
  }
  if (before !== undefined && after !== undefined && same(before, after)) return;
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const key of keys)
      yield* between({
        path: path + memberPath(key),
        depth,
        before: own(before, key),
        after: own(after, key),
      });
  } else if (Array.isArray(before) && Array.isArray(after)) {
    yield* betweenLists({ ...sides, depth, before, after });
  } else {
    yield { path, before, after };
  }
}

interface Lists extends Sides {
  readonly before: readonly Json[];
  readonly after: readonly Json[];
}

function* betweenLists({ before, after, path, depth }: Lists): Iterable<Difference> {
  if (same(sorted(before), sorted(after))) {
    yield { path, before, after, isOrder: true };
    return;
  }
  const [olds, news] = names.map((name) => [byName(before, name), byName(after, name)] as const).find(areBoth) ?? [];
  if (olds !== undefined && news !== undefined) {
    for (const name of new Set([...olds.keys(), ...news.keys()]))
      yield* between({ path: `${path}[${name}]`, depth, before: olds.get(name), after: news.get(name) });
    return;
  }
  const parts = diffArrays(before.map(canonical), after.map(canonical), { maxEditLength: maxEdits });
  if (parts === undefined) {
    yield { path, before, after };
    return;
  }
  for (const [old, fresh] of pairs(parts)) {
    const sides = {
      depth,
      before: old === undefined ? undefined : before[old],
      after: fresh === undefined ? undefined : after[fresh],
    };
    yield* between({ path: `${path}[${fresh ?? old}]`, ...sides });
  }
}

/** The elements that differ, by their numbers on both sides: what goes beside what comes in its place. */
function* pairs(
  parts: readonly { count: number; removed: boolean; added: boolean }[],
): Iterable<[old: number | undefined, fresh: number | undefined]> {
  let [old, fresh] = [0, 0];
  let gone: number[] = [];
  for (const { count, removed, added } of parts) {
    if (!removed && !added) {
      for (const one of gone) yield [one, undefined];
      gone = [];
    }
    for (let index = 0; index < count; index++) {
      if (removed) gone.push(old + index);
      else if (added) yield [gone.shift(), fresh + index];
    }
    if (!added) old += count;
    if (!removed) fresh += count;
  }
  for (const one of gone) yield [one, undefined];
}

/** A list as a map by a member of its elements; undefined where it does not name each of them. */
function byName(list: readonly Json[], name: string): ReadonlyMap<string, Json> | undefined {
  const found = new Map<string, Json>();
  for (const element of list) {
    const value = isObject(element) ? own(element, name) : undefined;
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    found.set(String(value), element);
  }
  return found.size === list.length ? found : undefined;
}

function areBoth(maps: readonly [unknown, unknown]): boolean {
  return maps[0] !== undefined && maps[1] !== undefined;
}

function sorted(list: readonly Json[]): string[] {
  return list.map(canonical).toSorted((a, b) => (a < b ? -1 : 1));
}

function memberPath(key: string): string {
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function own(value: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
