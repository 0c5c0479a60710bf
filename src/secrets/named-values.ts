/**
 * The values behind names in texts of any language. A value in quotes ends with them; one at the start of a line ends with
 * the line, or with the deeper lines below it; any other ends at the next sign that cannot be part of it. Where that is
 * unsure, it goes on to the end of the line. All of it takes linear time.
 */

import type { Part } from './text-parts.ts';
import { rulesOfKey } from './secret-names.ts';

/** A value behind a name, without its quotes, and its place; of a value of several lines, that of each. */
interface Entry {
  readonly key: string;
  readonly value: string;
  readonly parts: readonly Part[];
}

/** Values with the places of their lines, and where reading goes on. */
interface Found {
  readonly values: readonly (readonly Part[])[];
  readonly end: number;
}

/** A way to write a name in front of its value. Each group of the pattern is a name. */
interface Form {
  readonly name: RegExp;
  readonly valueAt: (text: string, from: number, match: RegExpExecArray, isEnv: boolean) => Found;
}

/** The values behind the names that are wanted, wherever in a text a name and its value stand. */
export function* entriesIn(text: string, isWanted: (key: string) => boolean, isEnv = false): Generator<Entry> {
  for (const form of forms) yield* entriesOf(form, text, isWanted, isEnv);
  yield* insertedIn(text, isWanted);
}

