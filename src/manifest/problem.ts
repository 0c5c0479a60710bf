import * as z from 'zod';
import { didYouMean } from '../diagnostics/closest.ts';
import { type Json, textsIn } from '../formats/json.ts';
import { groupBy } from '../kind/group.ts';
import { maskText } from '../secrets/looks-secret.ts';
import { concealedMark, redacted } from '../secrets/secret.ts';
import { type Node, type Place, keyPlaceAt, placeAt } from './tree.ts';

/** A value that a schema refuses. */
interface Refused {
  /** Its name as written: `replicas`, `source.type`. */
  readonly name: string;
  readonly value: unknown;
  /** true: messages name its type only. */
  readonly isSecret: boolean;
  /** The value as it was written, without quotes. */
  readonly source?: string | undefined;
}

/** Most characters of a key that a message shows whole: as many as YAML has in a key without `?`. */
const maxKey = 1_024;

/**
 * A key as a message shows it: behind a colon or `=` that lacks a blank stands a value, which may be a secret; behind a blank
 * too, when the key itself has none (`isEmpty`). Of a huge one, the beginning shows.
 */
export function shownKey(key: string, isEmpty = false): string {
  const shown = key.replace(isEmpty ? valueWithoutColon : valueInKey, '$1$2…');
  return shown.length > maxKey ? `${shown.slice(0, 100)}…` : shown;
}

/** The remedy for a key that holds its value too; undefined: it holds none. */
export function missingBlank(key: string, isEmpty = false): string | undefined {
  const [, name, sign = ''] = (isEmpty ? valueWithoutColon : valueInKey).exec(key) ?? [];
  if (name === undefined) return undefined;
  return `Write ${name}: with a ${/\s/.test(sign) ? 'colon and a blank' : 'blank behind the colon'}.`;
}

/** A name, and what stands behind it. */
const valueInKey = /^([A-Za-z_][\w.-]*)([:=])(?=.).*$/s;
const valueWithoutColon = /^([A-Za-z_][\w.-]*)([:=]|\s+)(?=.).*$/s;

/** The problems of a value, in words. */
interface Problem {
  readonly message: string;
  /** The place of the innermost value or key that the first problem is about. */
  readonly place: Place;
  /** The unknown key that it is about, if it is about one. */
  readonly unknownKey: string | undefined;
}

/** Describes the problems of a value. */
export function problemOf(error: z.ZodError, node: Node, refused: Refused): Problem {
  const [issue] = error.issues;
  const inner = issue === undefined ? undefined : innermost(issue, refused.value);
  const { path = [], code } = inner ?? {};
  const unknownKey = inner?.code === 'unrecognized_keys' ? inner.keys[0] : undefined;
  const key = unknownKey !== undefined ? [...path, unknownKey] : code === 'invalid_key' ? path : undefined;
  const place = key === undefined ? placeAt(node, path) : keyPlaceAt(node, key);
  return { message: wordsOf(error, refused), place, unknownKey };
}

/**
 * The problems of a value by their places. What a map lacks beside an unknown key is probably what that key was meant to be.
 */
export function byPlace({ issues }: z.ZodError): z.ZodError[] {
  const placeOf = ({ path }: z.core.$ZodIssue) => JSON.stringify(path);
  const unknown = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(placeOf));
  const reported = issues.filter((issue) => issue.code !== 'custom' || !unknown.has(placeOf(issue)));
  return [...groupBy(reported.map((issue) => [placeOf(issue), issue])).values()].map((some) => new z.ZodError(some));
}

/** The problems of a value, in words: `port must be a number, got "eighty"`. */
export function wordsOf(error: z.ZodError, refused: Refused): string {
  return error.issues.map((issue) => sentenceOf(issue, refused)).join('; ');
}

