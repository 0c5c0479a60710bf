import { structuredPatch } from 'diff';
import type { Change } from '../plan/action.ts';
import { fits, fold, indented } from './lines.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';
import { inlineShown, longText, spreadText, valueOf } from './value-text.ts';

/** Renders one attribute change as lines; `indent`: the columns before them. */
export function renderChange(change: Change, indent: number, style: Style): string[] {
  const lines = difference(change, indent, style);
  if (change.forcesReplacement) lines.push(style.paint('bad', '! forces replacement'));
  return lines;
}

function difference(change: Change, indent: number, style: Style): string[] {
  const path = printable(change.path);
  const why = causeWords(change);
  if (change.before.is === 'absent' && change.after.is !== 'absent') {
    return single(
      { mark: '+', tone: 'good', path, value: valueWords(change), why: change.cause === 'first managed' ? '' : why },
      indent,
      style,
    );
  }
  if (change.cause === 'removed')
    return single({ mark: '-', tone: 'bad', path, value: inlineShown(change.before), why }, indent, style);
  if (change.summary !== undefined)
    return withWhy(`${path}: (sensitive; ${printable(change.summary)})`, why, indent, style);
  const spread = lineDiff(change, style);
  if (spread !== undefined) return [...withWhy(`${path}:`, why, indent, style), ...indented(spread, 2)];
  const [before, after] = [inlineShown(change.before), inlineShown(change.after)];
  if (fits(`${path}: ${before} -> ${after}`, indent, style)) {
    return withWhy(`${path}: ${before} ${style.paint('change', '->')} ${after}`, why, indent, style);
  }
  return [
    ...withWhy(`${path}:`, why, indent, style),
    ...wrapped('-', 'bad', before, indent + 2, style),
    ...wrapped('+', 'good', after, indent + 2, style),
  ];
}

function single(
  { mark, tone, path, value, why }: { mark: '+' | '-'; tone: Tone; path: string; value: string; why: string },
  indent: number,
  style: Style,
): string[] {
  if (fits(`${mark} ${path}: ${value}`, indent, style)) {
    return withWhy(`${style.paint(tone, mark)} ${path}: ${value}`, why, indent, style);
  }
  const [first, ...rest] = withWhy(`${style.paint(tone, mark)} ${path}:`, why, indent, style);
  return [first ?? '', ...rest, ...indented(fold(value, indent + 4, style), 4)];
}

/** A new value; of redacted text its summary. */
function valueWords({ after, summary }: Change): string {
  return summary === undefined ? inlineShown(after) : `(sensitive; ${printable(summary)})`;
}

function wrapped(mark: string, tone: Tone, value: string, indent: number, style: Style): string[] {
  return fold(value, indent + 2, style).map((line, index) =>
    index === 0 ? `  ${style.paint(tone, mark)} ${line}` : `    ${line}`,
  );
}

/** Adds the reason behind the line, or below it where there is no room. */
function withWhy(line: string, why: string, indent: number, style: Style): string[] {
  if (why === '') return [line];
  const reason = `(${why})`;
  return fits(`${line} ${reason}`, indent, style)
    ? [`${line} ${style.paint('info', reason)}`]
    : [line, ...indented(fold(reason, indent + 4, style), 4).map((part) => style.paint('info', part))];
}

function causeWords(change: Change): string {
  switch (change.cause) {
    case 'drift':
      return 'drift: changed on the platform';
    case 'conflict': {
      if (change.last === undefined) return 'conflict: changed here and on the platform';
      const [was, has, says] = [change.last, change.before, change.after].map(inlineShown);
      return `conflict: was ${was}, platform has ${has}, manifest says ${says}`;
    }
    case 'first managed':
      return 'first managed';
    case 'ignored':
      return 'ignored by the platform once: written again';
    case 'removed':
      return 'not in the manifest';
    case 'create':
    case 'edit':
    case 'known after apply':
      return '';
    default:
      return change.cause satisfies never;
  }
}

/** A diff line by line, when neither side is redacted and one line does not hold them. */
function lineDiff({ before, after }: Change, style: Style): string[] | undefined {
  const isText = longText(before) !== undefined || longText(after) !== undefined;
  const [old, fresh] = [spreadText(before), spreadText(after)];
  if (old === undefined || fresh === undefined || typeof valueOf(before) !== typeof valueOf(after)) return undefined;
  if (
    !isText &&
    (typeof valueOf(before) === 'string' || inlineShown(before).length + inlineShown(after).length <= 60)
  ) {
    return undefined;
  }
  return structuredPatch('', '', old, fresh, '', '', { context: 3 }).hunks.flatMap((hunk) => [
    style.paint('faint', `@@ line ${hunk.newStart} @@`),
    ...hunk.lines.map((line) => diffLine(line, style)),
  ]);
}

function diffLine(line: string, style: Style): string {
  const text = `${line.slice(0, 1)} ${printable(line.slice(1))}`;
  if (line.startsWith('+')) return style.paint('good', text);
  if (line.startsWith('-')) return style.paint('bad', text);
  return line.startsWith('\\') ? style.paint('faint', printable(line)) : text.trimEnd();
}
