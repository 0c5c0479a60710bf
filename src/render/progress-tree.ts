import { columnsOf, cut } from './columns.ts';
import { duration } from './duration.ts';
import { requestCounts } from './lines.ts';
import type { Choice } from './progress-choice.ts';
import { chooseLast, chooseRows } from './progress-choice.ts';
import { renderRow } from './progress-line.ts';
import type { ProgressView, StagedRows } from './progress-view.ts';
import { stageRows } from './progress-view.ts';
import type { Style } from './style.ts';

/** The size of the drawing, and its moment. */
export interface Canvas {
  readonly now: number;
  readonly columns: number;
  readonly lines: number;
  readonly paint: Style['paint'];
}

/** Renders a running apply as lines that fit the canvas. */
export function renderTree(view: ProgressView, canvas: Canvas): string[] {
  const staged = stageRows(view);
  if (sum(staged) === 0 || canvas.lines < 1) return [];
  const choice = chooseRows(view, staged, { now: canvas.now, room: canvas.lines - 1 });
  return renderLines(view, canvas, { staged, choice, isOver: false }).slice(0, canvas.lines);
}

/** Renders an apply that ended: everything where it fits, else what did not succeed, in as many lines as that takes. */
export function renderLast(view: ProgressView, canvas: Canvas): string[] {
  const staged = stageRows(view);
  if (sum(staged) === 0) return [];
  return renderLines(view, canvas, { staged, choice: chooseLast(view, staged, canvas.lines - 1), isOver: true });
}

function renderLines(
  view: ProgressView,
  { now, columns, paint }: Canvas,
  { staged, choice, isOver }: { staged: StagedRows; choice: Choice; isOver: boolean },
): string[] {
  const rows = choice.places.flatMap((place) => view.rows[place] ?? []);
  const rest = isOver && rows.length === 0 ? '' : restOf(choice, isOver);
  return [
    paint('strong', head(view, staged, { now, columns })),
    ...rows.map((row) => renderRow(row, view, { now, columns, isOver, paint })),
    ...(rest === '' ? [] : [paint('faint', cut(`… ${rest}`, columns))]),
  ];
}

/** The progress of the whole apply; the least important part is left out where there is no room. */
function head(
  { began, counts }: ProgressView,
  staged: StagedRows,
  { now, columns }: { now: number; columns: number },
): string {
  const failed = staged.failed.length === 0 ? '' : `, ${staged.failed.length} failed`;
  const skipped = staged.skipped.length === 0 ? '' : `, ${staged.skipped.length} skipped`;
  const short = `${duration(now - began)}: ${staged.done.length} of ${sum(staged)} done${failed}`;
  const wordings = [
    `${short}${skipped}; ${requestCounts(counts)}`,
    `${short}${skipped}`,
    short,
    `${staged.done.length}/${sum(staged)} done${failed}`,
  ];
  return wordings.find((text) => columnsOf(text) <= columns) ?? cut(wordings.at(-1) ?? '', columns);
}

function restOf({ hidden }: Choice, isOver: boolean): string {
  const counted = [
    [hidden.running, 'running'],
    [hidden.failed, 'failed'],
    [hidden.skipped, 'skipped'],
    [hidden.done, 'done'],
    [hidden.waiting, isOver ? 'not started' : 'to come'],
  ] as const;
  return counted.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', ');
}

function sum(staged: StagedRows): number {
  return Object.values(staged).reduce((count, places) => count + places.length, 0);
}
