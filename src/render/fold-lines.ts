import { columnsOf, splitAt } from './columns.ts';
import type { Style } from './style.ts';

/** The smallest width that lines are folded to. */
export const narrowest = 30;

/** Folds a line of plain text to the width behind `indent` columns; without a width it stays whole. */
export function fold(text: string, indent: number, style: Style): string[] {
  const room = style.width === undefined ? undefined : Math.max(style.width, narrowest) - indent;
  if (room === undefined || columnsOf(text) <= room) return [text];
  const lines: string[] = [];
  let rest = text;
  while (columnsOf(rest) > room) {
    const [start] = splitAt(rest, room);
    const space = rest.lastIndexOf(' ', start.length);
    const end = rest.indexOf(' ', start.length);
    const word = rest.slice(space + 1, end === -1 ? undefined : end);
    // A word that fits into a line of its own stays whole, such as a flag or an address.
    const at = space > start.length / 2 || (space > 0 && columnsOf(word) <= room) ? space : start.length;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).replace(/^ /, '');
  }
  if (rest !== '') lines.push(rest);
  return lines;
}

/** Folds a line of plain text; what follows its first line is indented by so many columns more. */
export function hanging(text: string, by: number, indent: number, style: Style): string[] {
  const [first = '', ...rest] = fold(text, indent + by, style);
  return [first, ...indented(rest, by)];
}

/** Returns true for a line, painted or not, that fits behind `indent` columns. */
export function fits(line: string, indent: number, style: Style): boolean {
  return style.width === undefined || columnsOf(line) <= Math.max(style.width, narrowest) - indent;
}

/** A clause as a sentence. */
export function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Indents lines. */
export function indented(lines: readonly string[], by: number): string[] {
  return lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line));
}

/** The number of requests sent: `3 reads, 0 writes`. */
export function requestCounts({ reads, writes }: { readonly reads: number; readonly writes: number }): string {
  return `${counted(reads, 'read')}, ${counted(writes, 'write')}`;
}

/** A number with its noun: `1 error`, `2 errors`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
