import type { Attribute } from '../kind/attribute.ts';
import type { Field } from '../kind/field.ts';
import { type Json, isObject } from '../formats/json.ts';
import { entriesIn, openBefore } from './named-values.ts';
import { bareValue, isOpenValue, isReference } from './not-secret.ts';
import { type Part, addPart, replaceParts } from './text-parts.ts';
import { concealedMark, redacted, rotatedMark } from './secret.ts';
import { contentRules, openBlock } from './secret-forms.ts';
import { isOpenName, isUserName, rulesOfKey } from './secret-names.ts';

/** How values and texts are masked. */
export interface Masking {
  /** Keys that the user calls private, beside those that look secret. */
  readonly privateKeys?: ReadonlySet<string> | undefined;
  /** Random letters are no sign of a secret. */
  readonly isOpen?: boolean;
  /** Values are what they are: `$x`, `<x>` and aliases stand for nothing else; a text is that of an env file. */
  readonly isEnv?: boolean;
  /** The parts of a text that are secret whatever they look like. */
  readonly known?: ((text: string) => readonly Part[]) | undefined;
}

/**
 * The parts of a text that a run knows as secrets. A plain word is one where it is the whole text: other names have it too.
 */
export function knownParts(find: (text: string) => readonly Part[]): NonNullable<Masking['known']> {
  return (text) =>
    find(text).filter(([from, to]) => to - from === text.length || !/^[a-z]+$/.test(text.slice(from, to)));
}

/**
 * A value of an attribute with `(sensitive)` in place of each part that looks like a secret or is private; the value itself
 * when there is none. Of a field that is declared open, neither its name nor random letters say anything: many hold ids.
 */
export function maskAttribute(
  { field, attribute }: { readonly field: Field; readonly attribute: Attribute },
  value: Json,
  privateKeys?: ReadonlySet<string>,
  known?: Masking['known'],
): Json {
  if (field.secrecy === undefined) {
    const mayKnow = typeof value === 'string' && privateKeys === undefined && known === undefined;
    if (mayKnow && openTexts.has(value)) return value;
    const masked = maskValue(undefined, value, { privateKeys, isOpen: true, known });
    if (mayKnow && masked === value && value.length <= maxKept.characters) keepOpen(value);
    return masked;
  }
  if (attribute.key === undefined && field.map !== undefined && typeof value === 'string')
    return maskText(value, { privateKeys, known, isEnv: true });
  return maskValue(attribute.key, value, { privateKeys, known });
}

/** Texts of open fields without a secret: a run shows, announces and records the same ones, and many objects share them. */
const openTexts = new Set<string>();
const maxKept = { texts: 10_000, characters: 256 };

function keepOpen(text: string): void {
  if (openTexts.size === maxKept.texts) openTexts.clear();
  openTexts.add(text);
}

/** Whether the value of a key looks like a secret as a whole: by the name, where the value can be one. */
export function isSecretEntry(key: string, value: string, how: Masking = {}): boolean {
  if (isPrivate(key, how)) return value !== '';
  const rules = rulesOfKey(key);
  if (rules.length === 0) return false;
  // Only texts of YAML, shells and templates have aliases, `$x`, `<x>` and `%x%`.
  if (how.isEnv === true && /^\s*(?:\*.+|\$\w+\W*|<.+>|%\w+%)(?:[ \t]+#.*)?$/s.test(value)) return true;
  // What a shell keeps is a folder: `PWD=/app`.
  if (isOpenValue(value) || (key === 'PWD' && /^[~./]/.test(value))) return false;
  const bare = bareValue(value);
  // An address hides its own secrets; whoever knows that of a webhook may use it.
  if (/^[a-z][a-z\d+.-]{0,31}:\/\/\S+$/i.test(bare) && !/webhook/i.test(key)) return false;
  return rules.some(({ open }) => open?.test(bare) !== true);
}

/** Returns true for a name that proves a secret whatever its value is, or that the user calls private. */
export function isSecretName(key: string, how: Masking = {}): boolean {
  return isPrivate(key, how) || rulesOfKey(key).some(({ open }) => open === undefined);
}

/**
 * A value with `(sensitive)` in place of each part that looks like a secret; the value itself when nothing does.
 * `key`: the name that it has, where that may tell what it is.
 */
export function maskValue(key: string | undefined, value: Json, how: Masking = {}): Json {
  if (typeof value === 'number') return key !== undefined && isSecretEntry(key, String(value), how) ? redacted : value;
  if (typeof value === 'string') {
    if (key !== undefined && isSecretEntry(key, value, { isEnv: true, ...how })) return redacted;
    return maskText(value, { ...how, isEnv: false, isOpen: how.isOpen ?? (key !== undefined && isOpenName(key)) });
  }
  if (value === null || typeof value !== 'object') return value;
  const isList = Array.isArray(value);
  const members = Object.entries<Json>(value as Readonly<Record<string, Json>>);
  // `{ name: DB_PASSWORD, value: x }`
  const named = members.find(([name, one]) => /^(?:name|key)$/i.test(name) && typeof one === 'string')?.[1];
  const masked = members.map(([name, one], at): [string, Json] => {
    // An option and its value stand one behind the other.
    const option = isList ? /^--?([A-Za-z][\w-]*)$/.exec(String(members[at - 1]?.[1]))?.[1] : undefined;
    const own = /^value$/i.test(name) && typeof named === 'string' ? named : name;
    const listed = option === undefined || String(one).startsWith('-') ? key : option;
    return [name, maskValue(isList ? listed : own, one, { ...how, isEnv: !isList })];
  });
  if (masked.every(([, one], at) => one === members[at]?.[1])) return value;
  return isList ? masked.map(([, one]) => one) : Object.fromEntries(masked);
}

/** The texts in a value of a field that is declared secret, but for names of users. */
export function secretTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((one) => secretTexts(one));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => (isUserName(key) ? [] : secretTexts(one)));
}

