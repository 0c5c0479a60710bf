import { locateEnvValues } from '../kind/env-text.ts';
import type { Attribute } from '../kind/attribute.ts';
import type { Field } from '../kind/field.ts';
import type { Json } from '../kind/json.ts';
import { isObject } from '../kind/json.ts';
import { redacted } from './secret.ts';
import { afterthoughts, contentRules, isAspect, keyRules } from './secret-rules.ts';

/** How values and texts are masked. */
export interface Masking {
  /** Keys that the user calls private, beside those that look secret. */
  readonly privateKeys?: ReadonlySet<string> | undefined;
  /** Random letters are no sign of a secret. */
  readonly isOpen?: boolean;
}

/**
 * A value of an attribute with `(sensitive)` in place of each part that looks like a secret or is private; the value itself
 * when there is none. Of a field that is declared open, neither its name nor random letters say anything: many hold ids.
 */
export function maskAttribute(
  { field, attribute }: { readonly field: Field; readonly attribute: Attribute },
  value: Json,
  privateKeys?: ReadonlySet<string>,
): Json {
  if (field.secrecy === undefined) return maskValue(undefined, value, { privateKeys, isOpen: true });
  if (attribute.key === undefined && field.map !== undefined && typeof value === 'string')
    return maskEnvText(value, { privateKeys });
  return maskValue(attribute.key, value, { privateKeys });
}

/** Whether the value of a key looks like a secret as a whole: by the name, where the value can be one. */
export function isSecretEntry(key: string, value: string, how: Masking = {}): boolean {
  if (isPrivate(key, how)) return value !== '';
  const rule = ruleOfKey(key);
  if (rule === undefined || isOpenValue(value) || isWorkingDirectory(key, value)) return false;
  return rule !== 'weak' || !isPlainWord(value);
}

