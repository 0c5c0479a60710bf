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
 * The definition of a service with that of the service of the same file that it extends below it. Of a service in another
 * file nothing is known: `extends` stays. Source: the compose specification, "extends" and "merge".
 */
export function extended(name: string, services: Definition, seen: readonly string[] = []): Definition {
  const own = mapOf(services[name]);
  const { extends: from } = own;
  const base = typeof from === 'string' ? from : mapOf(from).service;
  if (typeof base !== 'string' || mapOf(from).file !== undefined) return own;
  if (!isObject(services[base]) || seen.includes(base)) return own;
  const below = extended(base, services, [...seen, name]);
  const { extends: _taken, ...above } = own;
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