/** What to write instead, where the value shows what was meant: `Write https: true.` */
export function adviceFor(error: z.ZodError, refused: Refused): string | undefined {
  const { name, value, isSecret, source } = refused;
  const inner = error.issues[0] === undefined ? undefined : innermost(error.issues[0], value);
  if (inner === undefined || isSecret) return undefined;
  const path = pathOf(name, inner.path);
  const found = inner.path.reduce<unknown>(memberOf, value);
  if (inner.code === 'unrecognized_keys') {
    const [key = ''] = inner.keys;
    return missingBlank(key, memberOf(found, key) === null);
  }
  if (inner.code === 'invalid_type') {
    if (inner.expected === 'boolean' && typeof found === 'string') {
      const word = found.trim().toLowerCase();
      if (yes.includes(word)) return `Write ${path}: true.`;
      if (no.includes(word)) return `Write ${path}: false.`;
    }
    const isNumber = inner.expected === 'number' || inner.expected === 'int';
    if (isNumber && typeof found === 'string' && /^-?\d+(\.\d+)?$/.test(found)) {
      return `Write ${path}: ${found}, without quotes.`;
    }
    if (inner.expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) {
      return `Write it in quotes: ${path}: "${inner.path.length === 0 ? (source ?? String(found)) : String(found)}".`;
    }
  }
  return guessFor(error, refused);
}

/** The word that was probably meant: `Did you mean docker?` */
export function guessFor(error: z.ZodError, { value, isSecret }: Refused): string | undefined {
  const inner = error.issues[0] === undefined ? undefined : innermost(error.issues[0], value);
  const found = inner?.path.reduce<unknown>(memberOf, value);
  if (inner === undefined || isSecret || typeof found !== 'string') return undefined;
  const words =
    inner.code === 'invalid_value'
      ? inner.values.filter((item) => typeof item === 'string')
      : inner.code === 'invalid_union'
        ? inner.errors.flat().flatMap(wordsIn)
        : [];
  return didYouMean(found.trim(), words, undefined);
}

/** The words that one member of a union takes. */
function wordsIn(issue: z.core.$ZodIssue): string[] {
  if (issue.path.length > 0 || issue.code !== 'invalid_value') return [];
  return issue.values.filter((item) => typeof item === 'string');
}

const yes: readonly string[] = ['yes', 'y', 'on', 'true', '1', 'enabled'];
const no: readonly string[] = ['no', 'n', 'off', 'false', '0', 'disabled'];

function pathOf(name: string, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => shownKey(String(step)));
  return [name, ...steps].filter((step) => step !== '').join('.');
}

function sentenceOf(issue: z.core.$ZodIssue, { name, value, isSecret }: Refused): string {
  const inner = innermost(issue, value);
  const path = pathOf(name, inner.path);
  const found = inner.path.reduce<unknown>(memberOf, value);
  const got = `got ${isSecret ? typeOf(found) : shown(found)}`;
  switch (inner.code) {
    case 'invalid_type':
      return isCustom(inner)
        ? `${path} ${inner.message}`
        : `${path} must be ${nouns[inner.expected] ?? inner.expected}, ${got}`;
    case 'invalid_value':
      return `${path} must be ${alternatives(inner.values.map((item) => JSON.stringify(item)))}, ${got}`;
    case 'unrecognized_keys':
      return `${path} has no key ${inner.keys.map((key) => shownKey(key, memberOf(found, key) === null)).join(', ')}`;
    case 'too_small':
      if (isCustom(inner)) return `${path} ${inner.message}`;
      if (inner.origin === 'string' && inner.minimum === 1) return `${path} is empty`;
      return `${path} must ${amount(inner.origin, inner.minimum, inner.inclusive === false ? 'more than' : 'at least')}, ${got}`;
    case 'too_big':
      return `${path} must ${amount(inner.origin, inner.maximum, inner.inclusive === false ? 'less than' : 'at most')}, ${got}`;
    case 'invalid_union':
      return isCustom(inner) ? `${path} ${inner.message}` : `${path} has none of the forms it can have, ${got}`;
    case 'invalid_key':
      return `${path} is not a valid name`;
    case 'invalid_format':
      if (inner.format === 'url') return `${path} must be an address that begins with http:// or https://, ${got}`;
      if (!isCustom(inner)) return `${path} has the wrong form, ${got}`;
      return isSecret || !isShort(found) ? `${path} ${inner.message}` : `${path} ${shown(found)} ${inner.message}`;
    case 'custom':
      return `${path} ${isSecret && typeof inner.params?.['ofSecrets'] === 'string' ? inner.params['ofSecrets'] : inner.message}`;
    case 'not_multiple_of':
    case 'invalid_element':
      return `${path} ${inner.message}`;
    default:
      return inner satisfies never;
  }
}

