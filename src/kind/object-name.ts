import { type Json, type Row, canonical } from '../formats/json.ts';
import type { Kind } from './kind.ts';
import type { ParentLink } from './parent.ts';
import {
  appendedBelow,
  keyDefault,
  keyNames,
  nameIn,
  normalInKey,
  observedValue,
  withoutAppended,
} from './row-values.ts';

/** An object of the platform with its row. */
interface Named {
  readonly kind: Kind;
  readonly id: string;
  readonly row: Row;
  readonly link: ParentLink | undefined;
  readonly parent: { readonly kind: Kind; readonly row: Row } | undefined;
  /** The platform made it by itself. */
  readonly isProvided: boolean;
}

/** The name that people give an object, without what the platform appended; undefined: it has none. */
export function objectName({ kind, row, parent }: Pick<Named, 'kind' | 'row' | 'parent'>): string | undefined {
  const { keyField } = kind.identity;
  const name = nameIn(kind, row);
  if (name === undefined || keyField === undefined || parent === undefined) return name;
  return withoutAppended(name, appendedBelow(kind, keyField, parent)) as string;
}

/** The natural key of an object, as text: the loader takes two blocks of one text for one object. */
export function keyText({ kind, link, row, parent }: Pick<Named, 'kind' | 'link' | 'row' | 'parent'>): string {
  const value = (name: string): Json => {
    const from = link?.set[name];
    if (from !== undefined && 'value' in from) return from.value;
    const seen = observedValue(kind, name, row) ?? keyDefault(kind, name);
    return parent === undefined ? seen : withoutAppended(seen, appendedBelow(kind, name, parent));
  };
  return canonical(keyNames(kind, value).map((name) => normalInKey(kind, name, value(name))));
}

/** The objects of a kind: those that the platform made come first, then by name; ids decide between equals. */
export function inNameOrder<T extends Named>(objects: readonly T[]): readonly T[] {
  const named = objects.map((object) => {
    const { kind, id, isProvided } = object;
    return [object, `${isProvided ? 0 : 1}${objectName(object) ?? kind.kind}\0${keyText(object)}\0${id}`] as const;
  });
  return named.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([object]) => object);
}
