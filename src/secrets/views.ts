/** A text in another form, and the part of the original that each of its characters stands for. */
export interface View {
  readonly text: string;
  /** Where the part begins that a character stands for; undefined: a view of the original itself. */
  readonly from: Int32Array | undefined;
  /** Where it ends. */
  readonly to: Int32Array | undefined;
}

/** The bounds in the original of a part of a view. */
export function partOf({ from, to }: View, start: number, end: number): readonly [from: number, to: number] {
  return [from?.[start] ?? start, to?.[end - 1] ?? end];
}

/**
 * Visits a text in all forms in which a secret may stand in it: as it is; with its escapes resolved, also escapes of
 * escapes; without line breaks, controls and characters that show nothing; and what is written in it as hex, base64,
 * base32 or a list of bytes, also base64 of base64. Decoded bytes are one character each. All of it is linear in the
 * length of the text.
 */
export function visitViews(text: string, visit: (view: View) => void): void {
  visitForms({ text, from: undefined, to: undefined }, mostDecoded, visit);
}

/** How often something encoded is decoded. */
const mostDecoded = 2;

/** How often escapes are resolved: JSON in JSON in a URL is three. */
const mostEscapes = 3;

/** Most forms of one text, for texts that are made to have many. */
const mostForms = 24;

function visitForms(view: View, mayDecode: number, visit: (view: View) => void): void {
  const decode = (form: View) => {
    if (mayDecode > 0) visitDecoded(form, (decoded) => visitForms(decoded, mayDecode - 1, visit));
  };
  if (unescaped.test(view.text) && !quotedQuote.test(view.text)) {
    visit(view);
    decode(view);
    return;
  }
  const forms = [{ form: view, escapes: 0 }];
  const seen = new Set([view.text]);
  for (const { form, escapes } of forms) {
    visit(form);
    const joined = rewritten(form, breaks, () => '');
    if (joined !== undefined) visit(joined);
    decode(joined ?? form);
    if (escapes === mostEscapes) continue;
    for (const { pattern, resolve } of languages) {
      // The escapes of UTF-16 have NUL within.
      const escaped = form.text.includes('\0') ? (joined ?? form) : form;
      const next = forms.length < mostForms ? rewritten(escaped, pattern, resolve) : undefined;
      if (next === undefined || seen.has(next.text)) continue;
      seen.add(next.text);
      forms.push({ form: next, escapes: escapes + 1 });
    }
  }
}

