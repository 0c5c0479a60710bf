import { columnsOf, cut, splitAt, wholeUpTo } from './columns.ts';
import { type Hunk, type HunkLine, findHunks } from './hunks.ts';
import { counted } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';

/** Lines of a text that are shown when it comes or goes. */
const maxTextLines = 10;

/** Lines of one sign in a row that are shown. */
const maxRunLines = 12;

/** Lines of hunks that are shown of one text, unless one hunk has more. */
const maxHunkLines = 100;

/** Characters that are shown of one line. */
export const maxLineLength = 400;

/** Characters that are shown before the first difference of a line that is cut. */
const lead = 40;

/** The lines of a text that comes or goes, cut with a count. `indent`: the columns before them. */
export function textLines(text: string, indent: number, style: Style): string[] {
  const { lines } = readText(text);
  // A cut that hides one line takes one line.
  const shown = style.isFull || lines.length <= maxTextLines + 1 ? lines.length : maxTextLines;
  return [
    ...lines.slice(0, shown).flatMap((line) => wrap('', cutLine(line, 0, style), indent, style)),
    ...rest(lines.length - shown, 'more line', style),
  ];
}

/** The number of the lines of a text, in words. */
export function countLines(text: string): string {
  return counted(readText(text).lines.length, 'line');
}

/** The difference of two texts. */
export interface TextDifference {
  /** Differences that no line shows. */
  readonly words: readonly string[];
  readonly hunks: readonly Hunk[];
  /** The lines of both sides. */
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** Compares two texts. `rotated`: the new lines in which secret parts change, by their numbers. */
export function compareTexts(
  [before, after]: readonly [string, string],
  rotated: ReadonlyMap<number, string> = new Map(),
): TextDifference {
  const [old, fresh] = [readText(before), readText(after)];
  // Line ends that are the same throughout are said once, not in every line.
  const isStripped = old.ends !== fresh.ends || old.ends === 'CRLF';
  const [left, right] = [old, fresh].map(({ lines }) => (isStripped ? lines.map(withoutReturn) : lines)) as [
    string[],
    string[],
  ];
  const { hunks, isMatched } = findHunks(left, right, rotated);
  const words = [
    ...(old.ends === fresh.ends ? [] : [`line ends: ${old.ends} -> ${fresh.ends}`]),
    ...(old.isEnded === fresh.isEnded
      ? []
      : [fresh.isEnded ? 'now with a newline at the end' : 'no newline at the end any more']),
    ...(hunks.length > 0 && rotated.size === 0 && blank(left) === blank(right) ? ['only white space differs'] : []),
    ...(isMatched ? [] : ['too different to match line by line']),
  ];
  return { words, hunks, left, right };
}

/**
 * The difference of two texts: in words what no line shows, then unified hunks with the line numbers of both sides.
 * `rotated`: the new lines in which secret parts change, by their numbers.
 */
export function textDifference(
  texts: readonly [string, string],
  { rotated, indent, style }: { rotated?: ReadonlyMap<number, string> | undefined; indent: number; style: Style },
): string[] {
  const { words, hunks, left, right } = compareTexts(texts, rotated);
  return [...words.map((one) => style.paint('info', `(${one})`)), ...hunkLines(hunks, { left, right, indent, style })];
}

/** A text as lines without their line feeds. */
function readText(text: string): { readonly lines: string[]; readonly ends: string; readonly isEnded: boolean } {
  const lines = text.split('\n');
  const isEnded = lines.at(-1) === '';
  if (isEnded) lines.pop();
  const returns = lines.filter((line) => line.endsWith('\r')).length;
  const all = isEnded ? lines.length : lines.length - 1;
  const ends = returns === 0 ? 'LF' : returns >= all ? 'CRLF' : `CRLF in ${returns} of ${all} lines`;
  return { lines, ends, isEnded: isEnded || text === '' };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

function blank(lines: readonly string[]): string {
  return lines.join('').replaceAll(/\s+/g, '');
}

interface Sides {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly indent: number;
  readonly style: Style;
}

function hunkLines(hunks: readonly Hunk[], sides: Sides): string[] {
  const lines: string[] = [];
  for (const [at, hunk] of hunks.entries()) {
    if (lines.length >= maxHunkLines && !sides.style.isFull) {
      const left = hunks.slice(at).flatMap((one) => one.lines.filter(({ sign }) => sign !== ' '));
      return [...lines, ...rest(left.length, 'more changed line', sides.style)];
    }
    lines.push(...oneHunk(hunk, sides));
  }
  return lines;
}

/** The heading of a hunk, and the keys that its first difference stands below. */
export function headHunk(
  hunk: Hunk,
  { left, right }: Pick<TextDifference, 'left' | 'right'>,
): { readonly heading: string; readonly path: string } {
  const count = (sign: HunkLine['sign']): number => hunk.lines.filter((line) => line.sign !== sign).length;
  const first = hunk.lines.findIndex(({ sign }) => sign !== ' ');
  const isGone = hunk.lines[first]?.sign === '-';
  const [side, start] = isGone ? [left, hunk.before] : [right, hunk.after];
  const heading = `@@ -${hunk.before},${count('+')} +${hunk.after},${count('-')} @@`;
  return { heading, path: pathAbove(side, start - 1 + first) };
}

function oneHunk(hunk: Hunk, { left, right, indent, style }: Sides): string[] {
  const { heading, path } = headHunk(hunk, { left, right });
  return [
    style.paint('faint', path === '' ? heading : withPath(heading, path, indent, style)),
    ...runsOf(hunk.lines).flatMap((run, at, runs) => {
      const shown = style.isFull || run.length <= maxRunLines + 1 ? run.length : maxRunLines;
      const other = counterpart(runs, at);
      return [
        ...run.slice(0, shown).flatMap((line, index) => hunkLine(line, other?.[index], indent, style)),
        ...rest(run.length - shown, run[0]?.sign === '-' ? 'more removed line' : 'more added line', style),
      ];
    }),
  ];
}

function withPath(heading: string, path: string, indent: number, style: Style): string {
  const room = style.width === undefined ? maxLineLength : Math.max(style.width - indent, 20);
  return cut(`${heading} ${printable(path)}`, room);
}

/** The lines of a hunk, those of one sign in a row together. */
function runsOf(lines: readonly HunkLine[]): HunkLine[][] {
  const runs: HunkLine[][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run?.[0]?.sign === line.sign) run.push(line);
    else runs.push([line]);
  }
  return runs;
}

/** The lines on the other side that stand in the place of a run. */
function counterpart(runs: readonly (readonly HunkLine[])[], at: number): readonly HunkLine[] | undefined {
  const sign = runs[at]?.[0]?.sign;
  if (sign !== '-' && sign !== '+') return undefined;
  const other = runs[sign === '-' ? at + 1 : at - 1];
  return other?.[0]?.sign === (sign === '-' ? '+' : '-') ? other : undefined;
}

const tones: Readonly<Record<HunkLine['sign'], Tone | undefined>> = {
  ' ': undefined,
  '-': 'bad',
  '+': 'good',
  '~': 'change',
};

/** A line of a hunk. `other`: the line that probably stands in its place on the other side. */
function hunkLine({ sign, text }: HunkLine, other: HunkLine | undefined, indent: number, style: Style): string[] {
  const shown = cutLine(text, other === undefined ? 0 : firstDifference(text, other.text), style);
  const isAlike = other !== undefined && areAlike(text, other.text);
  const words = isAlike ? inAscii(shown) : printable(shown);
  const tone = tones[sign] ?? (style.isDiff ? 'faint' : undefined);
  return wrap(`${sign} `, words, indent, style).map((line) =>
    tone === undefined ? line.trimEnd() : style.paint(tone, line),
  );
}

/** Whether two texts differ in nothing that people see. */
export function areAlike(text: string, other: string): boolean {
  return looks(text) === looks(other);
}

function looks(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s/g, ' ').trimEnd();
}

