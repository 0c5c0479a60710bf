import { type YAMLMap, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Value } from './write-yaml.ts';
import { type Json, same } from '../formats/json.ts';
import { jsonOf } from './value-lines.ts';

/** A key as its text; undefined: it is no plain one. */
export function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? '');
}

/** The number of the entry of a key; -1 without one. */
export function indexOf(map: YAMLMap, key: string): number {
  return map.items.findIndex((pair) => keyText(pair.key) === key);
}

/** Returns true for a node that has a value already, without an alias. */
export function isAlready(node: unknown, value: Value): boolean {
  const json = jsonOf(value);
  if (isAlias(node) || hasAlias(node)) return false;
  return same(plainJson(node), json);
}

function hasAlias(node: unknown): boolean {
  if (isAlias(node)) return true;
  if (isMap(node)) return node.items.some(({ key, value }) => hasAlias(value) || keyText(key) === '<<');
  return isSeq(node) && node.items.some(hasAlias);
}

function plainJson(node: unknown): Json {
  if (isMap(node))
    return Object.fromEntries(node.items.map(({ key, value }) => [keyText(key) ?? '', plainJson(value)]));
  if (isSeq(node)) return node.items.map(plainJson);
  return isScalar(node) ? (node.value as Json) : null;
}
