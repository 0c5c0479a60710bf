import type { Records } from '../records/all.ts';
import { isRunning, withAge } from '../records/progress.ts';
import type { RunDetail } from '../records/shown-runs.ts';
import type { Markup } from '../../render/markup.ts';
import type { Look } from './live.ts';
import { now } from './show.ts';
import {
  type Counts,
  type Stage,
  countsOf,
  progressTree,
  progressWords,
  stageId,
  stageRow,
  stepsOf,
} from './views/progress.ts';

/** What a watch of a run knows of it, as it was shown last. */
interface Shown {
  readonly stages: readonly Stage[];
  readonly counts: Counts;
  readonly rows: Markup[];
}

/**
 * Watches a run that goes on, for all who look at it: its plan was read once, each look is one statement, and what was noted comes
 * with it only where it changed. Gives undefined once the run is over.
 */
export function watchProgress(records: Pick<Records, 'progressSince'>, run: Watched): Look {
  const stagesOf = stepsOf(run);
  let [notedAt, version, change]: [string | null, number, object | undefined] = [null, 0, undefined];
  let shown: Shown | undefined;
  return async () => {
    const noted = await records.progressSince(run.id, notedAt);
    if (noted === undefined) return undefined;
    notedAt = noted.at;
    const made = noted.actions === undefined && shown !== undefined ? shown.stages : stagesOf(noted.actions ?? []);
    const row = ({ entry, last }: Stage, at: number): Markup =>
      stageRow({ entry, last: last && withAge(last, noted.age) }, at);
    if (shown === undefined || shown.stages.length !== made.length) {
      shown = { stages: made, counts: countsOf(made), rows: made.map(row) };
      [version, change] = [version + 1, undefined];
    } else {
      const { rows, stages: former } = shown;
      const news = changedIn(made, former).flatMap(([at, stage]) => (renew(rows, at, row(stage, at)) ? [at] : []));
      shown = { stages: made, counts: made === former ? shown.counts : countsOf(made), rows };
      if (news.length > 0) [version, change] = [version + 1, changeOf(run, shown, news)];
    }
    const { stages, counts, rows } = shown;
    const whole = () => ({
      words: progressWords(run, counts),
      tree: progressTree(run, stages, { now: now(), rows }).text,
    });
    return { version, whole, change };
  };
}

/** A run that goes on. */
type Watched = Pick<RunDetail, 'id' | 'kind' | 'beganAt' | 'planned'>;

/** What the script is sent: the rows that changed, by their fragments. */
function changeOf(run: Watched, { counts, rows }: Shown, news: readonly number[]): object {
  const { over } = counts;
  return { words: progressWords(run, counts), over, rows: news.map((at) => [stageId(at), rows[at]?.text]) };
}

/** Puts a row in its place; false: it is what was there. */
function renew(rows: Markup[], place: number, row: Markup): boolean {
  if (rows[place]?.text === row.text) return false;
  rows[place] = row;
  return true;
}

/** The stages that are not what they were, and those that run, with their places: the time of these goes on. */
function changedIn(stages: readonly Stage[], former: readonly Stage[]): (readonly [at: number, stage: Stage])[] {
  return [...stages.entries()].filter(
    ([at, { last }]) => (last !== undefined && isRunning(last)) || !isAlike(last, former[at]?.last),
  );
}

function isAlike(a: Stage['last'], b: Stage['last']): boolean {
  return a?.event === b?.event && a?.for === b?.for && a?.seconds === b?.seconds;
}
