import type { Found, Part } from './value-ends.ts';
import {
  around,
  elementEnd,
  flowAssignmentEnd,
  flowEnd,
  lineEnd,
  linesBelow,
  closingQuote,
  openQuoteAt,
  quoted,
  toQuote,
  upTo,
  withinLine,
  word,
  wordEnd,
} from './value-ends.ts';

/** A value behind a name, without its quotes. */
interface Entry {
  readonly key: string;
  readonly value: string;
  /** Its place; of a value of several lines, that of one of them. */
  readonly part: Part;
}

/** The values behind the names that are wanted, wherever in a text a name and its value stand. */
export function* entriesIn(text: string, isWanted: (key: string) => boolean): Generator<Entry> {
  for (let at = 0; ;) {
    entry.lastIndex = at;
    const match = entry.exec(text);
    if (match === null) return;
    at = entry.lastIndex;
    const written = match[1] ?? match[2] ?? match[3] ?? match[4] ?? '';
    const key = (/^value$/i.test(written) ? nameBefore(text, match.index) : undefined) ?? written;
    // The value of an open name may itself be a name with a value.
    if (!isWanted(key)) continue;
    const { parts, end, isOne = false } = valueBehind(text, match);
    const all = isOne ? text.slice(parts[0]?.[0] ?? end, parts.at(-1)?.[1]) : undefined;
    for (const part of parts) yield { key, value: unquoted(all ?? text.slice(...part)), part };
    at = Math.max(at, end);
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

function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^(["'`])(.*)\1[,;]?$/s, '$2')
    .replace(/[,;]$/, '');
}