/** Returns true for a text that a sentence can hold. */
function isShort(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && shown(value).length <= 40;
}

/**
 * Of a union, the problem deep inside one form says more than that no form fits: a value that is there, an unknown key, a
 * value that is missing.
 */
function innermost(issue: z.core.$ZodIssue, value: unknown): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const found = issue.path.reduce<unknown>(memberOf, value);
  const all = issue.errors.flat();
  const isThere = ({ path }: z.core.$ZodIssue) =>
    path.length > 0 && path.reduce<unknown>(memberOf, found) !== undefined;
  const deeper =
    all.find(isThere) ??
    all.find(({ code }) => code === 'unrecognized_keys') ??
    all.find(({ path }) => path.length > 0);
  return deeper === undefined ? issue : innermost({ ...deeper, path: [...issue.path, ...deeper.path] }, value);
}

/** The message completes the name to a sentence: `may not be owner`. */
function isCustom({ message }: z.core.$ZodIssue): boolean {
  return !/^(Invalid|Too) /.test(message);
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function amount(origin: string, size: number | bigint, bound: string): string {
  const unit = origin === 'string' ? ' characters' : origin === 'array' ? ' items' : undefined;
  return unit === undefined ? `be ${bound} ${size}` : `have ${bound} ${size}${unit}`;
}

/** Words as a choice: `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

/** A value as a message shows it: without what looks like a secret in it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    const text = maskText(value, { isOpen: true });
    // What may be a password in an address of no known form.
    const [, user = ''] = /:\/\/([^/?#]*)@/.exec(text) ?? [];
    if (/[:\s]/.test(user) && !user.includes(redacted)) return 'text';
    return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeOf(value);
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return { string: 'text', number: 'a number', boolean: 'true or false' }[typeof value as string] ?? 'a map';
}

function memberOf(value: unknown, step: PropertyKey): unknown {
  const members = typeof value === 'object' && value !== null ? value : {};
  return Object.hasOwn(members, step) ? (members as Record<PropertyKey, unknown>)[step] : undefined;
}

/** Whether a list or a map belongs there: no text fits, whichever it is. */
function isForListOrMap(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_type' && ['array', 'object', 'record'].includes(issue.expected);
}

/** What an error says of texts in the place of lists and maps; undefined where that is nothing. */
export function aboutListsAndMaps(error: z.ZodError | undefined): z.ZodError | undefined {
  const issues = error?.issues.filter(isForListOrMap) ?? [];
  return issues.length === 0 ? undefined : new z.ZodError(issues);
}

/** What an error says of the parts of a value without a mark; undefined where that is nothing. */
export function withoutMarks(error: z.ZodError, value: Json): z.ZodError | undefined {
  const inner = (at: Json | undefined, key: PropertyKey): Json | undefined =>
    typeof at === 'object' && at !== null ? (at as Readonly<Record<PropertyKey, Json>>)[key] : undefined;
  const isMarked = (issue: z.core.$ZodIssue): boolean => {
    const { code, path } = issue;
    if (isForListOrMap(issue)) return false;
    const found = path.reduce(inner, value);
    // Of a list or a map only these depend on the texts in it.
    const isAboutTexts = typeof found === 'string' || code === 'custom' || code === 'invalid_union';
    return isAboutTexts && textsIn(found).some((text) => text.includes(concealedMark));
  };
  const issues = error.issues.filter((issue) => !isMarked(issue));
  return issues.length === 0 ? undefined : new z.ZodError(issues);
}
