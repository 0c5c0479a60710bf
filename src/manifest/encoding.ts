import type { Expression } from './expression.ts';

/** The word behind an expression that percent-encodes its value: `${secret:PW|urlencode}`. */
export const urlencode = 'urlencode';

/** A part of a text: as it is written, or an expression with its value, undefined where it is not known. */
export type TextPart = string | (Expression & { readonly value: string | undefined });

/**
 * The expressions that stand for the user or the password of an address, and whose values would end or split it:
 * `postgres://shop:${secret:PW}@db/shop`. What is percent-encoded already would not.
 */
export function breakingAddresses(parts: readonly TextPart[]): readonly Expression[] {
  const expressions = parts.filter((part) => typeof part === 'object');
  if (!expressions.some(({ value = '', encoding }) => encoding === undefined && breaks.test(value))) return [];
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
      if (expression?.value === undefined || expression.encoding !== undefined) continue;
      // Alone it may be both: shop:password.
      const isBoth = user === hole;
      if ((isBoth ? bothBreak : breaks).test(expression.value)) found.push(expression);
    }
    from = begin + user.length;
  }
  return found;
}

const hole = '\u0000';

function holesIn(text: string): number {
  return text.split(hole).length - 1;
}

/** Signs that end a password in an address, and a percent sign that begins no code of a character. */
const breaks = /[\s@#:/?[\]\\]|%(?![0-9a-f]{2})/i;
const bothBreak = /[\s@#/?[\]\\]|%(?![0-9a-f]{2})/i;
