import { someOf } from '../diagnostics/some-of.ts';
import { groupBy } from '../kind/group.ts';
import type { ActionName, PlanDocument } from './document-schemas.ts';
import { counted } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Tone } from './style.ts';

type Narrowed = NonNullable<PlanDocument['narrowed']>;

/** The symbol and the words of an action, and its tone: `bad` takes an object away. */
export interface ActionWords {
  readonly symbol: string;
  /** The meaning of the symbol. */
  readonly sign: string;
  readonly tone: Tone;
  /** `creating…`. */
  readonly now: string;
  /** `created in 1.2s`. */
  readonly done: string;
}

/** An action of a document, of an event or of a drawing. */
interface Named {
  readonly action?: ActionName | undefined;
}

/** Whether an action changes something, on the platform or in the state. */
export function isChange({ action }: Named): boolean {
  return action !== 'no-op';
}

/** Whether an action deploys a service. */
export function isDeployment({ action }: Named): boolean {
  return action === 'deploy';
}

/** Whether an action deploys or runs an object, beside the action that makes it. */
export function isBeside(one: Named): boolean {
  return isDeployment(one) || one.action === 'run';
}

/** Whether an action takes an object away, with or without a new one in its place. */
export function isRemoval({ action = 'no-op' }: Named): boolean {
  return actionWords[action].tone === 'bad';
}

/** The symbol of an action in plans. */
export function symbolOf({
  action,
  createsBeforeDestroy,
}: {
  readonly action: ActionName;
  readonly createsBeforeDestroy?: boolean | undefined;
}): string {
  return createsBeforeDestroy === true ? '+/-' : actionWords[action].symbol;
}

/** The words of an action whose outcome the run did not learn. */
export function unverifiedWords(action: ActionName): string {
  return isDeployment({ action })
    ? 'deployment started; not waiting for it'
    : `${actionWords[action].done}, not verified`;
}

/** The words of every action, in the order in which they are counted up. */
export const actionWords: Readonly<Record<ActionName, ActionWords>> = {
  create: { symbol: '+', sign: 'create', tone: 'good', now: 'creating', done: 'created' },
  update: { symbol: '~', sign: 'update', tone: 'change', now: 'updating', done: 'updated' },
  move: { symbol: '>', sign: 'move', tone: 'change', now: 'moving', done: 'moved' },
  replace: { symbol: '-/+', sign: 'replace', tone: 'bad', now: 'replacing', done: 'replaced' },
  adopt: { symbol: '?', sign: 'adopt', tone: 'info', now: 'adopting', done: 'adopted' },
  delete: { symbol: '-', sign: 'delete', tone: 'bad', now: 'deleting', done: 'deleted' },
  forget: {
    symbol: 'x',
    sign: 'remove from state',
    tone: 'faint',
    now: 'removing from state',
    done: 'removed from state',
  },
  deploy: { symbol: '^', sign: 'deploy', tone: 'info', now: 'deploying', done: 'deployed' },
  run: { symbol: '*', sign: 'run', tone: 'info', now: 'running', done: 'ran' },
  'no-op': { symbol: ' ', sign: 'unchanged', tone: 'faint', now: 'checking', done: 'unchanged' },
};

/** What a plan says behind a number of actions: `to create`. */
export function plannedWords(name: ActionName): string {
  return `${isChange({ action: name }) ? 'to ' : ''}${actionWords[name].sign}`;
}

/** Counts the actions of each name, in the order of the words. */
export function countActions(actions: readonly { readonly action: ActionName }[]): Map<ActionName, number> {
  const counts = new Map<ActionName, number>();
  for (const name of Object.keys(actionWords) as ActionName[]) {
    const count = actions.filter((action) => action.action === name).length;
    if (count > 0) counts.set(name, count);
  }
  return counts;
}

/** What a plan is narrowed to: `narrowed to a, without b`. */
export function narrowedWords(
  { targets, excludes }: Pick<Narrowed, 'targets' | 'excludes'>,
  nameOf = printable,
): string {
  const without = excludes.length === 0 ? '' : `without ${excludes.map(nameOf).join(', ')}`;
  if (targets.length === 0) return `narrowed to everything ${without}`;
  return `narrowed to ${targets.map(nameOf).join(', ')}${without === '' ? '' : `, ${without}`}`;
}

/** The changes that a narrowed plan leaves out, with their number. */
export function leftOutWords({ leftOut }: Pick<Narrowed, 'leftOut'>, isFull: boolean, nameOf = printable): string {
  if (leftOut.length === 0) return 'no change is left out';
  const byBlock = groupBy(leftOut.map((one) => [one.address, one] as const));
  const named = [...byBlock].map(([block, changes]) => {
    const doing = changes.map(({ action }) => actionWords[action].sign);
    const needs = changes.flatMap((one) => (one.needs === undefined ? [] : [`needs ${nameOf(one.needs)}`]));
    return `${nameOf(block)} (${[...doing, ...needs].join(', ')})`;
  });
  const word = leftOut.length === 1 ? 'is' : 'are';
  return `${counted(leftOut.length, 'change')} ${word} left out: ${isFull ? named.join(', ') : someOf(named)}`;
}

/** One sentence about the fields that the platform ignores; empty when there are none. */
export function ignoredWords(count: number): string[] {
  if (count === 0) return [];
  return [`${counted(count, 'field')} ${count === 1 ? 'is' : 'are'} ignored by the platform.`];
}

/** New values of secrets, in words. */
export function newValues(secrets: readonly string[]): string {
  return secrets.length === 1 ? `a new value of ${secrets.join()}` : `new values of ${secrets.join(', ')}`;
}
