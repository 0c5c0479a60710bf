import type { ProgressView, Stage, Told } from './progress-view.ts';
import { stageOf } from './progress-view.ts';

/** Which rows are shown, in the order of the tree, and how many of those that are told of are not. */
export interface Choice {
  readonly places: readonly number[];
  readonly hidden: Readonly<Record<Stage['is'], number>>;
}

/** How long what is done stays among the first, in milliseconds. */
const freshFor = 5_000;

/** Chooses the rows that fit into some lines: all, or those of most interest, with a line left for what is not shown. */
export function chooseRows(view: ProgressView, told: Told, { now, room }: { now: number; room: number }): Choice {
  const everything = everythingWithin(view, told, room);
  if (everything !== undefined) return choice(told, everything);
  const chosen = new Set<number>();
  const left = () => Math.max(0, room - 1 - chosen.size);
  for (const is of ['running', 'failed', 'skipped'] as const) addTo(chosen, view, told[is], left());
  addTo(chosen, view, fresh(view, told.done, now), Math.floor(left() / 2));
  addTo(chosen, view, told.waiting, left());
  addTo(chosen, view, told.done.toReversed(), left());
  return choice(told, chosen);
}

/** Chooses what an apply leaves to read: everything when it fits into some lines, else all that did not go well. */
export function chooseLast(view: ProgressView, told: Told, room: number): Choice {
  const everything = everythingWithin(view, told, room);
  if (everything !== undefined) return choice(told, everything);
  const chosen = new Set<number>();
  for (const is of ['running', 'failed', 'skipped', 'waiting'] as const) addTo(chosen, view, told[is]);
  return choice(told, chosen);
}

/** All that is told of with what stands above it, when it is no more than some rows. */
function everythingWithin(view: ProgressView, told: Told, room: number): Set<number> | undefined {
  const places = Object.values(told).flat();
  if (places.length > room) return undefined;
  const all = new Set<number>();
  addTo(all, view, places);
  return all.size > room ? undefined : all;
}

/** Adds places, each with those that it stands below, as far as `most` more rows allow. */
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

/** What was done a moment ago, the latest first. */
function fresh(view: ProgressView, done: readonly number[], now: number): number[] {
  const ends = done.flatMap((place) => {
    const row = view.rows[place];
    const stage = row === undefined ? undefined : stageOf(view, row);
    return stage?.is === 'done' && now - stage.at < freshFor ? [{ place, at: stage.at }] : [];
  });
  return ends.toSorted((a, b) => b.at - a.at).map(({ place }) => place);
}

function choice(told: Told, chosen: ReadonlySet<number>): Choice {
  const hidden = (places: readonly number[]) => places.reduce((sum, place) => (chosen.has(place) ? sum : sum + 1), 0);
  return {
    places: [...chosen].toSorted((a, b) => a - b),
    hidden: {
      running: hidden(told.running),
      failed: hidden(told.failed),
      skipped: hidden(told.skipped),
      done: hidden(told.done),
      waiting: hidden(told.waiting),
    },
  };
}
