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
    const key = keyOf(text, match, isWanted);
    // The value of an open name may itself be a name with a value.
    if (key === undefined) continue;
    const { parts, end, isOne = false } = valueBehind(text, match);
    const all = isOne ? text.slice(parts[0]?.[0] ?? end, parts.at(-1)?.[1]) : undefined;
    for (const part of parts) yield { key, value: unquoted(all ?? text.slice(...part)), part };
    at = Math.max(at, end);
  }
}

/** The name of a value, if it is wanted: the one it is written behind, or the one that it makes a pair with. */
function keyOf(text: string, match: RegExpExecArray, isWanted: (key: string) => boolean): string | undefined {
  const [, option, element, variable, argument, assigned] = match;
  const written = option ?? element ?? variable ?? argument ?? assigned ?? '';
  const behind = match.index + match[0].length;
  const isName = /^(?:name|key)$/i.test(written) && namesValue(text, behind);
  if (isName) return undefined;
  const pair = /^value$/i.test(written) ? (nameBefore(text, match.index) ?? nameBehind(text, behind)) : undefined;
  const attribute = element === undefined ? undefined : attributeName(text, behind);
  return [pair ?? written, attribute].find((key) => key !== undefined && isWanted(key));
}

/** The name of a pair `name: DB_PASSWORD, value: x`, also of one in elements or attributes of XML. */
function nameBefore(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - 256), at);
  const [, assigned, element] =
    /(?<![\w-])(?:(?:name|key)\\{0,3}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,3}["']?([\w.:-]{1,128})\\{0,3}["']?[ \t]{0,8}[,;>]?\s{0,64}\\{0,3}["']?|(?:name|key)>([\w.:-]{1,128})<\/\w{1,8}>\s{0,64})$/i.exec(
      before,
    ) ?? [];
  return assigned ?? element;
}

/** The name of a pair `value: x, name: DB_PASSWORD`, whose value stands in one line. */
function nameBehind(text: string, at: number): string | undefined {
  pairBehind.lastIndex = at;
  return pairBehind.exec(text)?.[1];
}

const pairBehind = new RegExp(
  [
    String.raw`[ \t]{0,8}(?:`,
    // In quotes, also in JSON within JSON; in braces; in a line of YAML.
    String.raw`(?:"(?:[^"\\\n]|\\.){0,256}"|'[^'\n]{0,256}'|\\{1,3}"[^"\n]{0,256}")(?:[ \t]{0,8},)?\s{0,64}`,
    String.raw`|[^\s"'\\\n,}\]][^\n,}\]]{0,255},\s{0,64}`,
    String.raw`|[^\n]{1,256}\n[ \t]{0,64}`,
    String.raw`)\\{0,3}["']?(?:name|key)\\{0,3}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,3}["']?([\w.:-]{1,128})`,
  ].join(''),
  'iy',
);

/** Whether the name of a pair stands at a place, such as `key="DB_PASSWORD" value=`: it is no value of its own. */
function namesValue(text: string, at: number): boolean {
  return /^[ \t]{0,8}["']?[\w.:-]{1,128}["']?[ \t]{0,8},?\s{1,64}["']?value["']?[ \t]{0,8}[:=]/i.test(
    text.slice(at, at + 256),
  );
}

