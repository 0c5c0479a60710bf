import { type Diagnostic, type Position, type Quote, positionText } from '../diagnostics/diagnostic.ts';
import type { DiagnosticDocument } from './document-schemas.ts';
import { columnsOf, cut, cutStart } from './columns.ts';
import { counted, fold, indented, narrowest } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';

/** A report about one thing, of this run or of a document. */
export type Reported = Diagnostic | DiagnosticDocument;

/** Most diagnostics that are printed at once. */
const maxShown = 50;

/**
 * Renders diagnostics as text: the problem, its place, and the remedy; of several, the count at the end. Empty when there
 * are none.
 */
export function renderDiagnostics(diagnostics: readonly Reported[], style: Style): string {
  const shown = style.isFull ? diagnostics : diagnostics.slice(0, maxShown);
  const blocks = shown.map((item) => renderDiagnostic(item, style));
  if (diagnostics.length > 1) blocks.push([total(diagnostics, style)]);
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** The number of diagnostics of each severity: `3 errors, 1 warning`. */
function total(diagnostics: readonly Reported[], style: Style): string {
  const counts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = diagnostics.filter((item) => item.severity === severity).length;
    return count === 0 ? [] : [counted(count, severity)];
  });
  const isCut = diagnostics.length > maxShown && !style.isFull;
  const rest = isCut ? `; the first ${maxShown} are shown, --full or --format json shows all` : '';
  return style.paint('strong', `${counts.join(', ')}${rest}`);
}

/** Renders one diagnostic as lines: code and place, the sentence, the line of the file, the remedy. */
export function renderDiagnostic(item: Reported, style: Style): string[] {
  const label = style.paint(toneOf(item), `${item.severity}[${item.code}]`);
  const where = [item.position === undefined ? undefined : place(item.position), item.address].filter(
    (part) => part !== undefined,
  );
  return [
    [label, ...where.map(printable)].join(' '),
    ...folded(item.message, 0, style),
    ...(item.position === undefined || item.quote === undefined
      ? []
      : quoted(item.quote, item.position.line, { ...style, tone: toneOf(item) })),
    ...(item.position?.uses ?? []).map((use) => `  used at ${place(use)}`),
    ...detailsOf(item),
    ...(item.remedy === undefined ? [] : remedy(item.remedy, style)),
  ];
}

/** Renders a diagnostic below the address of its resource. */
export function renderNote(item: Reported, indent: number, style: Style): string[] {
  const label = item.severity === 'error' ? `error[${item.code}]` : item.severity;
  const at = item.position === undefined ? '' : ` (${place(item.position)})`;
  const [first, ...rest] = fold(`${label}: ${printable(item.message + at)}`, indent + 2, style);
  const head = [(first ?? '').replace(label, () => style.paint(toneOf(item), label)), ...indented(rest, 2)];
  const lines = [...head, ...detailsOf(item)];
  return item.remedy === undefined
    ? lines
    : [...lines, ...remedy(item.remedy, { ...style, width: narrower(style, indent) })];
}

function place(position: Position): string {
  return printable(positionText(position));
}

/** The columns of a quoted line where the width is not known. */
const usualWidth = 120;

/** A line of a file, cut to what fits around the part that the diagnostic is about, and carets under that part. */
function quoted({ text, from, to }: Quote, line: number, style: Style & { readonly tone: Tone }): string[] {
  const number = `  ${line}`;
  const room = Math.max(style.width ?? usualWidth, narrowest) - number.length - 3;
  const [before, marked, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)].map(printable);
  const shown = cut(marked ?? '', Math.floor(room / 2));
  const left = room - columnsOf(shown);
  const tail = cut(after ?? '', Math.max(left - columnsOf(before ?? ''), Math.floor(left / 4)));
  const lead = cutStart(before ?? '', left - columnsOf(tail));
  const caret = ' '.repeat(columnsOf(lead)) + style.paint(style.tone, '^'.repeat(Math.max(columnsOf(shown), 1)));
  const gutter = style.paint('faint', `${number} |`);
  return [
    `${gutter} ${lead}${shown}${tail}`.trimEnd(),
    `${style.paint('faint', `${' '.repeat(number.length)} |`)} ${caret}`,
  ];
}

/** Quoted lines, unfolded. */
function detailsOf({ details = [] }: Reported): string[] {
  return details.map((line) => `  | ${printable(line)}`);
}

/** The sentence of a remedy, and below it the lines to paste, which are never folded. */
function remedy(text: string, style: Style): string[] {
  const [sentence = '', ...lines] = text.split('\n');
  return [...folded(sentence, 5, style), ...lines.map(printable)].map((line, index) =>
    index === 0 ? `  -> ${line}` : `     ${line}`,
  );
}

function folded(text: string, indent: number, style: Style): string[] {
  return fold(printable(text), indent, style);
}

function narrower(style: Style, by: number): number | undefined {
  return style.width === undefined ? undefined : style.width - by;
}

function toneOf({ severity }: Reported): 'bad' | 'change' | 'info' {
  return severity === 'error' ? 'bad' : severity === 'warning' ? 'change' : 'info';
}
