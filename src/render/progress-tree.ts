import { columnsOf, cut, shortened } from './columns.ts';
import { duration } from './duration.ts';
import { requestCounts } from './fold-lines.ts';
import { printable } from './printable.ts';
import { indentOf, signOf } from './progress-rows.ts';
import { reasons } from './progress-text.ts';
import {
  type OpenStage,
  type ProgressRow,
  type ProgressView,
  type StagedRows,
  openStageOf,
  plannedName,
  stageRows,
} from './progress-view.ts';
import type { Style, Tone } from './style.ts';
import { actionWords, isDeployment } from './action-words.ts';

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

/** The rows that are shown, in the order of the tree, and the numbers of open actions that are not. */
interface Choice {
  readonly places: readonly number[];
  readonly hidden: { readonly running: number; readonly waiting: number };
}

/** Chooses the rows of open actions that fit into some lines: all, or running ones first, with a line left for the rest. */
function chooseRows(view: ProgressView, { running, waiting }: StagedRows, room: number): Choice {
  const open = [...running, ...waiting];
  const all = open.length > room ? undefined : withRowsAbove(view, open);
  const chosen = all !== undefined && all.size <= room ? all : withRowsAbove(view, open, Math.max(0, room - 1));
  const hidden = (places: readonly number[]) => places.reduce((sum, place) => (chosen.has(place) ? sum : sum + 1), 0);
  return {
    places: [...chosen].toSorted((a, b) => a - b),
    hidden: { running: hidden(running), waiting: hidden(waiting) },
  };
}

/** Places, each with the rows above it, as long as they are no more than `max`. */
function withRowsAbove(
  { rows }: ProgressView,
  places: readonly number[],
  max = Number.POSITIVE_INFINITY,
): ReadonlySet<number> {
  const chosen = new Set<number>();
  for (const place of places) {
    if (chosen.size >= max) break;
    const added: number[] = [];
    for (let at: number | undefined = place; at !== undefined && !chosen.has(at); at = rows[at]?.above) added.push(at);
    if (chosen.size + added.length <= max) for (const one of added) chosen.add(one);
  }
  return chosen;
}

/** The share of a line that names keep beside long words. */
const shareOfNames = 0.37;

/**
 * Renders one row as one line: an open action with its state and time, which stay whole, while its name is shortened in
 * the middle; anything else as the name of what is below it.
 */
function renderRow(row: ProgressRow, view: ProgressView, { now, columns, isOver, paint }: Canvas): string {
  const indent = indentOf(row.depth);
  const stage = openStageOf(view, row);
  if (stage === undefined) return indent + paint('strong', shortened(row.label, columns - indent.length));
  const { is } = stage;
  const symbol = signOf(row.action);
  const namesEnd = Math.min(view.names, Math.floor(columns * shareOfNames));
  const roomBeside = (words: string) => columns - columnsOf(words) - 2;
  const wordings = isOver ? [lastWords[is]] : wordsFor(row, stage, view, now);
  const words = wordings.find((one) => roomBeside(one) >= namesEnd) ?? wordings.at(-1) ?? '';
  const before = indent.length + symbol.length;
  const room = roomBeside(words);
  if (room <= before) return paint(tones[is], cut(words, columns));
  const label = shortened(row.label, room - before);
  const gap = Math.max(0, Math.min(namesEnd, room) - before - columnsOf(label)) + 2;
  return `${indent}${paintName(symbol, label, row, { is, paint })}${' '.repeat(gap)}${paint(tones[is], words)}`;
}

function paintName(
  symbol: string,
  label: string,
  { action = 'no-op' }: ProgressRow,
  { is, paint }: { is: OpenStage['is']; paint: Style['paint'] },
): string {
  const sign = symbol === '' ? '' : paint(actionWords[action].tone, symbol);
  return sign + paint(is === 'running' ? 'strong' : 'faint', label);
}

const tones: Readonly<Record<OpenStage['is'], Tone>> = { waiting: 'faint', running: 'info' };

/** The words of an open action while an apply runs, from the longest wording to the shortest. */
function wordsFor(row: ProgressRow, stage: OpenStage, view: ProgressView, now: number): readonly string[] {
  if (stage.is === 'waiting') return waitingWords(row, view);
  const { waits, since } = stage;
  const doingNow = `${actionWords[row.action ?? 'no-op'].now} ${duration(now - since)}`;
  if (waits === undefined) return [doingNow];
  const time = duration(now - waits.since);
  const { long, brief, briefest } = reasons[waits.for];
  return [`${doingNow}: ${long} ${time}`, `${doingNow}: ${brief} ${time}`, `${doingNow}, ${briefest}`, doingNow];
}

/** The words of an open action when nothing more will happen. */
const lastWords: Readonly<Record<OpenStage['is'], string>> = {
  waiting: 'not started',
  running: 'outcome unknown',
};

function waitingWords(row: ProgressRow, view: ProgressView): readonly string[] {
  const needs = row.needs.filter((one) =>
    ['waiting', 'running'].includes(view.stages.get(plannedName(one))?.is ?? 'waiting'),
  );
  const [first] = needs;
  if (first === undefined) return ['waiting'];
  const { address: service } = first;
  const more = needs.length === 1 ? '' : ` and ${needs.length - 1} more`;
  const [environment = ''] = /^[^.[]*\./.exec(service) ?? [];
  const near = row.address.startsWith(environment) ? service.slice(environment.length) : service;
  const named = (long: string, name: string) => `waits for ${isDeployment(first) ? long : ''}${printable(name)}${more}`;
  return [
    named('the deployment of ', service),
    named('the deployment of ', near),
    named('deploy of ', near),
    `waits for ${needs.length}`,
    'waiting',
  ];
}
