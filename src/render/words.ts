import type { ActionName, ShownPlan } from '../plan/action.ts';
import { counted } from './lines.ts';
import type { Tone } from './style.ts';

/** The symbol and the words of an action. */
export interface ActionWords {
  readonly symbol: string;
  readonly tone: Tone;
  /** `3 to create`. */
  readonly plan: string;
  /** `creating…`. */
  readonly now: string;
  /** `created in 1.2s`. */
  readonly done: string;
}

/** The words of every action, in the order in which they are counted up. */
export const actionWords: Readonly<Record<ActionName, ActionWords>> = {
  create: { symbol: '+', tone: 'good', plan: 'to create', now: 'creating', done: 'created' },
  update: { symbol: '~', tone: 'change', plan: 'to update', now: 'updating', done: 'updated' },
  move: { symbol: '>', tone: 'change', plan: 'to move', now: 'moving', done: 'moved' },
  replace: { symbol: '-/+', tone: 'bad', plan: 'to replace', now: 'replacing', done: 'replaced' },
  adopt: { symbol: '?', tone: 'info', plan: 'to adopt', now: 'adopting', done: 'adopted' },
  delete: { symbol: '-', tone: 'bad', plan: 'to delete', now: 'deleting', done: 'deleted' },
  forget: {
    symbol: 'x',
    tone: 'faint',
    plan: 'to remove from state',
    now: 'removing from state',
    done: 'removed from state',
  },
  deploy: { symbol: '^', tone: 'info', plan: 'to deploy', now: 'deploying', done: 'deployed' },
  'no-op': { symbol: ' ', tone: 'faint', plan: 'unchanged', now: 'checking', done: 'unchanged' },
};

/** Counts the actions of each name, in the order of the words. */
export function countActions(actions: readonly { readonly action: ActionName }[]): Map<ActionName, number> {
  const counts = new Map<ActionName, number>();
  for (const name of Object.keys(actionWords) as ActionName[]) {
    const count = actions.filter((action) => action.action === name).length;
    if (count > 0) counts.set(name, count);
  }
  return counts;
}

/** The summary when there is nothing to do; `ignored`: the number of fields that the platform ignores. */
export function noChanges(
  ignored: number,
  { destroys, saved }: Partial<Pick<ShownPlan, 'destroys' | 'saved'>> = {},
): string {
  if (destroys === true) {
    // A destruction says nothing of what the manifest declares.
    return saved === undefined
      ? 'There is no state: Trueup knows no object to delete. trueup state rebuild makes one from the platform.'
      : 'The state holds no object to delete.';
  }
  return ignored === 0
    ? 'No changes. The platform matches the manifest.'
    : ['No changes.', ...ignoredWords(ignored)].join(' ');
}

/** One sentence about the fields that the platform ignores; empty when there are none. */
export function ignoredWords(count: number): string[] {
  if (count === 0) return [];
  return [`${counted(count, 'field')} ${count === 1 ? 'is' : 'are'} ignored by the platform.`];
}
