import equal from 'fast-deep-equal';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** An object as the platform answered it; nothing about its members is sure. */
export type Row = Readonly<Record<string, unknown>>;

/** One text for each value: object keys sorted, list order kept. */
export function canonical(value: Json): string {
  return JSON.stringify(sorted(value));
}

/** Whether two values are equal as JSON: the order of object keys does not count, the order of lists does. */
export function same(a: unknown, b: unknown): boolean {
  return quicklyEqual(a, b) || canonical(a as Json) === canonical(b as Json); // both hold nothing but JSON
}

/** Never true by mistake; a member called `constructor`, `toString` or `valueOf` misleads it, or makes it throw. */
function quicklyEqual(a: unknown, b: unknown): boolean {
  try {
    return equal(a, b);
  } catch {
    return false;
  }
}

/**
 * A value with its keys in order: the value itself where they are. One frame of the stack for each level: a platform may answer
 * with thousands.
 */
function sorted(value: Json): Json {
  let isSame = true;
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value as readonly Json[]) {
      const one = sorted(item);
      if (one !== item) isSame = false;
      list.push(one);
    }
    return isSame ? value : list;
  }
  if (!isObject(value)) return value;
  const members: [string, Json][] = [];
  let last = '';
  for (const key of Object.keys(value)) {
    const member = value[key] as Json;
    const one = sorted(member);
    if (one !== member || key < last) isSame = false;
    members.push([key, one]);
    last = key;
  }
  return isSame ? value : Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Every text in a value, however deep. */
export function textsIn(value: unknown): string[] {
  const found: string[] = [];
  addTexts(value, found);
  return found;
}

function addTexts(value: unknown, found: string[]): void {
  if (typeof value === 'string') found.push(value);
  else if (Array.isArray(value)) for (const item of value) addTexts(item, found);
  else if (isObject(value)) for (const item of Object.values(value)) addTexts(item, found);
}

/** A value with another text in place of each text in it. */
export function mapTexts(value: Json, textOf: (text: string) => string): Json {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, textOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, textOf)]));
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a row of the platform. */
export function isRow(value: unknown): value is Row {
  return isObject(value);
}

/** A member of a row as JSON; undefined when the row does not have it. */
export function member(row: Row, name: string): Json | undefined {
  const value = row[name];
  return value === undefined ? undefined : (value as Json); // rows come from JSON.parse
}

/** An object without the members that are undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  const found: Record<PropertyKey, unknown> = {};
  // No list of pairs: records, steps and lines of plans are made by it.
  for (const name of Object.keys(members) as (keyof T)[]) if (members[name] !== undefined) found[name] = members[name];
  return found as Defined<T>;
}

type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};
