import type { Field } from '../kind/field.ts';
import { type Json, isObject } from '../formats/json.ts';

/** A value in another form. */
interface Form {
  readonly value: Json;
  /** What people may have meant differently. */
  readonly note?: string;
}

/**
 * The forms that a value may have been meant in, the likeliest first. Of the forms of compose files: `A=b` in lists, maps for
 * lists of named items, keys in snake case, one item without its list. Pure.
 */
export function* reshaped(value: Json, field: Pick<Field, 'map' | 'short'>): Iterable<Form> {
  const { map, short } = field;
  if (typeof value === 'string') {
    const found = short?.(value);
    if (found !== undefined) yield { value: found };
    if (/^-?\d+(?:\.\d+)?$/.test(value)) yield { value: Number(value) };
    const isYes = /^(?:true|yes|on)$/i.test(value);
    if (isYes || /^(?:false|no|off)$/i.test(value)) yield { value: isYes };
    yield* listsOf(value);
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    yield { value: String(value) };
    yield { value: [String(value)] };
  } else if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    const entries = items.map((item) => entriesIn(item, map !== undefined));
    if (items.length > 0 && entries.every((found) => found !== undefined))
      yield { value: Object.fromEntries(entries.flat()) };
    const unread = entries.flatMap((found, at) => (found === undefined ? [at + 1] : []));
    if (map !== undefined && unread.length > 0 && unread.length < items.length)
      yield {
        value: Object.fromEntries(entries.flatMap((found) => found ?? [])),
        note: `without item ${unread.slice(0, 5).join(', ')}${unread.length > 5 ? ' and others' : ''}: no NAME=value`,
      };
    const [only] = items;
    if (items.length === 1 && only !== undefined) {
      // A port alone in a list is the one inside, in compose files: what it is published on is open.
      const isRead = short === undefined || typeof only === 'object' || short(String(only)) !== undefined;
      if (isRead) yield { value: only };
      if (isRead) yield* reshaped(only, field);
    }
    if (items.every((item) => typeof item === 'string')) {
      yield { value: items.map((item) => ({ Target: item })) };
      yield { value: { Constraints: items } };
      if (items.every((item) => /^[\w./:=@%+,-]+$/.test(item))) yield { value: items.join(' ') };
    }
    if (items.every((item) => typeof item === 'number')) yield { value: items.map(String) };
  } else if (isObject(value)) {
    const members = inPascalCase(value);
    yield { value: members };
    if (typeof members['Test'] === 'string') yield { value: { ...members, Test: ['CMD-SHELL', members['Test']] } };
    yield { value: Object.entries(value).map(([name, limit]) => limitOf(name, limit)) };
    const targets = Object.entries(value).map(([name, one]) => ({
      Target: name,
      ...inPascalCase(isObject(one) ? one : {}),
    }));
    yield { value: targets };
    if (Object.values(value).every((one) => one === null)) yield { value: Object.keys(value) };
    if (
      Object.values(value).every(
        (one) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean',
      )
    )
      yield { value: Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)])) };
  }
}

/** One text as a list. */
function* listsOf(text: string): Iterable<Form> {
  if (text.includes(',')) {
    yield { value: text.split(',').map((item) => item.trim()), note: 'split at each comma' };
    return;
  }
  if (/\s/.test(text) && !/["'\\]/.test(text)) yield { value: text.trim().split(/\s+/), note: 'split at each blank' };
  else yield { value: [text] };
}

/** The entries that one item of a list means: `A=b`, `{ A: b }`, `{ name: A, value: b }`; a name alone in an env. */
function entriesIn(item: Json, isEnv: boolean): (readonly [key: string, value: Json])[] | undefined {
  if (typeof item === 'string') {
    const [, key, value] = /^\s*(?:export\s+)?([A-Za-z_][\w./-]*)\s*=(.*)$/s.exec(item) ?? [];
    if (key !== undefined && value !== undefined) return [[key, unquoted(value)]];
    return isEnv && /^[A-Z][A-Z0-9_]*$/.test(item) ? [[item, `\${env:${item}}`]] : undefined;
  }
  if (!isObject(item)) return undefined;
  const { name, value = '', ...others } = item;
  if (typeof name === 'string' && Object.keys(others).length === 0 && !isObject(value) && !Array.isArray(value))
    return [[name, value ?? '']];
  const entries = Object.entries(item);
  return entries.every(([, one]) => !isObject(one) && !Array.isArray(one))
    ? entries.map(([key, one]) => [key, one ?? ''] as const)
    : undefined;
}

function unquoted(value: string): string {
  return value.replace(/^(["'])(.*)\1$/s, '$2');
}

/** The keys of a compose file as Docker's API has them: `start_period` as `StartPeriod`. */
function inPascalCase(map: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [
      key.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      isObject(value) ? inPascalCase(value) : value,
    ]),
  );
}

/** A limit of a compose file: `nofile: 1024`, or `nofile: { soft: 1024, hard: 2048 }`. */
function limitOf(name: string, limit: Json): Json {
  return isObject(limit) ? { Name: name, ...inPascalCase(limit) } : { Name: name, Soft: limit, Hard: limit };
}

/** The forms that a setting of the manifest may have been meant in, the likeliest first. Pure. */
export function* reshapedSetting(value: Json): Iterable<Json> {
  if (typeof value === 'string') {
    if (/^[\w./*@-]+$/.test(value)) yield* [[value], { backend: value }];
    if (/^[\w./-]+$/.test(value) && /[./]/.test(value)) yield [{ file: value }];
    if (/^https?:\/\/\S+$/.test(value)) yield { url: value };
    for (const form of listsOf(value)) yield form.value;
  } else if (Array.isArray(value)) {
    const entries = (value as readonly Json[]).map((item) => entriesIn(item, false));
    if (value.length === 0 || entries.some((found) => found === undefined)) return;
    const all = entries.flatMap((found) => found ?? []);
    yield Object.fromEntries(all.map(([key, one]) => [key, { default: one }]));
    yield Object.fromEntries(all);
  } else if (isObject(value)) {
    yield [value];
    yield Object.entries(value).map(([from, to]) => ({ from, to }));
    yield Object.fromEntries(Object.entries(value).map(([key, one]) => [key, isObject(one) ? one : { default: one }]));
  }
}