function* entriesOf(
  { name, valueAt }: Form,
  text: string,
  isWanted: (key: string) => boolean,
  isEnv: boolean,
  from = 0,
): Generator<Entry> {
  for (let at = from; ;) {
    name.lastIndex = at;
    const match = name.exec(text);
    if (match === null) return;
    at = name.lastIndex;
    const key = match.slice(1).find((one) => one !== undefined && isWanted(one));
    // The value of an open name may itself be a name with a value.
    if (key === undefined) continue;
    const { values, end } = valueAt(text, at, match, isEnv);
    for (const parts of values) {
      const written = text.slice(parts[0]?.[0], parts.at(-1)?.[1]);
      yield { key, value: written.replace(/^(["'`]?)(.*?)\1[,;]?$/s, '$2'), parts };
    }
    at = Math.max(at, end);
  }
}

/** The values of `INSERT INTO t (a, b) VALUES (1, 2), (3, 4)`, by their columns. */
function* insertedIn(text: string, isWanted: (key: string) => boolean): Generator<Entry> {
  for (let at = 0; ;) {
    insert.lastIndex = at;
    const [head, names = '', select] = insert.exec(text) ?? [];
    if (head === undefined) break;
    at = insert.lastIndex;
    const columns = names.split(',').map((name) => name.replaceAll(/[^\w.-]/g, ''));
    let [depth, column] = [select === undefined ? 0 : 1, 0];
    for (;;) {
      sqlWord.lastIndex = at;
      const [word, sign, quote = '', inQuotes, number] = sqlWord.exec(text) ?? [];
      if (word === undefined) break;
      const from = at + word.search(/\S/) + quote.length;
      at += word.length;
      if (sign === '(' && depth++ === 0) column = 0;
      if (sign === ')') depth--;
      if (sign === ',' && depth === 1) column++;
      const value = inQuotes ?? number ?? '';
      const key = columns[column] ?? '';
      if (isWanted(key)) yield { key, value, parts: [[from, from + value.length]] };
    }
  }
}

const insert = /\binto\s+[^\s(]+\s*\(([^()]*)\)\s*(?:values\s*(?=\()|(select)\s)/gi;
/** A sign, a text in quotes, a number, or another word of an expression. */
const sqlWord =
  /\s*(?:([(),])|(['"])((?:\2\2|\\\2(?!\s*[,)])|(?!\2)[^])*)\2?|(\d\w*)|(?!(?:from|where|into|on|returning)\b)[^\s'"(),;]+)/iy;

const nameOfPair = String.raw`(?:name|key)\\{0,3}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,3}["']?([\w.:-]{1,128})`;

/**
 * `name = value`, `name: value`, `"name": value`, `$x['name'] = 'value'`, and pairs in both orders:
 * `name: DB_PASSWORD, value: x`. The second may be JSON within JSON, in braces or lines of YAML.
 */
const assignment: Form = {
  name: new RegExp(
    [
      String.raw`(?<![\w.-])(?:${nameOfPair}\\{0,3}["']?[ \t]{0,8}[,;>]?\s{0,64}\\{0,3}["']?value`,
      String.raw`|value(?=\\{0,3}["']?[ \t]{0,8}[:=][^\n]{1,256}?[\s,"']\s{0,64}\\{0,3}["']?${nameOfPair})|([A-Za-z\d_][\w.-]{0,127}))`,
      String.raw`(?:\\{0,3}["']|\x60(?=[ \t]{0,8}=))?(?:\](?=[ \t]{0,16}=>?[ \t]{0,16}["']))?[ \t]{0,16}(?::=|=>|=(?!=)|:(?=[\s"'\\[{|>&!*]|$))`,
    ].join(''),
    'gim',
  ),
  valueAt: assigned,
};

const forms: readonly Form[] = [
  assignment,
  // `--password x`, `"--password", "x"`, and the next item of a list of YAML.
  {
    name: /(?<![\w-])--?([A-Za-z][\w.-]{1,63})(?:=|["']?[ \t]*,\s*(?=["'])|["']?[ \t]*\r?\n[ \t]*-[ \t]+|[ \t]+(?:\\\r?\n[ \t]*)?)(?![-\s]|\\\r?\n)/g,
    valueAt: (text, from) => quoted(text, from) ?? bare(text, from, /[^\s"'`]*/y),
  },
  // `<password>x</password>`, `<property name="password">x</property>`, `<name>password</name><value>x</value>`
  {
    name: new RegExp(
      [
        String.raw`(?:<(?:name|key)>([\w.:-]{1,128})</\w{1,8}>|<([A-Za-z][\w:.-]{0,63})`,
        String.raw`(?:\s(?:[^<>]{0,512}?(?<=\s)(?:name|key|id)=["']([\w.:-]{1,128})["'])?[^<>]{0,512})?(?<![/=-])>)`,
        String.raw`(?:\s{0,64}<value>)?(?:\s{0,64}<!\[CDATA\[)?`,
      ].join(''),
      'gi',
    ),
    valueAt: (text, from) => upTo(text, from, /(?<=CDATA\[)(?:[^\]]|\](?!\]>))*|[^<]*(?=<\/)|(?![\s"'])[^<\n]*/iy),
  },
  // `${PASSWORD:-x}`: with the defaults in it, and what is joined to its brace.
  {
    name: /\$\{([A-Za-z_]\w{0,127}):?[-+](?=[^}])/g,
    valueAt: (text, from) =>
      upTo(text, from, /(?:[^{}\n]|\{(?:[^{}\n]|\{[^{}\n]*\})*\})*(?:\}[^\s"'`,;/)@:?&\]|<>$\\}=.-][^\s"'`]*)?/y),
  },
  // `define('PASSWORD', 'x')`, `X-Api-Key "x"`, `set $password x`, `login a password x`, and `requirepass x` as a line.
  {
    name: new RegExp(
      [
        String.raw`(?<![\w-])(?:\w{1,64}\([ \t]{0,8}["'](\w{1,128})["'][ \t]{0,8},[ \t]{0,16}(?=["']|\d{3})`,
        String.raw`((?:X-[\w-]{0,32})?(?:(?:Api-?)?Key|Token|Secret|Auth))["']?[ \t]{1,4}(?=["'])|set[ \t]{1,8}\$(\w{1,128})[ \t]{1,16}`,
        String.raw`(?:^[ \t]{0,64}(?:sentinel[ \t]{1,8})?|login[ \t]{1,8}\S{1,128}[ \t]{1,8})([\w-]{0,32}(?:passw(?:or)?d|pass|auth))`,
      ].join('|') +
        String.raw`(?:(?<=sentinel[ \t]{1,8}auth-pass)[ \t]{1,8}\S{1,64})?[ \t]{1,32}(?=[^\s:=>]\S*[ \t]*$))`,
      'gim',
    ),
    valueAt: (text, from) => quoted(text, from) ?? upTo(text, from, /["'].*|[^\s"'`;()]*/y),
  },
  // `passwords: { anna: x }`, `$passwords = ['anna' => 'x']`, `[passwords]` as a section, and deeper lines.
  {
    name: /(passw(?:or)?ds)["']?\]{0,2}(?:[ \t]*(?::=|=>?|:)|(?<=\])$)/gim,
    valueAt: valuesOfMap,
  },
];

const lineEnd = /[^\n\r]*/y;
const blanks = /[ \t]*/y;
/** Anchors and tags before a value of YAML. */
const properties = /[ \t]*(?:&[^\s"'|>]+(?:[ \t]+|(?=[\r\n]|$))|![^\s"'|>]*[ \t]+)*/y;
const blockSign = /[|>][-+\d]{0,2}[ \t]*(?:#.*)?(?:[\r\n]|$)/y;
/** No value of its own: the names in it have theirs. */
const object = /\{(?![^\s"':=>]{1,256}[ \t]*(?:[\r\n]|$))/y;
const firstOfLine = /^[ \t]*(?:-[ \t]+)*(?:#[#;/ \t]*)?(?:export[ \t]+|ENV[ \t]+|ARG[ \t]+|Environment=)?["']?$/;

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function upTo(text: string, from: number, pattern: RegExp): Found {
  return span(text, from, endOf(pattern, text, from));
}

/** The values of a map: in its line up to a bracket, and in lines that are deeper or of its section. */
function valuesOfMap(text: string, from: number, { 0: head, index }: RegExpExecArray, isEnv: boolean): Found {
  const indent = /^[ \t#;/-]*/.exec(lineBefore(text, index))?.[0].replaceAll('-', ' ') ?? '';
  const isBelow = head.endsWith(']') ? String.raw`(?![ \t#;]*\[)` : String.raw`(?=[ \t\r]*\n|${indent}[ \t])`;
  const lines = String.raw`(?:"[^"\n]{0,512}"|'[^'\n]{0,512}'|[^\]})\n]|[\]})](?![\s,;)}\]]|$))*(?:\n${isBelow}.*)*`;
  const end = endOf(new RegExp(lines, 'y'), text, from);
  const isWanted = (name: string) => rulesOfKey(`password ${name}`).length > 0;
  const entries = entriesOf(assignment, text.slice(0, end), isWanted, isEnv, from);
  return { values: Array.from(entries, ({ parts }) => parts), end };
}

/** One value, without the blanks around it. */
function span(text: string, from: number, to: number, end = to): Found {
  const written = text.slice(from, to);
  const start = from + written.length - written.trimStart().length;
  const value = written.trim();
  return { values: value === '' ? [] : [[[start, start + value.length]]], end };
}

function assigned(text: string, from: number, match: RegExpExecArray, isEnv: boolean): Found {
  const before = lineBefore(text, match.index);
  const isFirst = firstOfLine.test(before);
  const isYaml = match[0].endsWith(':');
  const start = endOf(isYaml && !isEnv ? properties : blanks, text, from);
  if (!isEnv && endOf(object, text, start) > start) return span(text, start, start);
  // A text goes on in lines that are deeper than its key, or than the dash of its item.
  const indent = isYaml ? before.replace(/["']$/, '').length : before.lastIndexOf('-');
  if (/^(?:[\r\n]|$|#\s)/.test(text.slice(start, start + 2)))
    return isYaml && isFirst ? linesBelow(text, start, indent, isEnv ? 'entry' : 'values') : span(text, start, start);
  if (isYaml && isFirst && endOf(blockSign, text, start) > start)
    return linesBelow(text, endOf(lineEnd, text, start), indent, 'block');
  const { quote } = around(text, start);
  const isAt = (one: number): boolean => quote !== undefined && text.startsWith(quote, one);
  const inQuotes = isAt(start) ? undefined : quoted(text, start, isFirst && !isYaml);
  if (inQuotes !== undefined) return inQuotes;
  // `- "KEY=value"`: the quote before the name ends the value.
  if (!isYaml && isAt(match.index - (quote?.length ?? 0))) return upToQuote(text, start, quote, isFirst);
  const within = isYaml ? /[^\n\r"'`\\]*/y : /(?:[^\s"'`;&|)<>\\]|\\[^\s"'`])*/y;
  if (!isFirst) return bare(text, start, /["']:$/.test(match[0]) ? flowEnd : within);
  const line = endOf(lineEnd, text, start);
  // Behind `#` an env file has a comment, where people may have meant the rest of a password.
  const comment = isYaml ? text.slice(start, line).search(/[ \t]#(?=\s|$)/) : -1;
  const here = span(text, start, comment === -1 ? line : start + comment);
  if (comment !== -1 || (indent < 0 && !isEnv)) return here;
  const below = linesBelow(text, line, indent, isEnv ? 'entry' : 'text');
  return { values: [[...here.values, ...below.values].flat()], end: below.end };
}

function lineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - 512), at);
  return near.slice(near.lastIndexOf('\n') + 1);
}

/** The line before a place, without its texts in quotes: what still has a quote is open there. */
export function openBefore(text: string, at: number): string {
  const line = lineBefore(text, at).replace(/(?<!\w(?='))(?<!\\)(\\{0,3}["'`]).*?(?<!\\)\1/g, '');
  return line.replace(/\w'/g, '');
}

/** The quote that is open in the line before a place, and whether a brace or bracket outside of quotes is. */
function around(text: string, at: number): { readonly quote: string | undefined; readonly isFlow: boolean } {
  const open = openBefore(text, at);
  const quote = /\\{0,3}["'`](?=[^"'`]*$)/.exec(open)?.[0];
  const count = (signs: RegExp) => open.match(signs)?.length ?? 0;
  return { quote, isFlow: quote === undefined && count(/[[{]/g) > count(/[\]}]/g) };
}

/** A value without quotes within a line. It ends with the quote or bracket that is open around it, at the latest. */
function bare(text: string, from: number, pattern: RegExp): Found {
  const { quote, isFlow } = around(text, from);
  const end = endOf(isFlow ? flowEnd : pattern, text, from);
  // Another quote than the one around it is part of it.
  const isWhole = !/["'`\\]/.test(text[end] ?? '') || (quote !== undefined && text.startsWith(quote, end));
  return isWhole ? span(text, from, end) : upToQuote(text, from, quote);
}

const flowEnd = /(?:[^,}\]\n\r]|,(?![\s"'])|[}\]](?![\s,;)}\]]|$))*/y;

function upToQuote(text: string, from: number, quote: string | undefined, isOverLines = false): Found {
  const close = quote === undefined ? -1 : closingQuote(text, from, quote);
  const isThere = close !== -1 && (isOverLines || !text.slice(from, close).includes('\n'));
  return isThere ? span(text, from, close) : upTo(text, from, lineEnd);
}

/** A value in quotes, over several lines too, with what is joined to its end. `isEntry`: nothing else is on its line. */
function quoted(text: string, from: number, isEntry = false): Found | undefined {
  const open = /^\\{0,3}(?:"""|'''|["'`])/.exec(text.slice(from, from + 8))?.[0] ?? '';
  const inner = from + open.length;
  const close = open === '' ? -1 : closingQuote(text, inner, open);
  if (close === -1) return undefined;
  const behind = isEntry ? entryBehindQuote : behindQuote;
  behind.lastIndex = close + open.length;
  if (behind.test(text)) return span(text, inner, close, close + open.length);
  return span(text, inner, endOf(lineEnd, text, close));
}

/** What may stand behind a value in quotes, and is no part of it. */
const behindQuote = /$|[\s,}\]);&|<>:\\]|\/>|["'`](?:$|[\s,}\]);:\\])/y;
const entryBehindQuote = /[,;)}\]]*[ \t]*(?:$|[\r\n]|\/\/|[;)&|]|(?<=[ \t])#\s)|[ \t]+[A-Za-z_][\w.-]{0,128}=/y;

/** The quote that ends a text: one behind a backslash, or twice, is part of it. */
function closingQuote(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (quote === "'" && text[at + 1] === "'") at++;
    else if (quote === "'" || quote.length > 1 || !isEscaped(text, at)) return at;
  }
  return -1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

/** The lines below a key that are its value: a block, a text, all up to the next entry of an env file, or a list. */
function linesBelow(text: string, from: number, indent: number, how: 'block' | 'text' | 'entry' | 'values'): Found {
  const parts: Part[] = [];
  let end = from;
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) {
    const start = endOf(blanks, text, at + 1);
    const stop = endOf(lineEnd, text, start);
    const line = text.slice(start, stop).trimEnd();
    if (line === '' || (how === 'values' && line.startsWith('#'))) continue;
    const dash = how === 'values' ? (/^-[ \t]+/.exec(line)?.[0].length ?? 0) : 0;
    const item = line.slice(dash);
    if (start - at - (dash > 0 ? 0 : 1) <= indent && how !== 'entry') break;
    if (how !== 'block' && (how === 'entry' ? nextEntry : nextKey).test(item)) break;
    if (dash > 0 && /^[A-Za-z_.-]+$/.test(item)) break;
    parts.push([start + dash, start + line.length]);
    end = stop;
  }
  return { values: how === 'values' ? parts.map((part) => [part]) : parts.length === 0 ? [] : [parts], end };
}

/** No further line of a value: a comment, or a name with its own. */
const nextKey = /^(?:#|["']?[\w.-]+["']?[ \t]*:(?:[ \t]|$))/;
const nextEntry = /^(?:#|(?:export[ \t]+)?[\w.-]+[ \t]*(?:=|:[ \t]))/;
