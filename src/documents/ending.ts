import type { ApplyResult } from '../apply/job.ts';
import { isNews } from '../render/outcomes.ts';
import type { ResultDocument } from '../render/documents.ts';

/**
 * The ending of an apply. `partly`: something was written, and something else failed or is not verified; or the platform
 * ignores a field.
 */
export type Ending = ResultDocument['ending'];

/** Returns the ending of an apply as a whole. */
export function endingOf({ outcomes, state, unsaved }: ApplyResult): Ending {
  const news = outcomes.filter(({ action, result }) => isNews({ action: action.action, result }));
  if (unsaved === undefined && news.every(({ result }) => result === 'done')) {
    return countIgnored(state) === 0 ? 'done' : 'partly';
  }
  return outcomes.some(({ mayHaveWritten }) => mayHaveWritten) ? 'partly' : 'failed';
}

/** Counts the fields of a state that the platform ignores. */
export function countIgnored({ resources }: ApplyResult['state']): number {
  const pairs = Object.values(resources).flatMap((record) => Object.values(record.pairs));
  return pairs.filter(({ ignored }) => ignored !== undefined).length;
}
