import { keptIn } from '../api/once.ts';
import { groupBy } from '../kind/group.ts';
import { plain } from '../kind/codecs.ts';
import { type Json, type Row, canonical } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { appendedBelow, keyDefault, keyOfValues, observedValue, withoutAppended } from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import { type Outputs, resolve } from '../manifest/wanted.ts';
import type { Listed, Parent } from './observed.ts';

/** The values by which an object is recognised. */
export type NaturalKey = Readonly<Record<string, Json>>;

/**
 * The natural key of a resource; undefined without one, and while one of its values is not known. A value that waits for
 * an object that does not exist yet cannot be that of an object which does.
 */
export function naturalKey(
  resource: Pick<Resource, 'kind' | 'link' | 'fields'> | undefined,
  outputs: Outputs,
): NaturalKey | undefined {
  if (resource === undefined) return undefined;
  const { kind, link, fields } = resource;
  return keyOfValues(kind, (name) => {
    const from = link.set[name];
    if (from !== undefined && 'value' in from) return from.value;
    const wanted = fields[name];
    if (wanted === undefined) return keyDefault(kind, name);
    const resolved = resolve(wanted, outputs);
    if (resolved.is !== 'known') return undefined;
    return resolved.value ?? keyDefault(kind, name);
  });
}

/** The natural key of the object of a row; undefined where the platform does not return all of it. */
export function rowKey(kind: Kind, row: Row): NaturalKey | undefined {
  return keyOfValues(kind, (name) => observedValue(kind, name, row) ?? keyDefault(kind, name) ?? undefined);
}

/** Whether two rows have the same value in each field. */
export function isAlike(kind: Kind, one: Row, other: Row): boolean {
  const names = Object.keys(kind.fields);
  const valuesOf = (row: Row) => keyText(kind, names, (name) => observedValue(kind, name, row) ?? null);
  return valuesOf(one) === valuesOf(other);
}

/**
 * Makes an index of rows of a kind, by id, which gives the ids with a natural key in time that does not grow with the number
 * of rows. With the row that they are below, names are compared without what the platform appends to them.
 */
export function indexRows(
  kind: Kind,
  rows: readonly (readonly [string, Row])[],
  parent?: Omit<Parent, 'id'>,
): (key: NaturalKey) => readonly string[] {
  const byNames = new Map<string, ReadonlyMap<string, readonly string[]>>();
  return (key) => {
    const names = Object.keys(key);
    const form = JSON.stringify(names);
    const plainly = (name: string, value: Json) =>
      withoutAppended(value, parent === undefined ? '' : appendedBelow(kind, name, parent));
    const valueIn = (row: Row) => (name: string) =>
      plainly(name, observedValue(kind, name, row) ?? keyDefault(kind, name));
    const index = keptIn(byNames, form, () =>
      groupBy(rows.map(([id, row]) => [keyText(kind, names, valueIn(row)), id])),
    );
    return index.get(keyText(kind, names, (name) => plainly(name, key[name] ?? null))) ?? [];
  };
}

/** Gives the ids of the rows that have a natural key and are below a parent; '': at the top. */
export type Search = (key: NaturalKey | undefined, below: string | undefined) => readonly string[];

/** Makes a search of rows of a kind, by id. */
export function searchIn(kind: Kind, rows: ReadonlyMap<string, Listed>): Search {
  const groups = groupBy([...rows].map(([id, { row, parent }]) => [parent?.id ?? '', { id, row, parent }] as const));
  const indexes = new Map(
    [...groups].map(([below, siblings]) => {
      const listed = siblings.map(({ id, row }) => [id, row] as const);
      return [below, indexRows(kind, listed, siblings[0]?.parent)] as const;
    }),
  );
  return (key, below) => (key === undefined || below === undefined ? [] : (indexes.get(below)?.(key) ?? []));
}

function keyText(kind: Kind, names: readonly string[], value: (name: string) => Json): string {
  return canonical(names.map((name) => (kind.fields[name]?.codec ?? plain).normal(value(name))));
}
