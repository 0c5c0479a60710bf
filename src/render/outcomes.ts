import type { ActionName, ResultDocument } from './document-schemas.ts';
import type { Tone } from './style.ts';
import { actionWords, isChange, isDeployment, unverifiedWords } from './action-words.ts';

/** How one action ended. */
export type Outcome = ResultDocument['outcomes'][number];

/** The words of a result: after its address, and behind a number in the summary. */
export const resultWords: Readonly<
  Record<Outcome['result'], { tone: Tone; counted: string; text: (action: ActionName) => string }>
> = {
  done: { tone: 'good', counted: 'done', text: (action) => actionWords[action].done },
  failed: { tone: 'bad', counted: 'failed', text: (action) => `${actionWords[action].now} failed` },
  skipped: { tone: 'change', counted: 'skipped', text: () => 'skipped' },
  ignored: {
    tone: 'bad',
    counted: 'partly ignored by the platform',
    text: (action) => `${actionWords[action].done}, but the platform ignored a value`,
  },
  unverified: { tone: 'change', counted: 'not verified', text: unverifiedWords },
};

/** Returns true for an outcome worth a line: it had something to send or to remove from the state, or it failed. */
export function isNews({ action, result }: Pick<Outcome, 'action' | 'result'>): boolean {
  return isChange({ action }) || result === 'failed' || result === 'unverified';
}

/** A deployment that goes on without the run. */
export function underWay({ action, result }: Pick<Outcome, 'action' | 'result'>): boolean {
  return isDeployment({ action }) && result === 'unverified';
}
