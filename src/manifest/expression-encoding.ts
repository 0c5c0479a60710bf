import { hashPassword } from '../secrets/digest.ts';
import type { Expression } from './expression.ts';

/** The encoding for a part of an address: `${secret:PW|urlencode}`. */
export const urlencode = 'urlencode';

/** A hash for basic authentication: `${secret:PW|bcrypt}`. */
export const bcrypt = 'bcrypt';

/** Doubles each `$`, which a compose file reads as a variable: `${secret:PW|bcrypt|compose}`. */
export const compose = 'compose';

/** The words behind an expression that encode its value for the text around it. `name`: of the secret, with its project. */
const encoders: ReadonlyMap<string, (text: string, name: string) => string> = new Map([
  // Half a character has no code.
  [urlencode, (text) => encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8'))],
  ['base64', (text) => Buffer.from(text, 'utf8').toString('base64')],
  // Within the quotes of a text of JSON.
  ['json', (text) => JSON.stringify(text).slice(1, -1)],
  [bcrypt, hashPassword],
  [compose, (text) => text.replaceAll('$', '$$$$')],
]);

/** The words that encode. */
export const encodingWords: readonly string[] = [...encoders.keys()];

/** A longer text is refused as a value: it is not encoded once more. */
const maxCharacters = 16 * 1024 * 1024;

/** Encodes a text: `base64`, or several encodings in their order, such as `base64|urlencode`. `name`: as of the encoders. */
export function encode(text: string, encoding: string | undefined, name = ''): string {
  if (encoding === undefined) return text;
  return encoding
    .split('|')
    .reduce(
      (encoded, word) => (encoded.length > maxCharacters ? encoded : (encoders.get(word)?.(encoded, name) ?? encoded)),
      text,
    );
}

/** The first word of an encoding that is none. */
export function unknownEncoding(encoding: string): string | undefined {
  return encoding.split('|').find((word) => !encoders.has(word));
}

/** Whether an encoding hashes. */
export function isHashed(encoding: string | undefined): boolean {
  return encoding?.split('|').includes(bcrypt) === true;
}

/** Whether a hash keeps its `$`, which compose reads as variables. */
export function hasBareHash(encoding: string | undefined): boolean {
  const words = encoding?.split('|') ?? [];
  const behind = words.slice(words.indexOf(bcrypt) + 1);
  return words.includes(bcrypt) && !behind.some((word) => [compose, 'base64', 'urlencode'].includes(word));
}

/** A part of a text: as it is written, or an expression with its value, undefined where it is not known. */
export type TextPart = string | (Expression & { readonly value: string | undefined });

/**
 * The expressions that stand for the user or the password of an address, and whose values would end or split it:
 * `postgres://shop:${secret:PW}@db/shop`. What is percent-encoded already does not.
 */
export function breakingAddresses(parts: readonly TextPart[]): readonly Expression[] {
  const expressions = parts.filter((part) => typeof part === 'object');
  if (!expressions.some((expression) => !isEncoded(expression) && breaks.test(expression.value ?? ''))) return [];
  // Each expression is one character, which stands in no text.
  const text = parts.map((part) => (typeof part === 'string' ? part.replaceAll(hole, ' ') : hole)).join('');
  const found: Expression[] = [];
  let count = 0;
  let from = 0;
  for (const match of text.matchAll(/:\/\/([^\s/@?#"'<>]*)@/g)) {
    const user = match[1] ?? '';
    const begin = match.index + '://'.length;
    count += holesIn(text.slice(from, begin));
    for (const sign of user) {
      if (sign !== hole) continue;
      const expression = expressions[count++];
      if (expression?.value === undefined || isEncoded(expression)) continue;
      // Alone it may be both: shop:password.
      const isBoth = user === hole;
      if ((isBoth ? bothBreak : breaks).test(expression.value)) found.push(expression);
    }
    from = begin + user.length;
  }
  return found;
}

/** Its value is percent-encoded at last. */
function isEncoded({ encoding = '' }: Expression): boolean {
  return encoding.endsWith(urlencode);
}

const hole = '\u0000';

function holesIn(text: string): number {
  return text.split(hole).length - 1;
}

/** Signs that end a password in an address, and a percent sign that begins no code of a character. */
const breaks = /[\s@#:/?[\]\\]|%(?![0-9a-f]{2})/i;
const bothBreak = /[\s@#/?[\]\\]|%(?![0-9a-f]{2})/i;
