import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Action, Member, PlannedPart, Step } from '../plan/action.ts';
import { pathOf } from '../plan/diff.ts';
import type { ReadParts } from './parts.ts';
import { readParts } from './parts.ts';

/** An action whose requests were sent up to a step, and that one perhaps. */
export interface Underway {
  readonly step: Step;
  /** Whether a row has what is wanted of a part: then it is ours that is there. */
  readonly isBrought: (planned: PlannedPart, read: ReadParts) => boolean;
}

/**
 * Says what somebody changed of what an action is about to overwrite or remove. A plan that was shown and approved
 * does not overwrite a change that it never showed, nor by what only goes along.
 */
export function changedSince(action: Action, now: Row, underway?: Underway): string | undefined {
  const read = readParts(action, now);
  const next = underway === undefined ? 0 : action.steps.indexOf(underway.step);
  const rest = action.steps.slice(next);
  const sent = membersOf(rest);
  const earlier = membersOf(action.steps.slice(0, next));
  for (const planned of action.parts) {
    const { part, field, wanted, decision, before } = planned;
    const goesAlong = decision.do === 'nothing' && wanted !== undefined && sent.has(part.field);
    if (decision.do !== 'write' && decision.do !== 'remove' && !goesAlong) continue;
    if (earlier.has(part.field) && !sent.has(part.field)) continue;
    if (means(field.codec ?? plain, before.reveal(), read.value(part)) || underway?.isBrought(planned, read) === true)
      continue;
    return `${pathOf(action.kind, part)} of ${action.address} was changed on the platform`;
  }
  for (const step of rest) {
    for (const member of Object.values(step.members)) {
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