/** Without any sign that begins an escape, and without breaks: most texts. */
const unescaped = /^[ !"#$'-<>-[\]-~]*$/;

const quotedQuote = /'"'"'|"'"'"/;

/**
 * Line ends, also those of MIME and of a shell, with the indentation behind them; colours and other commands to a
 * terminal; other controls, and what shows nothing.
 */
const breaks =
  // oxlint-disable-next-line no-control-regex -- programs write them into their logs
  /\u001b(?:\[[0-?]*[ -/]*[@-~])?|[=\\]?[\r\n]+[ \t]*|(?:(?![\t\r\n\u001b])[\p{Cc}\p{Default_Ignorable_Code_Point}])+/gu;

/** The escapes of each language by themselves: a secret may hold what is an escape in another one. */
const languages: readonly { readonly pattern: RegExp; readonly resolve: (escape: string) => string }[] = [
  // JSON, shells and programming languages.
  { pattern: /\\(?:u\{[\da-f]{1,6}\}|u[\da-f]{4}|x[\da-f]{2}|[0-3][0-7]{2}|[^])/gi, resolve: ofBackslash },
  // URLs.
  { pattern: /%(?:u[\da-f]{4}|[\da-f]{2})/gi, resolve: (escape) => character(Number.parseInt(hexOf(escape), 16)) },
  // HTML and XML.
  { pattern: /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});?/gi, resolve: ofHtml },
  // Shells: a quote in a word in quotes, as a word of the other quotes.
  { pattern: /'"'"'|"'"'"/g, resolve: (escape) => escape.charAt(2) },
  // Mail.
  { pattern: /=[\dA-F]{2}/g, resolve: (escape) => character(Number.parseInt(hexOf(escape), 16)) },
];

function ofBackslash(escape: string): string {
  const next = escape.slice(1);
  if (next.length === 1) return controls[next] ?? next;
  return character(/^\d/.test(next) ? Number.parseInt(next, 8) : Number.parseInt(hexOf(next), 16));
}

function ofHtml(escape: string): string {
  const name = escape.slice(1).replace(/;$/, '').toLowerCase();
  if (!name.startsWith('#')) return entities[name] ?? escape;
  return character(name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
}

function hexOf(escape: string): string {
  return escape.replaceAll(/[^\da-f]/gi, '');
}

function character(point: number): string {
  return point <= 0x10_ffff ? String.fromCodePoint(point) : '';
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' };

const entities: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'amp& lt< gt> quot" apos\' sol/ bsol\\ colon: semi; comma, period. excl! num# dollar$ percnt% ast* plus+ equals= ' +
    'quest? commat@ lpar( rpar) lsqb[ rsqb] lcub{ rcub} lowbar_ hyphen- dash- grave` hat^ tilde~ verbar| vert|'
  )
    .split(' ')
    .map((entity) => [entity.slice(0, -1), entity.slice(-1)]),
);

/** A view with some of its parts replaced by shorter ones; undefined when nothing changes. */
function rewritten(view: View, pattern: RegExp, replace: (part: string) => string): View | undefined {
  const { text } = view;
  pattern.lastIndex = 0;
  let match = pattern.exec(text);
  if (match === null) return undefined;
  const from = new Int32Array(text.length);
  const to = new Int32Array(text.length);
  const pieces: string[] = [];
  let [at, length] = [0, 0];
  const copy = (end: number) => {
    pieces.push(text.slice(at, end));
    if (view.from === undefined || view.to === undefined) {
      for (; at < end; at++, length++) {
        from[length] = at;
        to[length] = at + 1;
      }
      return;
    }
    from.set(view.from.subarray(at, end), length);
    to.set(view.to.subarray(at, end), length);
    length += end - at;
    at = end;
  };
  for (; match !== null; match = pattern.exec(text)) {
    const [part] = match;
    const instead = replace(part);
    if (instead === part) continue;
    copy(match.index);
    const bounds = partOf(view, at, at + part.length);
    for (let index = 0; index < instead.length; index++, length++) [from[length], to[length]] = bounds;
    pieces.push(instead);
    at += part.length;
  }
  if (at === 0) return undefined;
  copy(text.length);
  return { text: pieces.join(''), from, to };
}

/** A way to write bytes as text: `digits` finds the digits of one run, of so many bits each. */
interface Encoding {
  readonly runs: RegExp;
  readonly bits: number;
  readonly value: (code: number) => number;
}

const base64: Encoding = { runs: /[\w+/-]{11,}/g, bits: 6, value: valueIn('A-Za-z0-9+/', '-_') };
const base32: Encoding = { runs: /[a-z2-7]{13,}/gi, bits: 5, value: valueIn('A-Z2-7', '') };
/** Also with separators between the bytes, and with `0x` before each. */
const hex: Encoding = { runs: /(?:(?:0x)?[\da-f]{2}[\s:,-]{0,2}){6,}/gi, bits: 4, value: valueIn('0-9A-F', '') };
const encodings = [base64, base32, hex];
const byteLists = /\d{1,3}(?:,\s{0,8}\d{1,3}){5,}/g;

/** What every run begins with: a text without it, as most are, holds none. */
const mayBeEncoded = /[\w+/-]{11}|[\da-f]{2}[\s:,-]{1,2}(?:0x)?[\da-f]{2}[\s:,-]|\d,\s{0,8}\d/i;

/** The value of each digit by its code; -1 for all other characters. `others` are other signs for the last digits. */
function valueIn(ranges: string, others: string): (code: number) => number {
  const table = new Int8Array(128).fill(-1);
  const digits = ranges.replaceAll(/(.)-(.)/g, (_range, first: string, last: string) => {
    const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)];
    return String.fromCharCode(...Array.from({ length: high - low + 1 }, (_one, at) => low + at));
  });
  for (let at = 0; at < digits.length; at++) {
    table[digits.charCodeAt(at)] = at;
    if (digits.length < 64) table[digits.toLowerCase().charCodeAt(at)] = at;
  }
  for (let at = 0; at < others.length; at++) table[others.charCodeAt(at)] = digits.length - others.length + at;
  return (code) => table[code] ?? -1;
}

