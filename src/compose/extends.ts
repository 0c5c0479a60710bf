import { type Json, isObject } from '../formats/json.ts';
import { entriesOf, itemsOf, mapOf } from './service-parts.ts';

type Definition = ReturnType<typeof mapOf>;

/** Keys whose values are one thing, whatever their form: the own one wins whole. */
const whole = new Set(['command', 'entrypoint']);
/** Keys that are maps in either form. */
const maps = new Set(['environment', 'labels', 'annotations', 'sysctls', 'extra_hosts']);
/** Keys that a service does not take from the one that it extends. */
const notTaken = new Set(['extends', 'depends_on', 'volumes_from', 'links']);

/**
 * The definitions of services, each with that of the service of the same file that it extends below it. Of a service in another
 * file nothing is known, and in a circle nothing is lowest: `extends` stays. Source: the compose specification, "extends" and "merge".
 */
export function extendedIn(services: Definition): ReadonlyMap<string, Definition> {
  const made = new Map<string, Definition>();
  for (const name of Object.keys(services)) {
    const chain = new Set<string>();
    for (let next: string | undefined = name; next !== undefined && !made.has(next) && !chain.has(next);) {
      chain.add(next);
      next = baseOf(services, next);
    }
    for (const one of [...chain].toReversed()) {
      const own = mapOf(services[one]);
      const below = made.get(baseOf(services, one) ?? '');
      made.set(one, below === undefined ? own : onTopOf(below, own));
    }
  }
  return made;
}

/** The service of the same file that a service extends. */
function baseOf(services: Definition, name: string): string | undefined {
  const { extends: from } = mapOf(services[name]);
  const base = typeof from === 'string' ? from : mapOf(from).service;
  return typeof base === 'string' && mapOf(from).file === undefined && isObject(services[base]) ? base : undefined;
}

function onTopOf(below: Definition, { extends: _taken, ...above }: Definition): Definition {
  const taken = Object.fromEntries(Object.entries(below).filter(([key]) => !notTaken.has(key)));
  return merged(taken, above);
}

function merged(below: Definition, above: Definition): Definition {
  const all: Record<string, Json> = { ...below };
  for (const [key, value] of Object.entries(above)) all[key] = mergedAt(key, below[key], value);
  return all;
}

function mergedAt(key: string, below: Json | undefined, above: Json): Json {
  if (below === undefined || whole.has(key)) return above;
  if (maps.has(key)) return Object.fromEntries([...entriesOf(below), ...entriesOf(above)]);
  if (key === 'volumes') return byTarget([...itemsOf(below), ...itemsOf(above)]);
  if (Array.isArray(below) && Array.isArray(above)) return [...itemsOf(below), ...itemsOf(above)];
  if (isObject(below) && isObject(above)) return merged(below, above);
  return above;
}

/** Mounts, of which the later one of a path wins. */
function byTarget(mounts: readonly Json[]): Json {
  const target = (mount: Json) =>
    typeof mount === 'string' ? (mount.split(':')[1] ?? mount) : String(mapOf(mount).target);
  return [...new Map(mounts.map((mount) => [target(mount), mount])).values()];
}
