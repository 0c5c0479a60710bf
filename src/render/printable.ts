/** Control characters, and characters that reorder or break a line. */
// eslint-disable-next-line no-control-regex -- they are what this is about
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A foreign text as one line without control characters: they are written as escapes. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) => short[character] ?? escapeOf(character));
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