/** The name in the attributes of an element: `<entry key="DB_PASSWORD">`. */
function attributeName(text: string, at: number): string | undefined {
  const [tag = ''] = text.slice(at, at + 512).split('>', 1);
  return /\s(?:name|key|id)=["']([\w.:-]{1,128})["']/i.exec(tag)?.[1];
}

/**
 * A name, and what stands between it and its value. In turn: an option of a command line; an element of XML; the default of
 * a variable of compose; the first argument of `define` in PHP, and the variable of `set` in nginx; and `name = value`,
 * `name: value`, `"name": value`, `$x['name'] = value`.
 */
const entry = new RegExp(
  [
    String.raw`(?<![\w-])--?([A-Za-z][\w.-]{1,63})(?=[=\s"',])`,
    String.raw`<([A-Za-z][\w:.-]{0,63})(?=(?:\s[^<>]{0,512})?>)`,
    String.raw`\$\{([A-Za-z_]\w{0,127}):?[-+](?=[^}])`,
    String.raw`(?<![\w-])(?:define\([ \t]{0,8}["'](?=\w{1,128}["'])|set[ \t]{1,8}\$)([A-Za-z_]\w{0,127})(?:["'][ \t]{0,8},|[ \t])[ \t]{0,16}`,
    String.raw`(?<![\w.-])([A-Za-z\d_][\w.-]{0,127})(?:\\{0,3}["']\]?)?[ \t]{0,16}(?::=|=>|=(?!=)|:(?=[\s"'\\[{|>&!*]|$))`,
  ].join('|'),
  'gm',
);

function valueBehind(text: string, match: RegExpExecArray): Found {
  const behind = match.index + match[0].length;
  const [, option, element, variable, argument] = match;
  if (option !== undefined) return optionValue(text, match, behind);
  if (element !== undefined) return elementValue(text, element, behind);
  if (variable !== undefined) return defaultValue(text, behind);
  if (argument !== undefined) return argumentValue(text, behind);
  return assigned(text, match, behind);
}

/** The text of an element, also in CDATA, and over several lines where its end follows; its attributes are read on. */
function elementValue(text: string, name: string, behind: number): Found {
  const open = text.indexOf('>', behind) + 1;
  if (text[open - 2] === '/') return { parts: [], end: behind };
  blankLines.lastIndex = open;
  blankLines.test(text);
  const first = blankLines.lastIndex;
  const isData = text.startsWith(dataBegin, first);
  const from = isData ? first + dataBegin.length : first;
  const end = isData ? text.slice(from, from + longestData).indexOf(']]>') : text.indexOf('<', from) - from;
  if (end < 0 || !(isData || text.startsWith(`</${name}`, from + end))) {
    const isBlank = /\s/.test(text[open] ?? ' ');
    return { parts: isBlank && !isData ? [] : upTo(text, from, elementEnd).parts, end: behind };
  }
  const to = from + text.slice(from, from + end).trimEnd().length;
  return { parts: to > from ? [[from, to]] : [], end: behind };
}

const blankLines = /\s*/y;
const dataBegin = '<![CDATA[';
const longestData = 8_192;

/** A value in quotes, or a word that no bracket or semicolon ends. */
function argumentValue(text: string, from: number): Found {
  return openQuoteAt(text, from) ? quoted(text, from) : upTo(text, from, argumentEnd);
}

/** Ends a word; a constant or a call of PHP is none. */
const argumentEnd = /(?!\w{1,128}\(|[A-Z_]{2,128}[ \t]{0,8}\))[^\s"'`;()]*/y;

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
  // Code is no secret.
  if (match[0].includes(']') && !openQuoteAt(text, from)) return { parts: [], end: from };
  properties.lastIndex = from;
  if (isYaml) properties.test(text);
  const inner = isYaml ? properties.lastIndex : from;
  const isAnchor = isYaml && /^(?:(?:&|!!)\S+[ \t]*)+$/.test(text.slice(from, inner));
  // The name of an anchor is no value.
  if (isAnchor && text.startsWith('# ', inner)) return { parts: [], end: inner };
  const first = text[inner];
  if (text[from] === '{' && (isYaml || !isFirst || !braced.test(text.slice(from, from + 1_024))))
    return { parts: [], end: from };
  if (first === undefined || first === '\n' || first === '\r') {
    const here = isAnchor ? inner : from;
    if (!isYaml || !isFirst) return upTo(text, here, lineEnd);
    const below = linesBelow(text, inner, { indent, how: 'values' });
    return { ...below, parts: [...upTo(text, here, lineEnd).parts, ...below.parts] };
  }
  if (isYaml && isFirst && (first === '|' || first === '>') && blockSign.test(text.slice(inner, inner + 32))) {
    return linesBelow(text, upTo(text, inner, lineEnd).end, { indent, how: 'block' });
  }
  // `- "KEY=value"`: the quote before the name ends the value.
  if (isFirst && !isYaml && ownQuote !== '' && !/["']/.test(match[0])) {
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