/** A text as `printable`, in which also shows what is no ASCII, and each blank at the end. */
export function inAscii(text: string): string {
  // eslint-disable-next-line no-control-regex -- all that is not ASCII
  return printable(text).replaceAll(/[^\u0000-\u007f]|(?<! ) +$/g, (signs) => {
    return signs.replaceAll(/[^]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}

function firstDifference(text: string, other: string): number {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  return at;
}

/** A line with a count of what is cut off; `around`: the place in it that matters. */
export function cutLine(text: string, around: number, style: Style): string {
  if (style.isFull || text.length <= maxLineLength) return text;
  const from = around + lead < maxLineLength ? 0 : Math.max(0, Math.min(around - lead, text.length - maxLineLength));
  const [start, end] = [wholeUpTo(text, from), wholeUpTo(text, from + maxLineLength)];
  const [ahead, behind] = [start, text.length - end].map((count) =>
    count === 0 ? '' : `… ${count.toLocaleString('en')} characters …`,
  );
  return `${ahead ?? ''}${text.slice(start, end)}${behind ?? ''}`;
}

/** Breaks a line to the width without losing a blank; what goes on is marked. */
function wrap(sign: string, text: string, indent: number, style: Style): string[] {
  const room = style.width === undefined ? undefined : Math.max(style.width - indent, 20);
  if (room === undefined || columnsOf(sign + text) <= room) return [sign + text];
  const lines: string[] = [];
  let [mark, left] = [sign, text];
  while (columnsOf(mark + left) > room) {
    const [line, more] = splitAt(left, room - columnsOf(mark));
    lines.push(mark + line);
    [mark, left] = ['… ', more];
  }
  return [...lines, mark + left];
}

/** The keys that a line of YAML stands below, such as `services.web`; empty where the text is something else. */
function pathAbove(lines: readonly string[], at: number): string {
  const keys: string[] = [];
  let indent = indentOf(lines[at] ?? '');
  for (let above = at - 1; above >= 0 && indent > 0; above--) {
    const line = lines[above] ?? '';
    if (/^\s*(?:#|$)/.test(line) || indentOf(line) >= indent) continue;
    const key = /^ *["']?([\w./-]{1,80})["']?:(?:\s|$)/.exec(line)?.[1];
    if (key !== undefined) keys.unshift(key);
    else if (!/^ *- /.test(line)) return '';
    indent = indentOf(line);
  }
  return keys.join('.');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The line for what is not shown; none when that is nothing. */
export function rest(count: number, noun: string, style: Style): string[] {
  return count <= 0 ? [] : [style.paint('faint', `… ${counted(count, noun)} (--full shows all)`)];
}