/** What a shell keeps under these names. */
function isWorkingDirectory(key: string, value: string): boolean {
  return /^(?:OLD)?PWD$/.test(key) && /^["']?(?:~|\.{0,2})\/[\w./@ -]*["']?$/.test(value);
}

/** The same for a value of a map: only texts of YAML, shells and templates have aliases, `$x`, `<x>` and `%x%`. */
function isSecretValue(key: string, value: string, how: Masking): boolean {
  if (isSecretEntry(key, value, how)) return true;
  return ruleOfKey(key) !== undefined && /^(?:\*.+|!reset\b.*|\$\w+|<.+>|%\w+%)$/is.test(value.trim());
}

/**
 * A value with `(sensitive)` in place of each part that looks like a secret; the value itself when nothing does.
 * `key`: the name that it has, where that may tell what it is.
 */
export function maskValue(key: string | undefined, value: Json, how: Masking = {}): Json {
  if (typeof value === 'string') {
    if (key !== undefined && isSecretValue(key, value, how)) return maskWhole(key, value, how);
    return maskText(value, how);
  }
  if (Array.isArray(value)) return maskList(key, value as readonly Json[], how);
  if (isObject(value)) {
    const members = Object.entries(value as Readonly<Record<string, Json>>);
    // `{ name: DB_PASSWORD, value: x }`
    const named = members.find(([name, inner]) => /^(?:name|key)$/i.test(name) && typeof inner === 'string')?.[1];
    const keyOf = (name: string) => (/^value$/i.test(name) && typeof named === 'string' ? named : name);
    const masked = members.map(([name, inner]) => [name, maskValue(keyOf(name), inner, how)] as const);
    return masked.every(([name, inner]) => inner === (value as Readonly<Record<string, Json>>)[name])
      ? value
      : Object.fromEntries(masked);
  }
  const isSecret = typeof value === 'number' && key !== undefined && isSecretEntry(key, String(value), how);
  return isSecret ? redacted : value;
}

/** Of an address the password is enough, unless the user wants the whole of it private. */
function maskWhole(key: string, value: string, how: Masking): string {
  if (isPrivate(key, how) || !/^[a-z][a-z\d+.-]{0,31}:\/\/\S+$/i.test(value)) return redacted;
  const masked = maskText(value, how);
  return masked === value ? redacted : masked;
}

function maskList(key: string | undefined, list: readonly Json[], how: Masking): Json {
  const masked = list.map((item, index) => {
    const before = list[index - 1];
    // An option and its value stand one behind the other.
    const option = typeof before === 'string' ? /^--?([A-Za-z][\w-]*)$/.exec(before)?.[1] : undefined;
    const name = option !== undefined && typeof item === 'string' && !item.startsWith('-') ? option : key;
    return typeof item === 'string' && (name === undefined || !isSecretEntry(name, item, how))
      ? maskText(item, how)
      : maskValue(name, item, how);
  });
  return masked.every((item, index) => item === list[index]) ? list : masked;
}

/**
 * The text of an env file with `(sensitive)` in place of each value that looks secret, or the secret part of it. Reads the
 * file as the platform does; what is no entry is masked like any text.
 */
export function maskEnvText(source: string, how: Masking = {}): string {
  if (source.length > mostCharacters) return redacted;
  const { text, values } = locateEnvValues(source);
  let masked = '';
  let at = 0;
  let isSame = true;
  for (const [index, { key, value, from, to: behind }] of values.entries()) {
    const to = isSecretValue(key, value, how)
      ? endOfEnvSecret(text, { from, to: behind, next: values[index + 1]?.from })
      : behind;
    const rest = text.slice(at, from);
    const written = text.slice(from, to);
    const shown = maskValue(key, value, how);
    // The name in front of the value is no text of its own.
    const name = rest.slice(rest.lastIndexOf('\n') + 1);
    masked += maskText(rest.slice(0, rest.length - name.length), how) + name;
    masked += shown === value ? written : shown === redacted ? hiddenLines(written) : maskText(written, how);
    isSame &&= shown === value;
    at = to;
  }
  const end = maskText(text.slice(at), how);
  return isSame && masked + end === text ? source : masked + end;
}

/**
 * Where a secret of an env file ends. Behind `#` the platform sees a comment, where people may have meant the rest of a
 * password. One whose quote its line does not close ends behind the lines up to the next entry.
 */
export function endOfEnvSecret(
  text: string,
  value: { readonly from: number; readonly to: number; readonly next: number | undefined },
): number {
  const { from, next } = value;
  const line = text.indexOf('\n', value.to);
  const to = line === -1 ? text.length : line;
  const quote = text[from] ?? '';
  if (!/^["'`]$/.test(quote) || text.slice(from + 1, to).includes(quote)) return to;
  const limit = next === undefined ? text.length : Math.max(to, text.lastIndexOf('\n', next - 1));
  const close = text.slice(to, limit).indexOf(quote);
  return close === -1 ? limit : Math.min(limit, upTo(text, to + close, lineEnd).end);
}

/**
 * A text with `(sensitive)` in place of each part that looks like a secret: values behind secret names, in YAML, JSON, XML,
 * env files and command lines, and what looks secret by itself. Its time is linear in the text.
 */
export function maskText(text: string, how: Masking = {}): string {
  if (text.length > mostCharacters) return redacted;
  let masked = '';
  let at = 0;
  for (const [from, to] of secretParts(text, how)) {
    masked += text.slice(at, from) + hiddenLines(text.slice(from, to));
    at = to;
  }
  return at === 0 ? text : masked + text.slice(at);
}

/** The parts of a text that look like a secret, as offsets, in their order. None overlaps another. */
export function secretParts(text: string, how: Masking = {}): readonly Part[] {
  if (text.length > mostCharacters) return [[0, text.length]];
  // Most values: no rule matches so little.
  if (text.length < 15 && /^[\w./-]*$/.test(text)) return [];
  const found: Part[] = [];
  const open: Part[] = [];
  findKeysInPem(text, found, open);
  findInAddresses(text, found);
  findEntries(text, how, found);
  for (const { pattern, check, isGuess } of text.length < 6 ? [] : contentRules) {
    if (isGuess === true && how.isOpen === true) continue;
    let nextOpen = 0;
    for (const match of text.matchAll(pattern)) {
      const secret = match.slice(1).find((group) => group !== undefined) ?? match[0];
      const from = match.index + match[0].lastIndexOf(secret);
      while ((open[nextOpen]?.[1] ?? Infinity) <= from) nextOpen++;
      if (isGuess === true && (open[nextOpen]?.[0] ?? Infinity) <= from) continue;
      if (check !== undefined && !check(secret, text.slice(Math.max(0, from - 64), from))) continue;
      found.push([from, from + secret.length]);
    }
  }
  return found.length === 0 ? found : merged(found);
}

function isPrivate(key: string, { privateKeys }: Masking): boolean {
  return privateKeys?.has(key) === true;
}

/** No request carries more. A pattern would need too large a stack for a text of many times that. */
const mostCharacters = 1_000_000;

/** Where a part of a text begins, and where it has ended. */
export type Part = readonly [from: number, to: number];

/** Parts in their order; those that overlap become one. */
function merged(found: readonly Part[]): Part[] {
  const parts: Part[] = [];
  for (const [from, to] of found.toSorted(([a], [b]) => a - b)) {
    const last = parts.at(-1);
    if (last === undefined || from >= last[1]) parts.push([from, to]);
    else parts[parts.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return parts;
}

/** What stands for a secret text: it has as many lines, so that texts can be compared line by line. */
export function hiddenLines(secret: string): string {
  return secret.includes('\n') ? secret.replace(/[^\n]+/g, redacted) : redacted;
}

/** Private keys in PEM, to the end of the text where nothing ends them; other whole blocks, such as certificates, are open. */
function findKeysInPem(text: string, found: Part[], open: Part[]): void {
  const begin = '-----BEGIN ';
  for (let at = text.indexOf(begin); at !== -1; at = text.indexOf(begin, at + 1)) {
    if (text.slice(at, at + 64).includes('PRIVATE KEY')) {
      const end = text.indexOf('-----END ', at);
      const behind = end === -1 ? -1 : text.indexOf('-----', end + 9);
      const to = behind === -1 ? text.length : behind + 5;
      found.push([at, to]);
      at = to - 1;
    } else {
      const to = endOfBlock(text, at);
      if (to !== undefined) open.push([at, to]);
    }
  }
}

/** Where a block in PEM ends that holds nothing but base64 and headers; none if it is no such block. */
function endOfBlock(text: string, at: number): number | undefined {
  blockBegin.lastIndex = at;
  const label = blockBegin.exec(text)?.[1];
  if (label === undefined) return undefined;
  const from = blockBegin.lastIndex;
  const to = text.indexOf('-----', from);
  const end = `-----END ${label}-----`;
  if (to === -1 || !text.startsWith(end, to)) return undefined;
  const body = text.slice(from, to).replace(blockHeader, '');
  return /[^A-Za-z\d+/=\s\\]|\\(?![nr])/.test(body) ? undefined : to + end.length;
}

const blockBegin = /-----BEGIN ([A-Z\d][A-Z\d ]{0,63})-----/y;
/** Headers of PEM and OpenPGP. */
const blockHeader = /^[ \t]{0,64}(?:Version|Comment|Hash|Charset|MessageID|Proc-Type|DEK-Info):[^\n]{0,128}$/gm;

/** Passwords in addresses: `scheme://user:password@host`; a user alone where it may be a token. */
function findInAddresses(text: string, found: Part[]): void {
  for (let at = text.indexOf('://'); at !== -1;) {
    const from = at + 3;
    // Of git over HTTP a user alone is a token.
    const isHttp = /https?$/i.test(text.slice(Math.max(0, at - 5), at));
    at = text.indexOf('://', from);
    // One that is longer is no address of people, and one that holds another one ends there.
    const run =
      text.slice(from, Math.min(at === -1 ? text.length : at, from + longestAddress)).split(endOfAddress, 1)[0] ?? '';
    const authority = run.slice(0, run.search(/[/?#]|$/));
    let end = authority.lastIndexOf('@');
    const colon = run.indexOf(':');
    // A password with a slash in it; behind a host stands a port.
    if (end === -1 && colon !== -1 && !/^\d{0,5}(?:[/?#]|$)/.test(run.slice(colon + 1))) end = run.lastIndexOf('@');
    if (end === -1) continue;
    const user = colon === -1 || colon > end ? end : colon;
    if (user < end) {
      const password = run.slice(user + 1, end);
      if (password !== '' && !isReference(password)) found.push([from + user + 1, from + end]);
    } else if (
      end > 0 &&
      !isReference(run.slice(0, end)) &&
      (isHttp || !/^[a-z][a-z_-]{0,15}$/.test(run.slice(0, end)))
    ) {
      found.push([from, from + end]);
    }
  }
}

const endOfAddress = /[\s"'`<>;|\\]/;
const longestAddress = 2_048;

/** Values behind names, wherever in a text a name and its value stand. */
function findEntries(text: string, how: Masking, found: Part[]): void {
  entry.lastIndex = 0;
  for (let match = entry.exec(text); match !== null; match = entry.exec(text)) {
    const written = match[1] ?? match[2] ?? match[3] ?? match[4] ?? '';
    const key = (/^value$/i.test(written) ? nameBefore(text, match.index) : undefined) ?? written;
    // The value of an open name may itself be a name with a value.
    if (!isPrivate(key, how) && ruleOfKey(key) === undefined) continue;
    const { parts, end, isOne = false } = valueBehind(text, match);
    const all = isOne ? text.slice(parts[0]?.[0] ?? end, parts.at(-1)?.[1]) : undefined;
    for (const [from, to] of parts) {
      const value = unquoted(all ?? text.slice(from, to));
      // The password of an address is found by itself.
      if (isSecretEntry(key, value, how) && maskWhole(key, value, how) === redacted) found.push([from, to]);
    }
    if (end > entry.lastIndex) entry.lastIndex = end;
  }
}

/** The name of a pair `name: DB_PASSWORD, value: x`. */
function nameBefore(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - 256), at);
  return /(?<![\w-])(?:name|key)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?([\w.-]{1,128})["']?[ \t]{0,8}[,;]?\s{0,64}["']?$/i.exec(
    before,
  )?.[1];
}

/**
 * A name, and what stands between it and its value. In turn: an option of a command line, an element of XML, the default
 * of a variable of compose, and `name = value`, `name: value`, `"name": value`.
 */
const entry =
  /(?<![\w-])--?([A-Za-z][\w.-]{1,63})(?=[=\s"',])|<([A-Za-z][\w:.-]{0,63})>(?=[^<\s])|\$\{([A-Za-z_]\w{0,127}):?[-+](?=[^}])|(?<![\w.-])([A-Za-z\d_][\w.-]{0,127})(?:\\{0,3}["'])?[ \t]{0,16}(?::=|=>|=(?!=)|:(?=[\s"'\\[{|>&!*]|$))/gm;

/** The places of the value behind a name, and where reading goes on. `isOne`: they are the lines of one value. */
interface Found {
  readonly parts: readonly Part[];
  readonly end: number;
  readonly isOne?: boolean;
}

function valueBehind(text: string, match: RegExpExecArray): Found {
  const behind = match.index + match[0].length;
  if (match[1] !== undefined) return optionValue(text, match, behind);
  if (match[2] !== undefined) return upTo(text, behind, elementEnd);
  if (match[3] !== undefined) return defaultValue(text, behind);
  return assigned(text, match, behind);
}

function optionValue(text: string, match: RegExpExecArray, behind: number): Found {
  optionGap.lastIndex = behind;
  if (!optionGap.test(text)) return { parts: [], end: behind };
  const from = optionGap.lastIndex;
  if (text[from] === '-' || text[from] === undefined) return { parts: [], end: from };
  return openQuoteAt(text, from) ? quoted(text, from) : word(text, from, around(text, match.index), wordEnd);
}

/** Between an option and its value: `=`, blanks, a comma and quotes in a list, or the next item of a list in YAML. */
const optionGap = /=|["']?[ \t]*,\s*(?=["'])|["']?[ \t]*\r?\n[ \t]*-[ \t]+|[ \t]+(?:\\\r?\n[ \t]*)?/y;
const wordEnd = /[^\s"'`]*/y;
const elementEnd = /[^<\n]*/y;
const lineEnd = /[^\n\r]*/y;
/** Ends a plain value of YAML in braces or brackets. */
const flowEnd = /[^,}\]\n\r]*/y;
/** The same for an assignment, which may have commas. */
const flowAssignmentEnd = /(?:[^,}\]\n\r]|,(?!\s)|[}\]](?![\s,}\]]|$))*/y;
/** Ends an assignment within a line: of a shell, an address, a list of settings. */
const withinLine = /(?:[^\s"'`;&|)<>\\]|\\[^\s"'`])*/y;

function upTo(text: string, from: number, end: RegExp): { parts: readonly Part[]; end: number } {
  end.lastIndex = from;
  end.test(text);
  return { parts: end.lastIndex > from ? [[from, end.lastIndex]] : [], end: end.lastIndex };
}

/** The default of a variable, with the defaults in it; what is joined to its brace belongs to it. */
function defaultValue(text: string, from: number): Found {
  let depth = 0;
  defaultBrace.lastIndex = from;
  for (let brace = defaultBrace.exec(text); brace !== null; brace = defaultBrace.exec(text)) {
    if (brace[0] === '\n') return { parts: [[from, brace.index]], end: brace.index };
    if (brace[0] !== '}') depth++;
    else if (depth > 0) depth--;
    else if (/[\s"'`,;/)@:?&\]|<>$\\}=.-]/.test(text[brace.index + 1] ?? ' '))
      return { parts: [[from, brace.index]], end: brace.index };
    else {
      const { end } = upTo(text, brace.index, joinedToBrace);
      return { parts: [[from, end]], end };
    }
  }
  return { parts: [[from, text.length]], end: text.length };
}

const defaultBrace = /\$\{|\}|\n/g;

const joinedToBrace = /[^\s"'`]*/y;

/** The quote that is open at an offset, and whether a brace or bracket is; as far as the line before it tells. */
interface Around {
  readonly quote: string | undefined;
  readonly isFlow: boolean;
}

function around(text: string, at: number): Around {
  const near = text.slice(Math.max(0, at - 256), at);
  const line = near.slice(near.lastIndexOf('\n') + 1);
  let quote: string | undefined;
  let inner: string | undefined;
  let depth = 0;
  for (const { 0: sign, index } of line.matchAll(/\\{0,8}["'`]|[[\]{}]/g)) {
    if (/^[[{]$/.test(sign)) depth += quote === undefined ? 1 : 0;
    else if (/^[\]}]$/.test(sign)) depth -= quote === undefined && depth > 0 ? 1 : 0;
    else if (quote === undefined) quote = sign === "'" && /\w/.test(line[index - 1] ?? '') ? undefined : sign;
    else if (sign === quote) [quote, inner] = [undefined, undefined];
    else if (sign.startsWith('\\')) inner = inner === sign ? undefined : sign;
  }
  return { quote: inner ?? quote, isFlow: depth > 0 };
}

/** A value without quotes of its own: where another quote than the one around it ends it, it goes on to the end of the line. */
function word(text: string, from: number, { quote }: Around, bare: RegExp): Found {
  const found = upTo(text, from, bare);
  const next = text[found.end];
  if (next === undefined || !/["'`\\]/.test(next)) return found;
  return quote !== undefined && text.startsWith(quote, found.end) ? found : toQuote(text, from, quote);
}

/** A value up to the quote around it, if the line has it; else the rest of the line. */
function toQuote(text: string, from: number, quote: string | undefined): Found {
  const line = upTo(text, from, lineEnd);
  if (quote === undefined) return line;
  const close = closingQuote(text.slice(0, line.end), from, quote);
  if (close === -1) return line;
  return { parts: close > from ? [[from, close]] : [], end: close };
}

/** A value in quotes, over several lines too, with what is joined to its end. `isEntry`: nothing else is on its line. */
function quoted(text: string, from: number, { isYaml = false, isEntry = false } = {}): Found {
  openQuote.lastIndex = from;
  const written = openQuote.exec(text)?.[0] ?? '';
  const open = isYaml && written === "'''" ? "'" : written;
  const inner = from + open.length;
  const close = closingQuote(text, inner, open);
  if (close === -1) return upTo(text, inner, lineEnd);
  const end = close + open.length;
  (isEntry ? entryBehindQuote : behindQuote).lastIndex = end;
  if ((isEntry ? entryBehindQuote : behindQuote).test(text)) return { parts: [[inner, close]], end };
  joined.lastIndex = end;
  joined.test(text);
  const isWord = !isEntry && !/["'`]/.test(text.slice(end, joined.lastIndex));
  const to = isWord ? joined.lastIndex : upTo(text, end, lineEnd).end;
  return { parts: [[inner, to]], end: to };
}

const openQuote = /\\{0,3}(?:"""|'''|["'`])/y;
const joined = /\S*/y;
/** What may stand behind a value in quotes, and is no part of it. */
const behindQuote = /$|[\s,}\]);&|<>:\\]|["'`](?:$|[\s,}\]);:\\])/y;
const entryBehindQuote = /[,;)}\]]*[ \t]*(?:$|[\r\n]|(?:\/\/|;|\)|&|\|))|[ \t]+[A-Za-z_][\w.-]{0,128}=/y;

function closingQuote(text: string, from: number, quote: string): number {
  let close = text.indexOf(quote, from);
  // A quote behind a backslash, or twice, is part of the text.
  while (close !== -1 && isEscaped(text, close, quote)) close = text.indexOf(quote, close + (quote === "'" ? 2 : 1));
  return close;
}

function isEscaped(text: string, at: number, quote: string): boolean {
  if (quote.length > 1) return false;
  if (quote === "'") return text[at + 1] === "'";
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

function assigned(text: string, match: RegExpExecArray, behind: number): Found {
  const near = text.slice(Math.max(0, match.index - 256), match.index);
  const before = near.slice(near.lastIndexOf('\n') + 1);
  const isFirst = /^[ \t]*(?:-[ \t]+)*(?:#[#;/ \t]*)?(?:export[ \t]+|ENV[ \t]+|ARG[ \t]+|Environment=)?["']?$/.test(
    before,
  );
  const isYaml = match[0].endsWith(':');
  const ownQuote = /["']?$/.exec(before)?.[0] ?? '';
  // A text goes on in lines that are deeper than its key, or than the dash of its item.
  const indent = isYaml ? before.length - ownQuote.length : before.lastIndexOf('-');
  blanks.lastIndex = behind;
  blanks.test(text);
  const from = blanks.lastIndex;
  properties.lastIndex = from;
  if (isYaml) properties.test(text);
  const inner = isYaml ? properties.lastIndex : from;
  const first = text[inner];
  if (text[from] === '{' && (isYaml || !isFirst || !braced.test(text.slice(from, from + 1_024))))
    return { parts: [], end: from };
  if (first === undefined || first === '\n' || first === '\r') {
    if (!isYaml || !isFirst) return upTo(text, from, lineEnd);
    const below = linesBelow(text, inner, { indent, how: 'values' });
    return { ...below, parts: [...upTo(text, from, lineEnd).parts, ...below.parts] };
  }
  if (isYaml && isFirst && (first === '|' || first === '>') && blockSign.test(text.slice(inner, inner + 32))) {
    return linesBelow(text, upTo(text, inner, lineEnd).end, { indent, how: 'block' });
  }
  // `- "KEY=value"`: the quote before the name ends the value.
  if (isFirst && !isYaml && ownQuote !== '') {
    const line = upTo(text, from, lineEnd).end;
    const last = text.slice(from, line).lastIndexOf(ownQuote);
    const close = last === -1 ? closingQuote(text, line, ownQuote) : from + last;
    const to = close === -1 ? line : close;
    return { parts: to > from ? [[from, to]] : [], end: to };
  }
  if (openQuoteAt(text, inner)) return quoted(text, inner, { isYaml, isEntry: isFirst && !isYaml });
  if (!isFirst) return withinLineOf(text, match.index, from, isYaml);
  const line = upTo(text, from, lineEnd).end;
  const written = text.slice(from, line);
  // Behind `#` an env file has a comment, where people may have meant the rest of a password.
  const comment = isYaml ? written.search(/[ \t]#(?=\s|$)/) : -1;
  const bare = (comment === -1 ? written : written.slice(0, comment)).trimEnd();
  const here: Part = [from, from + bare.length];
  if (indent < 0 || comment !== -1) return { parts: [here], end: here[1] };
  const below = linesBelow(text, line, { indent, how: 'text' });
  return { parts: [here, ...below.parts], end: Math.max(here[1], below.end), isOne: true };
}

/** A value behind a name that is not the first of its line. */
function withinLineOf(text: string, at: number, from: number, isYaml: boolean): Found {
  const where = around(text, at);
  const isQuoted = where.quote !== undefined && text.startsWith(where.quote, at - where.quote.length);
  if (isQuoted && !isYaml) return toQuote(text, from, where.quote);
  if (where.isFlow && (isQuoted || where.quote === undefined))
    return upTo(text, from, isYaml ? flowEnd : flowAssignmentEnd);
  return isYaml ? toQuote(text, from, where.quote) : word(text, from, where, withinLine);
}

/** Anchors and tags before a value of YAML. */
const properties = /(?:[&!][^\s"'|>]*[ \t]*)*/y;
/** A value in braces that is no object. */
const braced = /^\{[^\s"':=]+[ \t]*(?:\r?\n|$)/;
const blanks = /[ \t]*/y;
const blockSign = /^[|>][-+\d]{0,2}[ \t]*(?:#.*)?(?:\r?\n|$)/;

function openQuoteAt(text: string, at: number): boolean {
  openQuote.lastIndex = at;
  return openQuote.test(text);
}

function indentOf(text: string, lineStart: number): number {
  let at = lineStart;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at - lineStart;
}

/** The lines below a key of YAML that are its value: a text, in a block or going on, or a list of values; not further keys. */
function linesBelow(
  text: string,
  from: number,
  { indent, how }: { readonly indent: number; readonly how: 'block' | 'text' | 'values' },
): Found {
  const parts: Part[] = [];
  let at = text.indexOf('\n', from);
  let end = from;
  while (at !== -1) {
    const start = at + 1;
    const depth = indentOf(text, start);
    const next = text.indexOf('\n', start);
    const stop = next === -1 ? text.length : next;
    const line = text.slice(start + depth, stop).trimEnd();
    const isItem = how === 'values' && /^-[ \t]/.test(line);
    if (line !== '') {
      if (depth < indent || (depth === indent && !isItem)) break;
      if (how === 'text' && line.startsWith('#')) break;
      const item = isItem ? line.replace(/^-[ \t]+/, '') : line;
      if (how !== 'block' && /^["']?[\w.-]+["']?[ \t]*:(?:[ \t]|$)/.test(item)) break;
      if (isItem && /^[\w.-]+$/.test(item) && !/\d/.test(item)) break;
      parts.push([start + depth + line.length - item.length, start + depth + line.length]);
      end = stop;
    }
    at = next;
  }
  return { parts, end, isOne: how !== 'values' };
}

function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^(["'`])(.*)\1[,;]?$/s, '$2')
    .replace(/[,;]$/, '');
}

/** What stands under a secret name and is none: nothing, a flag, a reference to a variable, a path, an alias of YAML. */
function isOpenValue(value: string): boolean {
  const text = value.trim();
  return (
    /^(?:|true|false|yes|no|on|off|null|none|nil|undefined|~|\*[\w-]+|!reset.*|\{\}|\[\]|\(sensitive\))$/i.test(text) ||
    isReference(text) ||
    isPath(text)
  );
}

/** A variable of compose or a shell, a template; one with a default that is no reference is none. */
function isReference(text: string): boolean {
  if (text.length > 512) return false;
  return (
    /^\$\$?(?:\w+|\{\w+(?::?\?[^}]*)?\}|\{\w+:?[-+]\}|\{\{[^{}]*\}\}|\((?:cat|file)[^)]*\))$/.test(text) ||
    /^\$\{\w+:?[-+]\$\{?\w+(?:[:?][^}]*)?\}?\}$/.test(text) ||
    /^\{\{[^{}]*\}\}$/.test(text) ||
    /^<[\w -]{1,40}>$/.test(text) ||
    /^%\w+%$/.test(text) ||
    // An expression of a manifest: where it was filled in, its value stands here.
    /^\$\{(?:secret|env|var|ref|file):[^}]*\}$/.test(text) ||
    /^(?:process\.env|os\.environ|env|secrets?)[.[(]["'\w.-]+[\])]?$/.test(text)
  );
}

/** A path of words: `/run/secrets/db`, `./certs/shop.key`. */
function isPath(text: string): boolean {
  if (text.length > 256 || !/^(?:\.{0,2}|~)\/[\w./-]+$|^[\w-]+(?:\/[\w.-]+)+\.\w{1,5}$/.test(text)) return false;
  const parts = text.split(/[-_./~]+/).filter((part) => part !== '');
  return parts.length >= 2 && parts.every((part) => /^(?:[A-Z]?[a-z]{0,20}\d{0,4}|[A-Z]{1,16}|\d{1,4})$/.test(part));
}

/** What stands under a name that proves little, and is a word, a small number or a name of words. */
function isPlainWord(value: string): boolean {
  const text = value.trim();
  if (text.length > 64 || /secret|passw|token|change.?me/i.test(text)) return false;
  return /^(?:[A-Za-z]{1,20}|-?\d{1,4}|[A-Za-z]{2,20}(?:[-_. ][A-Za-z]{1,20}){1,4}|\$\w+)$/.test(text);
}

const known = new Map<string, 'strong' | 'weak' | undefined>();

/** The rule that a key matches; remembered, because the same keys come again. */
function ruleOfKey(key: string): 'strong' | 'weak' | undefined {
  if (key.length > 128) return undefined;
  if (known.has(key)) return known.get(key);
  const words = wordsOf(key);
  const isAccessKeyId = /access_?key_?id$/i.test(key);
  const matching = isAspect(words) && !isAccessKeyId ? undefined : keyRules.filter((rule) => rule.matches(words));
  const found =
    matching === undefined || matching.length === 0
      ? undefined
      : matching.every((rule) => rule.isWeak === true)
        ? 'weak'
        : 'strong';
  if (known.size >= 10_000) known.clear();
  known.set(key, found);
  return found;
}

/** The words of a key in lower case, without what may stand behind the name of a secret. */
function wordsOf(key: string): string[] {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  while (words.length > 1 && (afterthoughts.has(words.at(-1) ?? '') || /^v?\d+$/.test(words.at(-1) ?? ''))) words.pop();
  const end = words.at(-1);
  if (end !== undefined) words[words.length - 1] = end.replace(/\d+$/, '') || end;
  return words;
}
