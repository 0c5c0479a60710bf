import type { Diagnostic, Position } from '../diagnostics/diagnostic.ts';
import { fold, indented } from './lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** Renders diagnostics as text: the problem, its place, and the remedy. Empty when there are none. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], style: Style): string {
  return diagnostics.map((item) => `${renderDiagnostic(item, style).join('\n')}\n`).join('\n');
}

/** Renders one diagnostic as lines, with its place in the file first. */
export function renderDiagnostic(item: Diagnostic, style: Style): string[] {
  const label = style.paint(toneOf(item), `${item.severity}[${item.code}]`);
  const where = [item.position === undefined ? undefined : place(item.position), item.address].filter(
    (part) => part !== undefined,
  );
  return [
    [label, ...where.map(printable)].join(' '),
    ...folded(item.message, 0, style),
    ...detailsOf(item),
    ...(item.remedy === undefined ? [] : remedy(item.remedy, style)),
  ];
}

/** Renders a diagnostic below the address of its resource. */
export function renderNote(item: Diagnostic, indent: number, style: Style): string[] {
  const label = item.severity === 'error' ? `error[${item.code}]` : item.severity;
  const at = item.position === undefined ? '' : ` (${place(item.position)})`;
  const [first, ...rest] = fold(`${label}: ${printable(item.message + at)}`, indent + 2, style);
  const head = [(first ?? '').replace(label, () => style.paint(toneOf(item), label)), ...indented(rest, 2)];
  const lines = [...head, ...detailsOf(item)];
  return item.remedy === undefined
    ? lines
    : [...lines, ...remedy(item.remedy, { ...style, width: narrower(style, indent) })];
}

/** A place as editors and terminals understand it: `file:line:column`. */
function place({ file, line, column }: Position): string {
  return printable(`${file}:${line}:${column}`);
}

/** Quoted lines, unfolded. */
function detailsOf({ details = [] }: Diagnostic): string[] {
  return details.map((line) => `  | ${printable(line)}`);
}

function remedy(text: string, style: Style): string[] {
  return folded(text, 5, style).map((line, index) => (index === 0 ? `  -> ${line}` : `     ${line}`));
}

function folded(text: string, indent: number, style: Style): string[] {
  return fold(printable(text), indent, style);
}

function narrower(style: Style, by: number): number | undefined {
  return style.width === undefined ? undefined : style.width - by;
}

function toneOf({ severity }: Diagnostic): 'bad' | 'change' | 'info' {
  return severity === 'error' ? 'bad' : severity === 'warning' ? 'change' : 'info';
}
