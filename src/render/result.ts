import type { ApplyResult, Outcome } from '../apply/result.ts';
import { isEffective } from '../plan/action.ts';

/** How an apply ended: `partly`: something was written, and something was not or is not sure. */
export type Ending = 'done' | 'failed' | 'partly';

/** Whether an outcome is news: something was to be sent or forgotten, or something went wrong. */
export function isNews({ action, result }: Outcome): boolean {
  return isAction(action) ? true : result === 'failed' || result === 'unverified';
}

/** How an apply ended as a whole. */
export function endingOf({ outcomes, unsaved }: ApplyResult): Ending {
  const news = outcomes.filter(isNews);
  if (unsaved === undefined && news.every(({ result }) => result === 'done')) return 'done';
  return outcomes.some(({ mayHaveWritten }) => mayHaveWritten) ? 'partly' : 'failed';
}

function isAction(action: Outcome['action']): boolean {
  return action.action !== 'no-op' || isEffective(action);
}