/**
 * A text with `(sensitive)` in place of each part that looks like a secret: values behind secret names, in YAML, JSON, XML,
 * env files and command lines, and what looks secret by itself. Its time is linear in the text.
 */
export function maskText(text: string, how: Masking = {}): string {
  return replaceParts(text, secretParts(text, how), hiddenLines);
}

/** How messages show a text with a name or without: with `(sensitive)` in place of each part that looks like a secret. */
export function showing(privateKeys?: ReadonlySet<string>): (text: string, key?: string) => string {
  return (text, key) => String(maskValue(key, text, { privateKeys, isEnv: false }));
}

/** The parts of a text that look like a secret, as offsets, in their order. None overlaps another. */
export function secretParts(text: string, how: Masking = {}): readonly Part[] {
  if (text.length > maxCharacters) return [[0, text.length]];
  const found: Part[] = [...(how.known?.(text) ?? [])];
  // Most values: no rule matches so little.
  if (found.length === 0 && text.length < 15 && /^[\w./-]*$/.test(text)) return [];
  const isNamed = (key: string) => isPrivate(key, how) || rulesOfKey(key).length > 0;
  for (const { key, value, parts } of entriesIn(text, isNamed, how.isEnv)) {
    const at = parts[0]?.[0] ?? 0;
    if (!isSecretEntry(key, value, how) || (!isPrivate(key, how) && isProse(text, at, value))) continue;
    for (const part of parts) found.push(part); // a spread of very many fills the stack
  }
  for (const { pattern, check, isGuess = false, isToken } of contentRules) {
    if (isGuess && how.isOpen === true) continue;
    const searched = isGuess ? text.replace(openBlock, (block) => ' '.repeat(block.length)) : text;
    pattern.lastIndex = 0;
    for (let match; (match = pattern.exec(searched)) !== null;) {
      const secret = match.slice(1).find((group) => group !== undefined) ?? match[0];
      const from = match.index + match[0].lastIndexOf(secret);
      const to = from + secret.length;
      if (check?.(secret, text.slice(Math.max(0, from - 64), from), text.slice(to, to + 64)) === false) continue;
      const isOther = isGuess ? isInComment(text, from) : isProse(text, from, secret);
      if (isToken === true || !isOther) found.push([from, to]);
    }
  }
  const parts: Part[] = [];
  for (const part of found.toSorted(([a], [b]) => a - b)) addPart(parts, part);
  return parts;
}

/** Returns true behind a sign that begins a comment: at the start of a line, or outside of quotes in it. */
function isInComment(text: string, at: number): boolean {
  return /^[ \t]*["']?(?:#|\/\/[ \t/]|;|--[ \t])|^[^"'`]*[ \t]#[ \t#]/.test(openBefore(text, at));
}

/** Returns true in a comment, but for a word in quotes or as no prose has it, and for a setting that is switched off. */
function isProse(text: string, at: number, secret: string): boolean {
  if (!isInComment(text, at)) return false;
  const isSure = /["']/.test(text.charAt(at - 1)) || /^(?=.*(?:\d|[a-z][A-Z])).{6}/.test(secret);
  if (isSure && /^\S+$/.test(secret)) return false;
  if (isReference(secret)) return true;
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at + 512).split('\n', 1)[0] ?? '';
  return !/^\W*(?:export[ \t]+)?[\w.-]+["']?[ \t]*(?:[:=]|=>)[ \t]*(?:"[^"]+"|'[^']+'|[^\s"']+)["',]*\s*$/.test(line);
}

function isPrivate(key: string, { privateKeys }: Masking): boolean {
  return privateKeys?.has(key) === true;
}

/** No request carries more. A pattern would need too large a stack for a text of many times that. */
const maxCharacters = 1_000_000;

/** What stands for a secret text: it has as many lines, so that texts can be compared line by line. A mark stays one. */
export function hiddenLines(secret: string): string {
  return secret === concealedMark || secret === rotatedMark ? secret : inEachLine(secret, redacted);
}

/** A text with a mark in place of what each of its lines has. */
export function inEachLine(text: string, mark: string): string {
  return text.includes('\n') ? text.replace(/[^\n]+/g, mark) : mark;
}
