import * as z from 'zod';
import { type Operation, endpointOf, requiredMembers } from '../api/contract.ts';
import { type Json, type Row, isObject, isRow, member } from '../formats/json.ts';
import { means, plain } from './codecs.ts';
import { type Field, schemaOf } from './field.ts';
import type { Kind } from './kind.ts';
import { keptIn, onceFor } from '../api/once.ts';

/** Where a field stands in YAML, as a path below its resource: `source.branch`, `env`. */
export function fieldPath(kind: Kind, name: string): string {
  if (kind.unions === undefined) return kind.fields[name]?.written ?? name;
  const known = paths.get(kind) ?? new Map<string, string>();
  paths.set(kind, known);
  const path = known.get(name) ?? findPath(kind, name);
  known.set(name, path);
  return path;
}

/** The paths that were found, by kind and field: plans ask for those of every attribute. */
const paths = new WeakMap<Kind, Map<string, string>>();

function findPath(kind: Kind, name: string): string {
  for (const union of kind.unions ?? []) {
    if (union.at === undefined) continue;
    if (name === union.tag) return `${union.at}.type`;
    for (const fields of Object.values(union.cases)) {
      for (const [written, field] of Object.entries(fields)) if (field === name) return `${union.at}.${written}`;
    }
  }
  return kind.fields[name]?.written ?? name;
}

/** The declaration of a field. */
export function fieldOf(kind: Kind, name: string): Field {
  const field = kind.fields[name];
  if (field === undefined) throw new Error(`${kind.kind} has no field ${name}`);
  return field;
}

/** The value of a field in a row, undefined when the row does not have it; an empty text that is no value of it is none. */
export function observedValue(kind: Kind, name: string, row: Row): Json | undefined {
  const field = kind.fields[name];
  const value = valueAt(row, field?.readAt ?? name);
  return value === '' && field !== undefined && refusesEmpty(field) ? null : value;
}

/** The fields of a kind with what a create says of each that the block leaves out. */
export const saidAtCreate = onceFor(({ fields }: Kind): readonly (readonly [name: string, value: Json])[] =>
  Object.entries(fields).flatMap(([name, { atCreate }]) => (atCreate === undefined ? [] : [[name, atCreate] as const])),
);

/** Whether a value is what a create says of a field that the block leaves out. */
export function isSilent({ atCreate, codec = plain }: Field, value: Json): boolean {
  return atCreate !== undefined && means(codec, atCreate, value);
}

/** Whether the platform answers a text in place of the value of a field, and never shows that. */
export function isHidden({ hiddenAs }: Field, value: Json): boolean {
  return hiddenAs !== undefined && value === hiddenAs;
}

const refusesEmpty = onceFor((field: Field) => !schemaOf(field).safeParse('').success);

/** The value that a field of the natural key has when a block leaves it out, or when a row holds null. */
export function keyDefault(kind: Kind, name: string): Json {
  const { onNull } = kind.fields[name] ?? {};
  return onNull !== undefined && 'value' in onNull ? onNull.value : null;
}

/** The names of the fields of an object's natural key. */
export function keyNames({ identity: { key } }: Kind, value: (name: string) => Json | undefined): readonly string[] {
  return typeof key === 'function' ? key(value) : key;
}

/** The natural key of an object by the values of its fields; undefined while one of them is not known. */
export function keyOfValues(
  kind: Kind,
  value: (name: string) => Json | undefined,
): Readonly<Record<string, Json>> | undefined {
  const key: Record<string, Json> = {};
  for (const name of keyNames(kind, value)) {
    const known = value(name);
    if (known === undefined) return undefined;
    key[name] = known;
  }
  return key;
}

/** A value of a natural key in the form that stands for all values of its meaning. */
export function normalInKey(kind: Kind, name: string, value: Json): Json {
  const normal = (kind.fields[name]?.codec ?? plain).normal(value);
  return typeof normal === 'string' ? normal.trim() : normal;
}

/**
 * What people call the object of a row, and an export its block: its key field; of a kind without one, its label, such as
 * `8080/tcp`, or words of its natural key. undefined: the row has no such text.
 */
