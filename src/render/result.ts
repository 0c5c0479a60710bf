import type { ApplyResult, Outcome } from '../apply/job.ts';

/**
 * The ending of an apply. `partly`: something was written, and something else failed or is not verified; or the platform
 * ignores a field.
 */
export type Ending = 'done' | 'failed' | 'partly';

/** Returns true for an outcome worth a line: it had something to send or to remove from the state, or it failed. */
export function isNews({ action, result }: Outcome): boolean {
  return isAction(action) ? true : result === 'failed' || result === 'unverified';
}

/** Returns the ending of an apply as a whole. */
export function endingOf({ outcomes, state, unsaved }: ApplyResult): Ending {
  const news = outcomes.filter(isNews);
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

function isAction(action: Outcome['action']): boolean {
  return action.action !== 'no-op';
}
