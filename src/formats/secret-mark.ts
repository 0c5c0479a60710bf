/** The first and the last of the characters that stand for secrets in texts: no parser, no trimming and no change of case takes them for anything. */
export const secretMarks = { first: '\uE000', last: '\uF8FF' } as const;

/** Finds each mark of a secret in a text, or each character that could be one. */
export const anyMark = new RegExp(`[${secretMarks.first}-${secretMarks.last}]`, 'g');

/** Returns true for a text with a secret in it, which checks do not know. */
export function hasMark(text: string): boolean {
  return text.search(anyMark) !== -1;
}