function visitDecoded(view: View, visit: (view: View) => void): void {
  const { text } = view;
  if (!mayBeEncoded.test(text)) return;
  for (const { runs, bits, value } of encodings) {
    for (const { 0: run, index } of text.matchAll(runs)) {
      let count = 0;
      makeRoom(run.length);
      for (let at = 0; at < run.length; at++) {
        if (bits === 4 && (run[at + 1] === 'x' || run[at + 1] === 'X')) at += 2;
        const digit = value(run.charCodeAt(at));
        if (digit === -1) continue;
        values[count] = digit;
        places[count++] = index + at;
      }
      // Where the run was cut out of its context, its bytes begin at any of these bits.
      const found: View[] = [];
      for (let first = 0; first < 8; first += bits === 5 ? 1 : bits === 6 ? 2 : 4) {
        const length = decode(count, bits, first);
        if (holdsText(length)) found.push(decodedView(view, { length, bits, first }));
      }
      // Visiting one may decode what is in it, in the same room.
      for (const one of found) visit(one);
    }
  }
  for (const { 0: run, index } of text.matchAll(byteLists)) {
    const numbers = [...run.matchAll(/\d+/g)];
    const bounds = numbers.map((one) => partOf(view, index + one.index, index + one.index + one[0].length));
    visit({
      text: String.fromCharCode(...numbers.map(([number]) => Number(number))),
      from: Int32Array.from(bounds, ([from]) => from),
      to: Int32Array.from(bounds, ([, to]) => to),
    });
  }
}

/** The digits of the run that is decoded, their places, and its bytes: most runs hold no text. */
let [values, places, bytes] = [new Uint8Array(0), new Int32Array(0), new Uint8Array(0)];

function makeRoom(length: number): void {
  if (values.length >= length) return;
  [values, places, bytes] = [new Uint8Array(2 * length), new Int32Array(2 * length), new Uint8Array(2 * length)];
}

/** Decodes so many digits from a bit on; what is left at the end makes no byte. Returns the number of bytes. */
function decode(count: number, bits: number, first: number): number {
  let [held, width, length] = [0, -first, 0];
  for (let at = 0; at < count; at++) {
    held = ((held << bits) | (values[at] ?? 0)) & 0xff_ff;
    width += bits;
    if (width < 8) continue;
    width -= 8;
    bytes[length++] = (held >> width) & 0xff;
  }
  return length;
}

/** Whether six bytes in a row are text of ASCII, UTF-8 or UTF-16. */
function holdsText(length: number): boolean {
  let row = 0;
  for (let at = 0; at < length; at++) {
    const [byte = 0, next = 0] = [bytes[at], bytes[at + 1]];
    const isAscii = (byte >= 0x20 && byte < 0x7f) || byte === 0 || (byte >= 0x09 && byte <= 0x0d);
    const isHigh = byte >= 0x80 && (byte >= 0xc2 ? next >> 6 === 2 : row > 0 && (bytes[at - 1] ?? 0) >= 0x80);
    row = isAscii || isHigh ? row + 1 : 0;
    if (row === 6) return true;
  }
  return false;
}

function decodedView(view: View, { length, bits, first }: { length: number; bits: number; first: number }): View {
  const [from, to] = [new Int32Array(length), new Int32Array(length)];
  for (let at = 0; at < length; at++) {
    const low = places[Math.floor((first + 8 * at) / bits)] ?? 0;
    const high = places[Math.floor((first + 8 * at + 7) / bits)] ?? 0;
    from[at] = view.from?.[low] ?? low;
    to[at] = view.to?.[high] ?? high + 1;
  }
  return { text: Buffer.from(bytes.buffer, 0, length).toString('latin1'), from, to };
}
