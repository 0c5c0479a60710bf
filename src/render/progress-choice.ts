import type { ProgressView, Stage, StagedRows } from './progress-view.ts';
import { stageOf } from './progress-view.ts';

/** The rows that are shown, in the order of the tree, and the numbers of those that are not. */
export interface Choice {
  readonly places: readonly number[];
  readonly hidden: Readonly<Record<Stage['is'], number>>;
}

/** Milliseconds that a finished action stays among the first. */
const freshFor = 5_000;

/** Chooses the rows that fit into some lines: all, or the most interesting ones, with a line left for the rest. */
export function chooseRows(
  view: ProgressView,
  staged: StagedRows,
  { now, room }: { now: number; room: number },
): Choice {
  const everything = everythingWithin(view, staged, room);
  if (everything !== undefined) return choice(staged, everything);
  const chosen = new Set<number>();
  const left = () => Math.max(0, room - 1 - chosen.size);
  for (const is of ['running', 'failed', 'skipped'] as const) addTo(chosen, view, staged[is], left());
  addTo(chosen, view, fresh(view, staged.done, now), Math.floor(left() / 2));
  addTo(chosen, view, staged.waiting, left());
  addTo(chosen, view, staged.done.toReversed(), left());
  return choice(staged, chosen);
}

/** Chooses the rows that stay after an apply: all when they fit into some lines, else all that did not succeed. */
export function chooseLast(view: ProgressView, staged: StagedRows, room: number): Choice {
  const everything = everythingWithin(view, staged, room);
  if (everything !== undefined) return choice(staged, everything);
  const chosen = new Set<number>();
  for (const is of ['running', 'failed', 'skipped', 'waiting'] as const) addTo(chosen, view, staged[is]);
  return choice(staged, chosen);
}

/** All reported rows with the rows above them, when they are no more than `room`. */
function everythingWithin(view: ProgressView, staged: StagedRows, room: number): Set<number> | undefined {
  const places = Object.values(staged).flat();
  if (places.length > room) return undefined;
  const all = new Set<number>();
  addTo(all, view, places);
  return all.size > room ? undefined : all;
}

/** Adds places, each with the rows above it, as long as no more than `most` rows are added. */
function addTo(
  chosen: Set<number>,
  { rows }: ProgressView,
  places: readonly number[],
  most = Number.POSITIVE_INFINITY,
): void {
  const end = chosen.size + most;
  for (const place of places) {
    if (chosen.size >= end) return;
    const added: number[] = [];
    for (let at: number | undefined = place; at !== undefined && !chosen.has(at); at = rows[at]?.above) added.push(at);
    if (chosen.size + added.length <= end) for (const one of added) chosen.add(one);
  }
}

/** The places of actions that finished a moment ago, the latest first. */
function fresh(view: ProgressView, done: readonly number[], now: number): number[] {
  const ends = done.flatMap((place) => {
    const row = view.rows[place];
    const stage = row === undefined ? undefined : stageOf(view, row);
    return stage?.is === 'done' && now - stage.at < freshFor ? [{ place, at: stage.at }] : [];
  });
  return ends.toSorted((a, b) => b.at - a.at).map(({ place }) => place);
}

function choice(staged: StagedRows, chosen: ReadonlySet<number>): Choice {
  const hidden = (places: readonly number[]) => places.reduce((sum, place) => (chosen.has(place) ? sum : sum + 1), 0);
  return {
    places: [...chosen].toSorted((a, b) => a - b),
    hidden: {
      running: hidden(staged.running),
      failed: hidden(staged.failed),
      skipped: hidden(staged.skipped),
      done: hidden(staged.done),
      waiting: hidden(staged.waiting),
    },
  };
}
