type Entry = readonly [key: string, value: string];

const KEY = /^[\w.-]+$/;
const QUOTES = ['"', "'", '`'] as const;
// Sticky, and without nested repetition: none of them can take more than linear time.
const SPACE = /\s*/y;
const REST_OF_LINE = /.*/y;
const UNQUOTED = /[^#\n]*/y;
const ASSIGNMENT = /(?:export\s+)?([\w.-]+)(?:\s*=|:\s)/y;
// One entry per quote, so that a quoting which runs past its own line is noticed.
const HOSTILE_NEIGHBOURS = `\na="\nb='\nc=\`\n`;

/** Reads an env file as the platform does (dotenv's rules): later keys win. */
export function readEnvText(text: string): Map<string, string> {
  // The platform collects into a plain object, where this key sets nothing.
  return new Map(readEntries(text).filter(([key]) => key !== '__proto__'));
}

/** Writes a map so that the platform reads back exactly these values; keys that no quoting carries are in `refused`. */
export function writeEnvText(entries: ReadonlyMap<string, string>): {
  text: string;
  refused: { key: string; reason: string }[];
} {
  let text = '';
  const refused: { key: string; reason: string }[] = [];
  for (const [key, value] of entries) {
    const reason = refusalOfKey(key) ?? refusalOfText(value);
    const quoted = reason === undefined ? quotingOf(value) : undefined;
    if (quoted === undefined) refused.push({ key, reason: reason ?? refusalOfQuoting(value) });
    else text += `${key}=${quoted}\n`;
  }
  return { text, refused };
}

function readEntries(source: string): Entry[] {
  const text = source.replace(/\r\n?/g, '\n');
  const entries: Entry[] = [];
  let at = skip(SPACE, text, 0);
  while (at < text.length) {
    ASSIGNMENT.lastIndex = at;
    const key = ASSIGNMENT.exec(text)?.[1];
    if (key === undefined) {
      at = skip(SPACE, text, skip(REST_OF_LINE, text, at));
    } else {
      const { value, end } = readValue(text, ASSIGNMENT.lastIndex);
      entries.push([key, value]);
      at = skip(SPACE, text, end);
    }
  }
  return entries;
}

function readValue(text: string, at: number): { value: string; end: number } {
  const open = skip(SPACE, text, at);
  const close = closingQuote(text, open);
  if (close !== undefined) {
    const inner = text.slice(open + 1, close);
    return { value: text[open] === '"' ? expand(inner) : inner, end: close + 1 };
  }
  const end = skip(UNQUOTED, text, at);
  const written = text.slice(at, end).trim();
  const bare = withoutQuotes(written);
  return { value: written.startsWith('"') ? expand(bare) : bare, end };
}

/** The quote that closes the one at `open`: the last one before which all others are escaped, if it ends its line. */
function closingQuote(text: string, open: number): number | undefined {
  const quote = text[open];
  if (quote === undefined || !isQuote(quote)) return undefined;
  let found: number | undefined;
  for (let at = text.indexOf(quote, open + 1); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (endsLine(text, at + 1)) found = at;
    if (text[at - 1] !== '\\') break;
  }
  return found;
}

function endsLine(text: string, at: number): boolean {
  const end = skip(SPACE, text, at);
  return end === text.length || text[end] === '#' || /[\n\u2028\u2029]/.test(text.slice(at, end));
}

/** Takes off quotes that no closing quote was found for by the first rule; here a "line" also ends at U+2028 and U+2029. */
function withoutQuotes(written: string): string {
  const lastClosing = new Map<string, number>();
  for (const match of written.matchAll(/["'`]$/gm)) lastClosing.set(match[0], match.index);
  let bare = '';
  let from = 0;
  for (const { 0: quote, index } of written.matchAll(/^["'`]/gm)) {
    const close = lastClosing.get(quote) ?? -1;
    if (index < from || close <= index) continue;
    bare += written.slice(from, index) + written.slice(index + 1, close);
    from = close + 1;
  }
  return bare + written.slice(from);
}

function expand(inner: string): string {
  return inner.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\r`, '\r');
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

function isQuote(character: string): boolean {
  return QUOTES.some((quote) => quote === character);
}

/** The plainest way to write a value that is read back as the same; undefined when there is none. */
function quotingOf(value: string): string | undefined {
  for (const quoting of quotings(value)) if (carries(quoting, value)) return quoting;
  return undefined;
}

/** All ways to write a value, the plainest first. */
function* quotings(value: string): Iterable<string> {
  yield value; // almost always the one
  const returnsEscaped = value.replaceAll('\r', String.raw`\r`);
  const oneLine = returnsEscaped.replaceAll('\n', String.raw`\n`);
  const quoted = QUOTES.toSorted((a, b) => Number(value.includes(a)) - Number(value.includes(b))).map(
    (quote) => quote + (quote === '"' ? returnsEscaped : value) + quote,
  );
  const others = [...quoted, `"${oneLine}"`, oneLine];
  yield* others;
  // A quote that seems open or escaped is looked for in all that follows, unless a comment ends the search.
  for (const quote of QUOTES) for (const quoting of [value, ...others]) yield `${quoting} # ${quote}.`;
}

function carries(quoting: string, value: string): boolean {
  const entries = readEntries(`k=${quoting}${HOSTILE_NEIGHBOURS}`);
  return entries.length === 4 && entries[0]?.[1] === value;
}

function refusalOfKey(key: string): string | undefined {
  if (key === '__proto__') return 'the platform ignores this key';
  return KEY.test(key) ? undefined : 'a key is made of letters, digits, "_", "." and "-"';
}

function refusalOfText(value: string): string | undefined {
  if (value.includes('\0')) return 'a value cannot hold the character NUL';
  return /\p{Surrogate}/u.test(value) ? 'a value cannot hold half of a surrogate pair' : undefined;
}

function refusalOfQuoting(value: string): string {
  if (!value.includes('\r'))
    return 'its quotes, beside "#", a line break or a literal "\\n" or "\\r", leave no way to quote it';
  return 'a carriage return needs double quotes, which a literal "\\n" or "\\r", or both \'"\' and "#", rule out';
}
