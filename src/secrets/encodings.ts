/** How many characters before and behind an encoded text hold bits of it and of other bytes. */
export type Beside = readonly [before: number, behind: number];

/**
 * A text in each encoding in which a server may send it back: JSON, URLs, forms, HTML, base64 and words of a shell. None is
 * within another.
 */
export function encodings(text: string): ReadonlyMap<string, Beside> {
  const bytes = Buffer.from(text, 'utf8');
  const whole = signs.test(text) ? encodingsOf(text) : [text];
  return new Map([
    ...[0, 1, 2].flatMap((before) => [inBase64(bytes, before, 'base64'), inBase64(bytes, before, 'base64url')]),
    ...whole.map((one): [string, Beside] => [one, [0, 0]]),
  ]);
}

/** All other characters are the same everywhere but in base64. */
const signs = /[^\w.-]/;

/** A text in each encoding but base64, and as it is. */
function encodingsOf(text: string): readonly string[] {
  const sound = Buffer.from(text, 'utf8').toString('utf8'); // a half of a surrogate pair has no code in a URL
  const percent = [encodeURI(sound), encodeURIComponent(sound), new URLSearchParams({ a: sound }).toString().slice(2)];
  const strict = percent.map((one) => one.replaceAll(/[!'()*]/g, percentOf));
  const json = JSON.stringify(text).slice(1, -1);
  const slashed = json.replaceAll('/', String.raw`\/`);
  return [
    text,
    ...[...percent, ...strict].flatMap((one) => [one, one.replaceAll(/%../g, (code) => code.toLowerCase())]),
    ...[json, slashed].flatMap((one) => [one, one.replaceAll(/[^\0-\x7f]/g, codeOf)]),
    json.replaceAll(/[<>&]/g, codeOf),
    ...entities.map((names) => text.replaceAll(/[&<>"']/g, (sign) => names[sign] ?? sign)),
    ...words.map((signs) => text.replaceAll(signs, String.raw`\$&`)),
  ];
}

/** The entities of HTML, as the libraries of servers write them. */
const entities: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': '&quot;' },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
].map((quotes) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', ...quotes }));

/** The signs behind a backslash in a word of a shell, without quotes and in double quotes, as `shell-quote` writes it. */
const words = [/[#!"$&'()*,:;<=>?@[\\\]^`{|}]/g, /["\\$`!]/g];

/** The characters of base64 that hold bits of these bytes alone, behind so many others in the three bytes of four of them. */
function inBase64(bytes: Buffer, before: number, form: 'base64' | 'base64url'): [string, Beside] {
  const end = before + bytes.length;
  const all = Buffer.concat([Buffer.alloc(before), bytes]).toString(form);
  const alone = all.slice(Math.ceil((before * 8) / 6), Math.floor((end * 8) / 6));
  return [alone, [Math.sign(before), Math.sign(end % 3)]];
}

function percentOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function codeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
