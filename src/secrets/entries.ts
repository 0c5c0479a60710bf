/**
 * The values behind names in texts of any language. A value in quotes ends with them; one at the start of a line ends with
 * the line, or with the deeper lines below it; any other ends at the next sign that cannot be part of it. Where that is
 * unsure, it goes on to the end of the line. All of it takes linear time.
 */

/** Where a part of a text begins, and where it has ended. */
export type Part = readonly [from: number, to: number];

/** A value behind a name, without its quotes. */
interface Entry {
  readonly key: string;
  readonly value: string;
  /** Its place; of a value of several lines, that of one of them. */
  readonly part: Part;
}

/** The places of a value, and where reading goes on. `isOne`: they are the lines of one value. */
interface Found {
  readonly parts: readonly Part[];
  readonly end: number;
  readonly isOne?: boolean;
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

/** The name of a value, if it is wanted: the one it is written behind, or the one that it makes a pair with. */
function keyOf(text: string, match: RegExpExecArray, isWanted: (key: string) => boolean): string | undefined {
  const [, option, element, variable, argument, assigned] = match;
  const written = option ?? element ?? variable ?? argument ?? assigned ?? '';
  const behind = match.index + match[0].length;
  // `key="DB_PASSWORD" value=`: the name of a pair is no value of its own.
  if (/^(?:name|key)$/i.test(written) && namesValue.test(text.slice(behind, behind + 256))) return undefined;
  const pair = /^value$/i.test(written) ? (nameBefore(text, match.index) ?? nameBehind(text, behind)) : undefined;
  // `<entry key="DB_PASSWORD">`
  const [tag = ''] = element === undefined ? [] : text.slice(behind, behind + 512).split('>', 1);
  const attribute = /\s(?:name|key|id)=["']([\w.:-]{1,128})["']/i.exec(tag)?.[1];
  return [pair ?? written, attribute].find((key) => key !== undefined && isWanted(key));
}

const namesValue = /^[ \t]{0,8}["']?[\w.:-]{1,128}["']?[ \t]{0,8},?\s{1,64}["']?value["']?[ \t]{0,8}[:=]/i;

/** The name of a pair `name: DB_PASSWORD, value: x`, also of one in elements or attributes of XML. */
function nameBefore(text: string, at: number): string | undefined {
  const [, assigned, element] = pairBefore.exec(text.slice(Math.max(0, at - 256), at)) ?? [];
  return assigned ?? element;
}

/** The name of a pair `value: x, name: DB_PASSWORD`, whose value stands in one line. */
function nameBehind(text: string, at: number): string | undefined {
  pairBehind.lastIndex = at;
  return pairBehind.exec(text)?.[1];
}

const nameOfPair = String.raw`(?:name|key)\\{0,3}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,3}["']?([\w.:-]{1,128})`;
const pairBefore = new RegExp(
  String.raw`(?<![\w-])(?:${nameOfPair}\\{0,3}["']?[ \t]{0,8}[,;>]?\s{0,64}\\{0,3}["']?|(?:name|key)>([\w.:-]{1,128})</\w{1,8}>\s{0,64})$`,
  'i',
);
const pairBehind = new RegExp(
  [
    String.raw`[ \t]{0,8}(?:`,
    // In quotes, also in JSON within JSON; in braces; in a line of YAML.
    String.raw`(?:"(?:[^"\\\n]|\\.){0,256}"|'[^'\n]{0,256}'|\\{1,3}"[^"\n]{0,256}")(?:[ \t]{0,8},)?\s{0,64}`,
    String.raw`|[^\s"'\\\n,}\]][^\n,}\]]{0,255},\s{0,64}|[^\n]{1,256}\n[ \t]{0,64})\\{0,3}["']?${nameOfPair}`,
  ].join(''),
  'iy',
);

function valueBehind(text: string, match: RegExpExecArray): Found {
  const behind = match.index + match[0].length;
  const [, option, element, variable, argument] = match;
  if (element !== undefined) return elementValue(text, element, behind);
  if (variable !== undefined) return defaultValue(text, behind);
  if (argument !== undefined) return quoted(text, behind) ?? upTo(text, behind, argumentEnd);
  if (option === undefined) return assigned(text, match, behind);
  const from = endOf(optionGap, text, behind);
  if (from === behind || text[from] === '-' || text[from] === undefined) return { parts: [], end: from };
  return quoted(text, from) ?? bare(text, match.index, from, wordEnd);
}

/** Between an option and its value: `=`, blanks, a comma and quotes in a list, or the next item of a list in YAML. */
const optionGap = /=|["']?[ \t]*,\s*(?=["'])|["']?[ \t]*\r?\n[ \t]*-[ \t]+|[ \t]+(?:\\\r?\n[ \t]*)?/y;
/** Ends a word; a constant or a call of PHP is none. */
const argumentEnd = /(?!\w{1,128}\(|[A-Z_]{2,128}[ \t]{0,8}\))[^\s"'`;()]*/y;
const wordEnd = /[^\s"'`]*/y;
const lineEnd = /[^\n\r]*/y;
/** Ends a plain value of YAML in braces or brackets, and an assignment, which may have commas. */
const flowEnd = /[^,}\]\n\r]*/y;
const flowAssignmentEnd = /(?:[^,}\]\n\r]|,(?!\s)|[}\]](?![\s,}\]]|$))*/y;
/** Ends an assignment within a line: of a shell, an address, a list of settings. */
const withinLine = /(?:[^\s"'`;&|)<>\\]|\\[^\s"'`])*/y;
const blanks = /[ \t]*/y;

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function upTo(text: string, from: number, pattern: RegExp): Found {
  return span(from, endOf(pattern, text, from));
}

function span(from: number, to: number, end = to): Found {
  return { parts: to > from ? [[from, to]] : [], end };
}

/** The text of an element, also in CDATA, and over several lines where its end follows; its attributes are read on. */
function elementValue(text: string, name: string, behind: number): Found {
  const open = text.indexOf('>', behind) + 1;
  if (text[open - 2] === '/') return { parts: [], end: behind };
  const first = endOf(/\s*/y, text, open);
  const isData = text.startsWith('<![CDATA[', first);
  const from = isData ? first + 9 : first;
  const end = isData ? text.slice(from, from + 8_192).indexOf(']]>') : text.indexOf('<', from) - from;
  if (end >= 0 && (isData || text.startsWith(`</${name}`, from + end)))
    return span(from, from + text.slice(from, from + end).trimEnd().length, behind);
  const isBlank = /\s/.test(text[open] ?? ' ');
  return isBlank && !isData ? { parts: [], end: behind } : { ...upTo(text, from, /[^<\n]*/y), end: behind };
}

/** The default of a variable, with the defaults in it; what is joined to its brace belongs to it. */
function defaultValue(text: string, from: number): Found {
  let depth = 0;
  let brace: RegExpExecArray | null;
  defaultBrace.lastIndex = from;
  while ((brace = defaultBrace.exec(text)) !== null) {
    if (brace[0] === '\n') return span(from, brace.index);
    if (brace[0] !== '}') depth++;
    else if (--depth < 0) {
      const isEnd = /[\s"'`,;/)@:?&\]|<>$\\}=.-]/.test(text[brace.index + 1] ?? ' ');
      return span(from, isEnd ? brace.index : endOf(wordEnd, text, brace.index));
    }
  }
  return span(from, text.length);
}

const defaultBrace = /\$\{|\}|\n/g;

function assigned(text: string, match: RegExpExecArray, behind: number): Found {
  const before = lineBefore(text, match.index);
  const isFirst = firstOfLine.test(before);
  const isYaml = match[0].endsWith(':');
  const ownQuote = /["']?$/.exec(before)?.[0] ?? '';
  const from = endOf(blanks, text, behind);
  const inner = isYaml ? endOf(properties, text, from) : from;
  const isAnchor = isYaml && /^(?:(?:&|!!)\S+[ \t]*)+$/.test(text.slice(from, inner));
  const start = isAnchor ? inner : from;
  const isObject = text[start] === '{' && (isYaml || !isFirst || !braced.test(text.slice(start, start + 1_024)));
  // Code is no secret, and neither is the name of an anchor.
  const isCode = match[0].includes(']') && !openQuote.test(text.slice(start, start + 4));
  if (isObject || isCode || (isAnchor && text.startsWith('# ', inner))) return { parts: [], end: from };
  // A text goes on in lines that are deeper than its key, or than the dash of its item.
  const indent = isYaml ? before.length - ownQuote.length : before.lastIndexOf('-');
  if (/^(?:\r|\n|$)/.test(text.slice(inner, inner + 1))) {
    const here = upTo(text, start, lineEnd);
    if (!isYaml || !isFirst) return here;
    const below = linesBelow(text, inner, indent, 'values');
    return { ...below, parts: [...here.parts, ...below.parts] };
  }
  if (isYaml && isFirst && blockSign.test(text.slice(inner, inner + 32)))
    return linesBelow(text, endOf(lineEnd, text, inner), indent, 'block');
  // `- "KEY=value"`: the quote before the name ends the value.
  if (isFirst && !isYaml && ownQuote !== '' && !/["']/.test(match[0])) {
    const line = endOf(lineEnd, text, from);
    const last = text.slice(from, line).lastIndexOf(ownQuote);
    const close = last === -1 ? closingQuote(text, line, ownQuote) : from + last;
    return span(from, close === -1 ? line : close);
  }
  const inQuotes = quoted(text, inner, { isYaml, isEntry: isFirst && !isYaml });
  if (inQuotes !== undefined) return inQuotes;
  if (!isFirst) return bare(text, match.index, start, withinLine, isYaml);
  const line = endOf(lineEnd, text, start);
  const written = text.slice(start, line);
  // Behind `#` an env file has a comment, where people may have meant the rest of a password.
  const comment = isYaml ? written.search(/[ \t]#(?=\s|$)/) : -1;
  const here = span(start, start + (comment === -1 ? written : written.slice(0, comment)).trimEnd().length);
  if (indent < 0 || comment !== -1) return here;
  const below = linesBelow(text, line, indent, 'text');
  return { parts: [...here.parts, ...below.parts], end: Math.max(here.end, below.end), isOne: true };
}

const firstOfLine = /^[ \t]*(?:-[ \t]+)*(?:#[#;/ \t]*)?(?:export[ \t]+|ENV[ \t]+|ARG[ \t]+|Environment=)?["']?$/;
/** Anchors and tags before a value of YAML. */
const properties = /(?:[&!][^\s"'|>]*[ \t]*)*/y;
/** A value in braces that is no object. */
const braced = /^\{[^\s"':=]+[ \t]*(?:\r?\n|$)/;
const blockSign = /^[|>][-+\d]{0,2}[ \t]*(?:#.*)?(?:\r?\n|$)/;

function lineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - 256), at);
  return near.slice(near.lastIndexOf('\n') + 1);
}

/** A value without quotes within a line. It ends with the quote or bracket that is open around its name, at the latest. */
function bare(text: string, at: number, from: number, word: RegExp, isYaml?: boolean): Found {
  const { quote, isFlow } = around(lineBefore(text, at));
  // Looked for only where the value goes on to it: a line of many values is not read again for each.
  const toLimit = (): Found => {
    const line = endOf(lineEnd, text, from);
    const close = quote === undefined ? -1 : closingQuote(text.slice(0, line), from, quote);
    return span(from, close === -1 ? line : close);
  };
  const isOwn = quote !== undefined && text.startsWith(quote, at - quote.length);
  if (isOwn && isYaml === false) return toLimit();
  if (isYaml !== undefined && isFlow && (isOwn || quote === undefined))
    return upTo(text, from, isYaml ? flowEnd : flowAssignmentEnd);
  if (isYaml === true) return toLimit();
  const end = endOf(word, text, from);
  // Another quote than the one around it is part of it.
  const isWhole = !/["'`\\]/.test(text[end] ?? '') || (quote !== undefined && text.startsWith(quote, end));
  return isWhole ? span(from, end) : toLimit();
}

/** The quote that is open behind the beginning of a line, and whether a brace or bracket is. */
function around(line: string): { readonly quote: string | undefined; readonly isFlow: boolean } {
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

/** A value in quotes, over several lines too, with what is joined to its end. `isEntry`: nothing else is on its line. */
function quoted(text: string, from: number, { isYaml = false, isEntry = false } = {}): Found | undefined {
  const written = openQuote.exec(text.slice(from, from + 8))?.[0];
  if (written === undefined) return undefined;
  const open = isYaml && written === "'''" ? "'" : written;
  const inner = from + open.length;
  const close = closingQuote(text, inner, open);
  if (close === -1) return upTo(text, inner, lineEnd);
  const end = close + open.length;
  const behind = isEntry ? entryBehindQuote : behindQuote;
  behind.lastIndex = end;
  if (behind.test(text)) return span(inner, close, end);
  const joined = endOf(/\S*/y, text, end);
  return span(inner, isEntry || /["'`]/.test(text.slice(end, joined)) ? endOf(lineEnd, text, end) : joined);
}

const openQuote = /^\\{0,3}(?:"""|'''|["'`])/;
/** What may stand behind a value in quotes, and is no part of it. */
const behindQuote = /$|[\s,}\]);&|<>:\\]|\/>|["'`](?:$|[\s,}\]);:\\])/y;
const entryBehindQuote = /[,;)}\]]*[ \t]*(?:$|[\r\n]|(?:\/\/|;|\)|&|\|))|[ \t]+[A-Za-z_][\w.-]{0,128}=/y;

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

/** The lines below a key of YAML that are its value: a text, in a block or going on, or a list of values; not further keys. */
function linesBelow(text: string, from: number, indent: number, how: 'block' | 'text' | 'values'): Found {
  const parts: Part[] = [];
  let end = from;
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) {
    const start = endOf(blanks, text, at + 1);
    const stop = endOf(/[^\n]*/y, text, start);
    const depth = start - at - 1;
    const line = text.slice(start, stop).trimEnd();
    if (line === '') continue;
    const isItem = how === 'values' && /^-[ \t]/.test(line);
    const item = isItem ? line.replace(/^-[ \t]+/, '') : line;
    if (depth < indent || (depth === indent && !isItem) || (how === 'text' && line.startsWith('#'))) break;
    if (how === 'values' && line.startsWith('#')) continue;
    if (how !== 'block' && /^["']?[\w.-]+["']?[ \t]*:(?:[ \t]|$)/.test(item)) break;
    if (isItem && /^[\w.-]+$/.test(item) && !/\d/.test(item)) break;
    parts.push([start + line.length - item.length, start + line.length]);
    end = stop;
  }
  return { parts, end, isOne: how !== 'values' };
}

function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^(["'`])(.*)\1[,;]?$/s, '$2')
    .replace(/[,;]$/, '');
}
