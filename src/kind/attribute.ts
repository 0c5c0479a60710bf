import { keptIn, onceFor } from '../api/once.ts';
import { means, plain } from './codecs.ts';
import type { Field } from './field.ts';
import type { Json, Row } from '../formats/json.ts';
import type { Kind } from './kind.ts';
import { fieldOf, fieldPath, observedValue } from './row-values.ts';

/** A field of an object, or one key of a field written as a map. */
export interface Attribute {
  readonly field: string;
  readonly key?: string;
}

/** The name of an attribute in state and in messages: `port`, `env["REGION"]`. */
export function attributeName({ field, key }: Attribute): string {
  return key === undefined ? field : `${field}[${JSON.stringify(key)}]`;
}

/** The field that such a name is about. */
export function fieldOfAttribute(name: string): string {
  return name.replace(/\[".*$/s, '');
}

/** The attribute that such a name is about. */
export function attributeNamed(name: string): Attribute {
  const field = fieldOfAttribute(name);
  return field === name ? { field } : { field, key: JSON.parse(name.slice(field.length + 1, -1)) as string };
}

/** Where an attribute stands in YAML: `source.branch`, `env.REGION`. */
export function pathOf(kind: Kind, { field, key }: Attribute): string {
  const path = fieldPath(kind, field);
  return key === undefined ? path : `${path}.${key}`;
}

/** The attribute of a whole field: one for each name, since a large plan has a million of them. */
export function fieldAttribute(field: string): Attribute {
  return keptIn(attributes, field, newAttribute);
}

const attributes = new Map<string, Attribute>();
const newAttribute = (field: string): Attribute => ({ field });

/** The declaration of the field that an attribute belongs to. A key that is not there differs from one with an empty value. */
export function attributeField(kind: Kind, { field, key }: Attribute): Field {
  const declared = fieldOf(kind, field);
  return key === undefined ? declared : keyField(declared);
}

const keyField = onceFor((field: Field): Field => ({ ...field, codec: plain }));

/** The attributes of a row: its fields, and the keys of its maps. The text of a map is read once. */
export interface RowReader {
  /** null for what is not there. */
  readonly value: (attribute: Attribute) => Json;
  readonly keys: (field: string) => readonly string[];
}

/** Reads a row attribute by attribute. */
export function readRow(kind: Kind, row: Row): RowReader {
  const maps = new Map<string, ReadonlyMap<string, string>>();
  const mapOf = (field: string): ReadonlyMap<string, string> => {
    const known = maps.get(field);
    if (known !== undefined) return known;
    const text = observedValue(kind, field, row);
    const made = kind.fields[field]?.map?.read(typeof text === 'string' ? text : '') ?? new Map<string, string>();
    maps.set(field, made);
    return made;
  };
  return {
    value: ({ field, key }) =>
      key === undefined ? (observedValue(kind, field, row) ?? null) : (mapOf(field).get(key) ?? null),
    keys: (field) => [...mapOf(field).keys()],
  };
}

/** The fields in which two rows of a kind mean something else. */
export function changedFields(kind: Kind, names: readonly string[], then: Row, now: Row): string[] {
  return names.filter((name) => {
    const codec = kind.fields[name]?.codec ?? plain;
    return !means(codec, observedValue(kind, name, then) ?? null, observedValue(kind, name, now) ?? null);
  });
}