export function nameIn(kind: Kind, row: Row): string | undefined {
  const { keyField, label, key } = kind.identity;
  if (label !== undefined)
    return label.map((name) => String(observedValue(kind, name, row) ?? keyDefault(kind, name))).join('/');
  // An id makes a poor name.
  const inKey = typeof key === 'function' ? [] : key.filter((name) => kind.fields[name]?.refersTo === undefined);
  const names = keyField === undefined ? inKey.toReversed() : [keyField];
  for (const name of names) {
    const value = observedValue(kind, name, row);
    if (typeof value !== 'string' || value === '') continue;
    if (keyField !== undefined) return value;
    const words = value.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
    if (words !== '') return words;
  }
  return undefined;
}

/** The text that the platform appends to a field of the objects below a row. */
export function appendedBelow(kind: Kind, name: string, parent: { readonly kind: Kind; readonly row: Row }): string {
  return kind.fields[name]?.appended?.((field) => observedValue(parent.kind, field, parent.row) ?? null) ?? '';
}

/** A value as users write it, without what the platform appended. */
export function withoutAppended(value: Json, appended: string): Json {
  const isLonger = appended !== '' && typeof value === 'string' && value.endsWith(appended);
  return isLonger ? value.slice(0, -appended.length) : value;
}

/** The value at a path of members, such as `gitProvider.name`; behind a list, those of its items: `projectTags.tagId`. */
export function valueAt(row: Row, path: string): Json | undefined {
  if (!path.includes('.') && !path.startsWith('{')) return member(row, path);
  const [named = '', ...rest] = path.split('.');
  const first = named.startsWith('{') ? String(member(row, named.slice(1, -1))) : named;
  return rest.reduce<Json | undefined>(memberOf, member(row, first));
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) return value.flatMap((item: Json) => memberOf(item, name) ?? []);
  return isRow(value) ? member(value, name) : undefined;
}

/** The member of an operation that takes the id of an object of this kind. */
export function idMember(kind: Kind, operation: Operation): string {
  return takes(operation, kind.identity.id) ? kind.identity.id : (kind.identity.idAs ?? kind.identity.id);
}

/** The operations that carry fields which stand in no union of their own calls. */
export function updatesOf(kind: Kind): readonly Operation[] {
  const { update = [] } = kind.operations;
  return typeof update === 'string' ? [update] : update;
}

/**
 * The operation that carries a changed field; undefined when none does. `chosen` is the case of a union that is
 * declared; without it, any case's operation that takes the field.
 */
export function carrierOf(kind: Kind, name: string, chosen?: (tag: string) => unknown): Operation | undefined {
  for (const { tag, cases, calls, creates } of kind.unions ?? []) {
    if (calls === undefined) continue;
    // An object never becomes one of another case that has a create of its own.
    if (name === tag && creates !== undefined) return undefined;
    const words = Object.keys(cases);
    const own = words.filter((word) => name === tag || Object.values(cases[word] ?? {}).includes(name));
    const holding = own.length === 0 && creates !== undefined ? words : own;
    const word = chosen === undefined ? holding[0] : holding.find((item) => item === chosen(tag));
    if (holding.length > 0) return word === undefined ? undefined : calls[word];
  }
  return updatesOf(kind).find((operation) => takes(operation, name));
}

/** Whether a field names a case with a create of its own: that operation says it, and no member of it. */
export function saysCreate(kind: Kind, name: string): boolean {
  return kind.unions?.some(({ tag, creates }) => tag === name && creates !== undefined) === true;
}

/** The operation that creates an object: where each case of a union has its own, that of the chosen one. */
export function createOf(kind: Kind, chosen: (tag: string) => unknown): Operation | undefined {
  const union = kind.unions?.find(({ creates }) => creates !== undefined);
  const word = union === undefined ? undefined : String(chosen(union.tag));
  return (word === undefined ? undefined : union?.creates?.[word]) ?? kind.operations.create;
}

