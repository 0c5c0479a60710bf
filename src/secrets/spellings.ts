/**
 * A text in each encoding in which a server may send it back: JSON, URLs, forms, HTML, base64 and words of a shell. None is
 * within another.
 */
export function spellings(text: string): ReadonlySet<string> {
  const bytes = Buffer.from(text, 'utf8');
  // A half of a surrogate pair has no code in a URL.
  const sound = bytes.toString('utf8');
  const percent = [encodeURI(sound), encodeURIComponent(sound), new URLSearchParams({ a: sound }).toString().slice(2)];
  const strict = percent.map((one) => one.replaceAll(/[!'()*]/g, percentOf));
  const json = JSON.stringify(text).slice(1, -1);
  const slashed = json.replaceAll('/', String.raw`\/`);
  return new Set([
    text,
    ...[...percent, ...strict].flatMap((one) => [one, one.replaceAll(/%../g, (code) => code.toLowerCase())]),
    ...[json, slashed].flatMap((one) => [one, one.replaceAll(/[^\0-\x7f]/g, codeOf)]),
    json.replaceAll(/[<>&]/g, codeOf),
    ...entities.map((names) => text.replaceAll(/[&<>"']/g, (sign) => names[sign] ?? sign)),
    ...words.map((signs) => text.replaceAll(signs, String.raw`\$&`)),
    ...offsets.flatMap((before) => [...inBase64(bytes, before, 'base64'), ...inBase64(bytes, before, 'base64url')]),
  ]);
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

/** How many bytes stand before a text in the three bytes that four characters of base64 hold. */
const offsets = [0, 1, 2];

/** The characters of base64 that hold nothing but bits of these bytes; and those up to the end, where nothing follows. */
function inBase64(bytes: Buffer, before: number, form: 'base64' | 'base64url'): readonly string[] {
  const all = Buffer.concat([Buffer.alloc(before), bytes])
    .toString(form)
    .replace(/=+$/, '');
  const start = Math.ceil((before * 8) / 6);
  return [all.slice(start, Math.floor(((before + bytes.length) * 8) / 6)), all.slice(start)];
}

function percentOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

function codeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
