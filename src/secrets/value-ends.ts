/**
 * Where values end: in YAML, JSON, shells and what stands in their quotes. Where the end is unsure, a value goes on to the end of
 * the line. All of it takes linear time.
 */

/** Where a part of a text begins, and where it has ended. */
export type Part = readonly [from: number, to: number];

/** The places of the value behind a name, and where reading goes on. `isOne`: they are the lines of one value. */
export interface Found {
  readonly parts: readonly Part[];
  readonly end: number;
  readonly isOne?: boolean;
}

export const wordEnd = /[^\s"'`]*/y;
export const elementEnd = /[^<\n]*/y;
export const lineEnd = /[^\n\r]*/y;
/** Ends a plain value of YAML in braces or brackets. */
export const flowEnd = /[^,}\]\n\r]*/y;
/** The same for an assignment, which may have commas. */
export const flowAssignmentEnd = /(?:[^,}\]\n\r]|,(?!\s)|[}\]](?![\s,}\]]|$))*/y;
/** Ends an assignment within a line: of a shell, an address, a list of settings. */
export const withinLine = /(?:[^\s"'`;&|)<>\\]|\\[^\s"'`])*/y;

export function upTo(text: string, from: number, end: RegExp): { parts: readonly Part[]; end: number } {
  end.lastIndex = from;
  end.test(text);
  return { parts: end.lastIndex > from ? [[from, end.lastIndex]] : [], end: end.lastIndex };
}

/** The quote that is open at an offset, and whether a brace or bracket is; as far as the line before it tells. */
interface Around {
  readonly quote: string | undefined;
  readonly isFlow: boolean;
}

export function around(text: string, at: number): Around {
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
export function word(text: string, from: number, { quote }: Around, bare: RegExp): Found {
  const found = upTo(text, from, bare);
  const next = text[found.end];
  if (next === undefined || !/["'`\\]/.test(next)) return found;
  return quote !== undefined && text.startsWith(quote, found.end) ? found : toQuote(text, from, quote);
}

/** A value up to the quote around it, if the line has it; else the rest of the line. */
export function toQuote(text: string, from: number, quote: string | undefined): Found {
  const line = upTo(text, from, lineEnd);
  if (quote === undefined) return line;
  const close = closingQuote(text.slice(0, line.end), from, quote);
  if (close === -1) return line;
  return { parts: close > from ? [[from, close]] : [], end: close };
}

/** A value in quotes, over several lines too, with what is joined to its end. `isEntry`: nothing else is on its line. */
export function quoted(text: string, from: number, { isYaml = false, isEntry = false } = {}): Found {
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
const behindQuote = /$|[\s,}\]);&|<>:\\]|\/>|["'`](?:$|[\s,}\]);:\\])/y;
const entryBehindQuote = /[,;)}\]]*[ \t]*(?:$|[\r\n]|(?:\/\/|;|\)|&|\|))|[ \t]+[A-Za-z_][\w.-]{0,128}=/y;

export function closingQuote(text: string, from: number, quote: string): number {
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

export function openQuoteAt(text: string, at: number): boolean {
  openQuote.lastIndex = at;
  return openQuote.test(text);
}

function indentOf(text: string, lineStart: number): number {
  let at = lineStart;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at - lineStart;
}

/** The lines below a key of YAML that are its value: a text, in a block or going on, or a list of values; not further keys. */
export function linesBelow(
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