/** Whether null can be written into a field of an object. */
export function canBeNull(kind: Kind, name: string): boolean {
  const operation = carrierOf(kind, name);
  return operation !== undefined && takesNull(operation, name);
}

/** Whether an operation refuses to go without a value for a member. */
export function isNeededBy(operation: Operation, name: string): boolean {
  return requiredMembers(operation).includes(name) && !takesNull(operation, name);
}

/** Whether a field belongs to the case that is chosen, or to no union at all. */
export function isInCase(kind: Kind, name: string, chosen: (tag: string) => unknown): boolean {
  const holding = casesByField(kind).get(name) ?? [];
  return holding.every(({ tag, words }) => words.includes(String(chosen(tag))));
}

/** For each field of a case, the tag of each union that has it, and the words of its cases that have it. */
const casesByField = onceFor((kind: Kind) => {
  const found = new Map<string, { readonly tag: string; readonly words: readonly string[] }[]>();
  for (const { tag, cases } of kind.unions ?? []) {
    for (const name of new Set(Object.values(cases).flatMap((fields) => Object.values(fields)))) {
      const words = Object.keys(cases).filter((word) => Object.values(cases[word] ?? {}).includes(name));
      found.set(name, [...(found.get(name) ?? []), { tag, words }]);
    }
  }
  return found;
});

/** Whether the id of a new object is ours to choose. */
export function choosesId(kind: Kind): boolean {
  return kind.operations.create !== undefined && takes(kind.operations.create, kind.identity.id);
}

/** The value of an output of an object; undefined when the row does not have it. */
export function outputValue(kind: Kind, output: string, id: string | undefined, row: Row): string | undefined {
  const from = kind.outputs?.[output]?.from;
  const value = from === undefined ? id : valueAt(row, from);
  return typeof value === 'string' ? value : undefined;
}

/** Whether an operation has a member of this name; with a dot in it, as in `config.token`, a member of that member. */
export function takes(operation: Operation, name: string): boolean {
  if (!name.includes('.')) return Object.hasOwn(endpointOf(operation).input.shape, name);
  return schemasAt(operation, name).length > 0;
}

/** Whether a member of an operation may be null. */
export function takesNull(operation: Operation, name: string): boolean {
  return keptIn(nullTaken(endpointOf(operation)), name, () =>
    schemasAt(operation, name).some((schema) => z.safeParse(schema, null).success),
  );
}

/** What was found out of an operation, by the names of its members: each object of a plan asks. */
const nullTaken = onceFor((_endpoint: object) => new Map<string, boolean>());

/** The schemas of a member: one for each form of the member above it. */
function schemasAt(operation: Operation, path: string): readonly z.core.$ZodType[] {
  return path
    .split('.')
    .reduce<readonly z.core.$ZodType[]>(
      (above, name) =>
        above.flatMap(formsOf).flatMap(({ shape }) => (Object.hasOwn(shape, name) ? (shape[name] ?? []) : [])),
      [endpointOf(operation).input],
    );
}

function formsOf(schema: z.core.$ZodType): readonly z.ZodObject[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(formsOf);
  return schema instanceof z.ZodObject ? [schema] : [];
}

/** The input of a request by the names of its members: `config.token` goes into the member `config`, over what that has. */
export function nested(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    const dot = name.indexOf('.');
    const first = dot === -1 ? name : name.slice(0, dot);
    const inner = input[first];
    input[first] = dot === -1 ? value : nested({ ...(isObject(inner) ? inner : {}), [name.slice(dot + 1)]: value });
  }
  return input;
}

/** The rows of a kind that the row of an object above lists, without what the platform makes by itself. */
export function rowsBelow(kind: Kind, row: Row, child: Kind): Row[] {
  const link = child.parents[kind.kind];
  const rows = link !== undefined && 'at' in link.listed ? row[link.listed.at] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.filter((item: unknown): item is Row => {
    return isRow(item) && child.lifecycle?.provided?.is(item, row) !== true;
  });
}

/** The ids of those rows. */
export function idsBelow(kind: Kind, row: Row, child: Kind): string[] {
  return rowsBelow(kind, row, child).map((item) => String(item[child.identity.id]));
}
