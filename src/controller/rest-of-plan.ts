import { someOf } from '../diagnostics/some-of.ts';
import { safeguards } from '../diagnostics/safeguards.ts';
import type { PlanDocument } from '../index.ts';

type Action = PlanDocument['actions'][number];

/** A plan whose apply began and did not end, by a plan that was made since. Actions are named as `create production.redis.main`. */
interface RestOfPlan {
  readonly done: readonly string[];
  readonly left: readonly string[];
  /** What the plan did not say, or said otherwise. */
  readonly other: readonly string[];
}

/**
 * Compares a plan with one that was made after its apply began. An action is left where it does the same, or a part of that, for the
 * same cause. Of a commit's plan, one that was done and undone by hand since has another cause; and an object that was created and is
 * gone is said.
 */
export function restOf(begun: PlanDocument, now: PlanDocument): RestOfPlan {
  const before = new Map(changing(begun).map((one) => [nameOf(one), one]));
  const since = new Map(changing(now).map((one) => [nameOf(one), one]));
  const isLeft = (name: string): boolean => isPartOf(since.get(name), before.get(name));
  return {
    done: [...before.keys()].filter((name) => !since.has(name)),
    left: [...since.keys()].filter(isLeft),
    other: [...[...since.keys()].filter((name) => !isLeft(name)), ...goneSince(begun, now)],
  };
}

/** Says what became of a plan, for who is asked to approve what is left. */
export function restText(digest: string, { done, left, other }: RestOfPlan): string {
  const about = (words: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${words}: ${someOf(names)}`];
  return [
    `the plan ${digest.slice(0, 12)} was approved and applied in part; this is what is to do now`,
    ...about('done', done),
    ...about('left of it', left),
    ...about('not in it', other),
  ].join('\n');
}

function changing({ actions }: PlanDocument): Action[] {
  return actions.filter(({ action }) => action !== 'no-op');
}

/** Whether an action does nothing but what a former one of its name does. Values are compared by the digests of the plan file. */
function isPartOf(one: Action | undefined, former: Action | undefined): boolean {
  if (one === undefined || former === undefined) return false;
  return one.changes.every(({ path, cause }) =>
    former.changes.some((each) => each.path === path && each.cause === cause),
  );
}

/** What the state knows and the platform has no more, as messages. */
function goneSince(begun: PlanDocument, now: PlanDocument): string[] {
  const gone = ({ diagnostics }: PlanDocument): string[] =>
    diagnostics
      .filter(({ code }) => code === 'gone' || code === safeguards.vanished.code)
      .map(({ message }) => message);
  const known = new Set(gone(begun));
  return gone(now).filter((message) => !known.has(message));
}

function nameOf({ action, address }: Action): string {
  return `${action} ${address}`;
}
