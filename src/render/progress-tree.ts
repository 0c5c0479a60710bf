import { columnsOf, cut } from './columns.ts';
import { duration } from './duration.ts';
import { requestCounts } from './lines.ts';
import type { Choice } from './progress-choice.ts';
import { chooseLast, chooseRows } from './progress-choice.ts';
import { renderRow } from './progress-line.ts';
import type { ProgressView, Told } from './progress-view.ts';
import { toldIn } from './progress-view.ts';
import type { Style } from './style.ts';

/** Where a tree is drawn, and when. */
export interface Canvas {
  readonly now: number;
  readonly columns: number;
  readonly lines: number;
  readonly paint: Style['paint'];
}

/** An apply that goes on, as lines of which none is wider, and all are not more, than the canvas takes. */
export function renderTree(view: ProgressView, canvas: Canvas): string[] {
  const told = toldIn(view);
  if (sum(told) === 0 || canvas.lines < 1) return [];
  const choice = chooseRows(view, told, { now: canvas.now, room: canvas.lines - 1 });
  return renderLines(view, canvas, { told, choice, isOver: false }).slice(0, canvas.lines);
}

/** An apply that is over: everything where it fits, else what did not go well, in as many lines as that takes. */
export function renderLast(view: ProgressView, canvas: Canvas): string[] {
  const told = toldIn(view);
  if (sum(told) === 0) return [];
  return renderLines(view, canvas, { told, choice: chooseLast(view, told, canvas.lines - 1), isOver: true });
}

function renderLines(
  view: ProgressView,
  { now, columns, paint }: Canvas,
  { told, choice, isOver }: { told: Told; choice: Choice; isOver: boolean },
): string[] {
  const rows = choice.places.flatMap((place) => view.rows[place] ?? []);
  const rest = isOver && rows.length === 0 ? '' : restOf(choice, isOver);
  return [
    paint('strong', head(view, told, { now, columns })),
    ...rows.map((row) => renderRow(row, view, { now, columns, isOver, paint })),
    ...(rest === '' ? [] : [paint('faint', cut(`… ${rest}`, columns))]),
  ];
}

/** How far all of it is; what matters least is left out where there is no room. */
function head({ began, counts }: ProgressView, told: Told, { now, columns }: { now: number; columns: number }): string {
  const failed = told.failed.length === 0 ? '' : `, ${told.failed.length} failed`;
  const skipped = told.skipped.length === 0 ? '' : `, ${told.skipped.length} skipped`;
  const short = `${duration(now - began)}: ${told.done.length} of ${sum(told)} done${failed}`;
  const wordings = [
    `${short}${skipped}; ${requestCounts(counts)}`,
    `${short}${skipped}`,
    short,
    `${told.done.length}/${sum(told)} done${failed}`,
  ];
  return wordings.find((text) => columnsOf(text) <= columns) ?? cut(wordings.at(-1) ?? '', columns);
}

function restOf({ hidden }: Choice, isOver: boolean): string {
  const counted = [
    [hidden.running, 'running'],
    [hidden.failed, 'failed'],
    [hidden.skipped, 'skipped'],
    [hidden.done, 'done'],
    [hidden.waiting, isOver ? 'not begun' : 'to come'],
  ] as const;
  return counted.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', ');
}

function sum(told: Told): number {
  return Object.values(told).reduce((count, places) => count + places.length, 0);
}
