import type { Row } from '../kind/json.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Action, Member, Step } from '../plan/action.ts';
import { compare, readRow } from '../plan/compare.ts';
import { pathOf } from '../plan/diff.ts';

/**
 * Says what somebody changed of what an action is about to overwrite or remove, from a step on. A plan that was shown
 * and approved does not overwrite a change that it never showed, nor by what only goes along. What is as wanted already
 * is no hindrance: a request of this action may have brought it.
 */
export function changedSince(action: Action, now: Row, outputs: Outputs, step?: Step): string | undefined {
  const next = step === undefined ? 0 : action.steps.indexOf(step);
  const rest = action.steps.slice(next);
  const sent = membersOf(rest);
  const earlier = membersOf(action.steps.slice(0, next));
  for (const { planned, verdict } of compare(action, now, outputs)) {
    const { part, wanted, decision } = planned;
    const goesAlong = decision.do === 'nothing' && wanted !== undefined && sent.has(part.field);
    if (decision.do !== 'write' && decision.do !== 'remove' && !goesAlong) continue;
    if (earlier.has(part.field) && !sent.has(part.field)) continue;
    if (verdict === 'as before' || verdict === 'as wanted') continue;
    return `${pathOf(action.kind, part)} of ${action.address} was changed on the platform`;
  }
  const read = readRow(action.kind, now);
  for (const { members } of rest) {
    for (const member of Object.values(members)) {
      if (member.is !== 'map' || member.keepOthers) continue;
      const planned = new Set(action.parts.flatMap(({ part }) => (part.field === member.name ? (part.key ?? []) : [])));
      const added = read.keys(member.name).find((key) => !planned.has(key));
      if (added !== undefined) return `${member.name}.${added} of ${action.address} was added on the platform`;
    }
  }
  return undefined;
}

/** What requests say of their own. */
function membersOf(steps: readonly Step[]): ReadonlySet<string> {
  const all = steps.flatMap(({ members }) => Object.entries(members));
  return new Set(all.flatMap(([name, member]) => (isOurs(member) ? [name] : [])));
}

/** Whether a member of a request says what is declared, and not what the platform has at that moment. */
function isOurs({ is }: Member): boolean {
  return is === 'wanted' || is === 'map' || is === 'value';
}
