import { mapTexts } from '../formats/json.ts';
import type { Shown } from './document-schemas.ts';

/** What stands in place of a secret part, of one that the change gives another value, and of that in a line by itself. */
const [redactedPart, changedPart, rotatedPart] = ['(sensitive)', '(sensitive, changed)', '(sensitive -> sensitive)'];

/**
 * A text that is the same on both sides but for its secret parts, with `(sensitive -> sensitive)` in place of those that
 * change; undefined where that is not known. `marked`: the same text as the new side has it.
 */
export function withRotated(text: string, marked: string): string | undefined {
  const parts = [...marked.matchAll(anyPart)].map(([part]) => part !== redactedPart);
  if (parts.length !== 1 && !parts.includes(true)) return undefined;
  let at = 0;
  return text.replaceAll(redactedPart, () => (parts.length === 1 || parts[at++] === true ? rotatedPart : redactedPart));
}

const anyPart = /\(sensitive(?:, changed| -> sensitive)?\)/g;

/** A side with the same mark for every secret part. */
export function unmarked(shown: Shown): Shown {
  if (shown.is !== 'masked') return shown;
  return { is: 'masked', value: mapTexts(shown.value, (text) => text.replaceAll(anyPart, redactedPart)) };
}

/** A text with the same mark for every secret part, and the lines in which one changes, by their numbers, from 1. */
export function withoutMarks(
  { is }: Shown,
  text: string,
): { readonly text: string; readonly rotated: ReadonlyMap<number, string> } {
  if (is !== 'masked' || !text.includes(changedPart)) return { text, rotated: new Map() };
  const plain = text.replaceAll(changedPart, redactedPart);
  const lines = plain.split('\n');
  const rotated = text.split('\n').flatMap((line, at) => {
    const shown = line.includes(changedPart) ? withRotated(lines[at] ?? '', line) : undefined;
    return shown === undefined ? [] : [[at + 1, shown] as const];
  });
  return { text: plain, rotated: new Map(rotated) };
}
