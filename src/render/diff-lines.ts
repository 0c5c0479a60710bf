import { indented } from './fold-lines.ts';
import type { Style, Tone } from './style.ts';

/** Characters that no printable text has: they mark what `diffStyle` paints. */
const [start, end] = ['\u0001', '\u0002'];
const letters: Readonly<Record<Tone, string>> = {
  good: 'g',
  bad: 'b',
  change: 'c',
  info: 'i',
  faint: 'f',
  strong: 's',
};

/** The style of lines for `diffLines`. */
export const diffStyle: Style = {
  width: undefined,
  isFull: false,
  isDiff: true,
  paint: (tone, text) => `${start}${letters[tone]}${text}${end}`,
};

// eslint-disable-next-line no-control-regex -- the marks
const painted = /^( *)(?:\u0001(.)([^\u0002]*)\u0002)?(.*)$/su;
// eslint-disable-next-line no-control-regex -- the marks
const marks = /\u0001.|\u0002/gu;

/**
 * Lines that were rendered with `diffStyle`, as a diff has them: the sign first, then the indentation. `!` stands before
 * what needs attention.
 */
export function diffLines(lines: readonly string[]): string[] {
  const indents = lines.map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents);
  return lines.map((line) => diffLine(line.slice(common)).trimEnd());
}

function diffLine(line: string): string {
  const [, indent = '', letter = '', first = '', more = ''] = painted.exec(line) ?? [];
  const text = (first + more).replaceAll(marks, '');
  if (letter === letters.faint && text.startsWith('@@')) return text;
  // A line of a hunk has the room of a sign before it already.
  if (letter === letters.faint && text.startsWith('  ')) return `  ${indent}${text.slice(2)}`;
  const [sign, rest] = signed(letter, text);
  return `${sign} ${indent}${rest}`;
}

/** The sign of a line, and the line without it. */
function signed(letter: string, text: string): [sign: string, rest: string] {
  if (![letters.good, letters.bad, letters.change].includes(letter)) return [' ', text];
  const found = /^([-+~!])(?: (.*))?$/s.exec(text);
  if (found === null) return ['!', text];
  const [, sign = '', rest = ''] = found;
  return [sign === '~' ? '!' : sign, rest];
}

/** Plain text that was rendered with `diffStyle`. */
export function unpainted(text: string): string {
  return text.replaceAll(marks, '');
}

/** Lines of text in which none begins with a command of a forge, such as `/close`. */
export function textBlock(lines: readonly string[]): string[] {
  return indented(lines, 2);
}
