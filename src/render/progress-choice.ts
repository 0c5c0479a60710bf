import type { ProgressView, StagedRows } from './progress-view.ts';

/** The rows that are shown, in the order of the tree, and the numbers of open actions that are not. */
export interface Choice {
  readonly places: readonly number[];
  readonly hidden: { readonly running: number; readonly waiting: number };
}

/** Chooses the rows of open actions that fit into some lines: all, or running ones first, with a line left for the rest. */
export function chooseRows(view: ProgressView, { running, waiting }: StagedRows, room: number): Choice {
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
