import * as z from 'zod';
import type { Profile } from '../api/contract.ts';
import { contracts } from '../api/contract.ts';
import { once } from '../api/once.ts';
import { dokploy } from '../api/vocabulary.ts';
import type { Field, Spelling, Union } from './field.ts';
import { schemaOf } from './field.ts';
import type { Json } from './json.ts';
import { isObject } from './json.ts';
import type { Kind } from './kind.ts';
import { root } from './kind.ts';

/** Words by the words that they stand for. */
type Words = ReadonlyMap<string, string>;

/** The words of Dokploy, by those of the API document. */
const hosts: Words = new Map(Object.entries(dokploy.groups));
const members: Words = new Map(Object.entries(dokploy.members));
const backwards: Words = new Map([...members].map(([word, other]) => [other, word]));
const everyWord: Words = new Map(
  [dokploy.groups, dokploy.operations, dokploy.members, ...Object.values(dokploy.values)].flatMap(Object.entries),
);

/**
 * The kinds in the words of a profile: the names of kinds, sections and fields, the words of values, and the texts. The names
 * that the engine and the API use stay: the keys of `fields` and of the cases of unions, operations, members of rows. In either
 * profile users may write the words of the other one too. Gives the same objects for the same kinds; of kinds that are in a
 * profile already, those in another. Pure.
 */
export function inProfile(kinds: readonly Kind[], profile: Profile): readonly Kind[] {
  const declared = declaredAs.get(kinds) ?? kinds;
  const known = translated.get(declared) ?? new Map<Profile, readonly Kind[]>();
  translated.set(declared, known);
  const made = known.get(profile) ?? declared.map((kind) => kindIn(kind, profile));
  known.set(profile, made);
  declaredAs.set(made, declared);
  return made;
}

/** The kinds in each profile, by the kinds as they were declared; and the other way round. */
const translated = new WeakMap<readonly Kind[], Map<Profile, readonly Kind[]>>();
const declaredAs = new WeakMap<readonly Kind[], readonly Kind[]>();

/** Kinds in the words of Dokploy that take no others, to teach those: of a schema, for example. Others as they are. Pure. */
export function inOwnWords(kinds: readonly Kind[]): readonly Kind[] {
  if (profileOf(kinds) === 'standard') return kinds;
  return kinds.map(({ also: _section, ...kind }) => ({
    ...kind,
    fields: Object.fromEntries(
      Object.entries(kind.fields).map(([name, { also: _name, spelling, ...field }]) => {
        const alone = (): Spelling | undefined => {
          const words = spelling?.();
          return words === undefined ? undefined : { ...words, others: new Map() };
        };
        return [name, { ...field, spelling: alone }];
      }),
    ),
  }));
}

/** The profile that kinds are in. */
export function profileOf(kinds: readonly Kind[]): Profile {
  return kinds.some(({ names }) => names !== undefined) ? 'dokploy' : 'standard';
}

/** A path of a field, or a pattern for some, with the names that the kinds have for fields. */
export function pathMeant(written: string, kinds: readonly Kind[]): string {
  const words = profileOf(kinds) === 'standard' ? backwards : members;
  return written.replaceAll(wholeWord, (word) => words.get(word) ?? word);
}

/** A text of the program in the words of a profile. */
export function textIn(text: string, profile: Profile): string {
  return profile === 'standard' ? text : text.replaceAll(oneOfAll, (word) => everyWord.get(word) ?? word);
}

/** The words of the API document, whole ones. Every text of every kind is searched at each start. */
const oneOfAll = new RegExp(String.raw`\b(?:${[...everyWord.keys()].join('|')})\b`, 'g');

const wholeWord = /\b[A-Za-z]\w*\b/g;

function kindIn(kind: Kind, profile: Profile): Kind {
  const isDokploy = profile !== 'standard';
  const host = (name: string): string => (isDokploy ? (hosts.get(name) ?? name) : name);
  const texts = <T>(value: T): T => (isDokploy ? (textsIn(value, profile) as T) : value); // it has the same form
  const other = hosts.get(kind.kind);
  const { parents, fields, unions, operations, checks } = kind;
  const { names } = contracts[profile];
  return {
    ...kind,
    kind: host(kind.kind),
    section: host(kind.section),
    ...(other === undefined ? {} : { also: isDokploy ? kind.kind : other }),
    ...(names === undefined ? {} : { names }),
    summary: texts(kind.summary),
    parents: Object.fromEntries(
      Object.entries(parents).map(([parent, link]) => [parent === root ? root : host(parent), link]),
    ),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, fieldIn(name, field, { profile, host, texts })]),
    ),
    ...(unions === undefined ? {} : { unions: unions.map((union) => unionIn(union, texts)) }),
    ...(operations.cannot === undefined ? {} : { operations: { ...operations, cannot: texts(operations.cannot) } }),
    ...(checks?.hints === undefined ? {} : { checks: { ...checks, hints: texts(checks.hints) } }),
    examples: texts(kind.examples),
  };
}

