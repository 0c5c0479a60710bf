import { columnsOf, cut } from './columns.ts';
import { duration } from './duration.ts';
import { requestCounts } from './lines.ts';
import type { Choice } from './progress-choice.ts';
import { chooseRows } from './progress-choice.ts';
import { renderRow } from './progress-line.ts';
import type { ProgressView, StagedRows } from './progress-view.ts';
import { stageRows } from './progress-view.ts';
import type { Style } from './style.ts';

/** The size of the drawing, and its moment. */
export interface Canvas {
  readonly now: number;
  readonly columns: number;
  readonly lines: number;
  /** Nothing more will happen. */
  readonly isOver: boolean;
  readonly paint: Style['paint'];
}

/** Renders the open actions of an apply below its counts, as lines that fit the canvas. */
export function renderTree(view: ProgressView, canvas: Canvas): string[] {
  const staged = stageRows(view);
  if (sum(staged) === 0 || canvas.lines < 1) return [];
  const { columns, paint } = canvas;
  const choice = chooseRows(view, staged, canvas.lines - 1);
  const rows = choice.places.flatMap((place) => view.rows[place] ?? []);
  const rest = restOf(choice, canvas.isOver);
  return [
    paint('strong', head(view, staged, canvas)),
    ...rows.map((row) => renderRow(row, view, canvas)),
    ...(rest === '' ? [] : [paint('faint', cut(`… ${rest}`, columns))]),
  ].slice(0, canvas.lines);
}

/** The progress of the whole apply; the least important part is left out where there is no room. */
function head(
  { began, counts }: ProgressView,
  staged: StagedRows,
  { now, columns }: Pick<Canvas, 'now' | 'columns'>,
): string {
  const failed = staged.failed.length === 0 ? '' : `, ${staged.failed.length} failed`;
  const unverified = staged.unverified.length === 0 ? '' : `, ${staged.unverified.length} not verified`;
  const skipped = staged.skipped.length === 0 ? '' : `, ${staged.skipped.length} skipped`;
  const short = `${duration(now - began)}: ${staged.done.length} of ${sum(staged)} done${failed}${unverified}`;
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
    [hidden.running, isOver ? 'with unknown outcome' : 'running'],
    [hidden.waiting, isOver ? 'not started' : 'to come'],
  ] as const;
  return counted.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', ');
}

function sum(staged: StagedRows): number {
  return Object.values(staged).reduce((count, places) => count + places.length, 0);
}