interface Translation {
  readonly profile: Profile;
  readonly host: (name: string) => string;
  readonly texts: <T>(value: T) => T;
}

function fieldIn(name: string, field: Field, { profile, host, texts }: Translation): Field {
  const isDokploy = profile !== 'standard';
  const other = members.get(name);
  const words = once(() => wordsOf(name, schemaOf(field)));
  const spelling = once(() => spellingOf(words(), isDokploy));
  const show = (value: Json): Json =>
    isDokploy && mayHaveWords(name, value) ? (spelling()?.show(value) ?? value) : value;
  const { onChange, onNull, refersTo } = field;
  return {
    ...field,
    ...(other === undefined ? {} : isDokploy ? { written: other, also: name } : { also: other }),
    spelling,
    schema: isDokploy ? () => schemaIn(schemaOf(field), words(), texts) : field.schema,
    examples: [show(field.examples[0]), show(field.examples[1])],
    ...(field.words === undefined ? {} : { words: texts(field.words) }),
    ...(refersTo === undefined ? {} : { refersTo: host(refersTo) }),
    ...(typeof onChange === 'object' && 'refuse' in onChange ? { onChange: texts(onChange) } : {}),
    ...(onNull !== undefined && 'refuse' in onNull ? { onNull: texts(onNull) } : {}),
  };
}

/** The cases stay those of the API; their words are those of the field that names the case. */
function unionIn(union: Union, texts: Translation['texts']): Union {
  const { describe, words } = union;
  const worded = words === undefined ? {} : { words: mapValues(words, texts) };
  return { ...union, describe: texts(describe), ...worded };
}

/** Dokploy's words for the values of a choice and for the members of a value, by those of the API document. */
function wordsOf(name: string, schema: z.ZodType): Words {
  if (schema instanceof z.ZodEnum) {
    const values = new Map(Object.entries(dokploy.values[name] ?? {}));
    return new Map(schema.options.flatMap((value) => pairIn(values, String(value))));
  }
  if (schema instanceof z.ZodArray) return wordsOf(name, schema.element as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return new Map();
  return new Map(Object.keys(schema.shape).flatMap((key) => pairIn(members, key)));
}

function pairIn(words: Words, word: string): (readonly [string, string])[] {
  const other = words.get(word);
  return other === undefined ? [] : [[word, other]];
}

/** Returns true for a value that may hold a word of Dokploy. Reads no schema. */
function mayHaveWords(name: string, value: Json): boolean {
  if (typeof value === 'string') return Object.hasOwn(dokploy.values[name] ?? {}, value);
  if (Array.isArray(value)) return value.some((item: Json) => mayHaveWords(name, item));
  return (
    isObject(value) && Object.keys(value).some((key) => members.has(key) || mayHaveWords(name, value[key] ?? null))
  );
}

function spellingOf(words: Words, isDokploy: boolean): Spelling | undefined {
  if (words.size === 0) return undefined;
  const back: Words = new Map([...words].map(([word, other]) => [other, word]));
  return {
    others: isDokploy ? back : words,
    read: (written) => respelled(written, back),
    show: (value) => (isDokploy ? respelled(value, words) : value),
  };
}

/** A value with other words for itself and for its members. A member that would stand there twice stays. */
function respelled(value: Json, words: Words): Json {
  if (typeof value === 'string') return words.get(value) ?? value;
  if (Array.isArray(value))
    return value.map((item: Json) => (typeof item === 'string' ? item : respelled(item, words)));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const other = words.get(key);
      return [other === undefined || Object.hasOwn(value, other) ? key : other, inner];
    }),
  );
}

/** A schema that takes other words for values and members. */
function schemaIn(schema: z.ZodType, words: Words, texts: Translation['texts']): z.ZodType {
  const made = words.size === 0 ? schema : withWords(schema, words);
  const { description } = schema;
  const said = description === undefined ? undefined : texts(description);
  return said === undefined || (made === schema && said === description) ? made : made.describe(said);
}

function withWords(schema: z.ZodType, words: Words): z.ZodType {
  if (schema instanceof z.ZodEnum)
    return z.enum(schema.options.map((value) => words.get(String(value)) ?? String(value)));
  if (schema instanceof z.ZodArray)
    return new z.ZodArray({ ...schema.def, element: withWords(schema.element as z.ZodType, words) });
  if (!(schema instanceof z.ZodObject)) return schema;
  const shape = Object.entries(schema.shape).map(
    ([key, member]) => [words.get(key) ?? key, member as z.ZodType] as const,
  );
  return new z.ZodObject({ ...schema.def, shape: Object.fromEntries(shape) });
}

/** The texts in a value, and the names in it. */
function textsIn(value: unknown, profile: Profile): unknown {
  if (typeof value === 'string') return textIn(value, profile);
  if (Array.isArray(value)) return value.map((item) => textsIn(item, profile));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [textIn(key, profile), textsIn(inner, profile)]),
  );
}

function mapValues(words: Readonly<Record<string, string>>, change: (text: string) => string) {
  return Object.fromEntries(Object.entries(words).map(([key, text]) => [key, change(text)]));
}
