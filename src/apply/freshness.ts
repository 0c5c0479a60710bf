import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Action, Member } from '../plan/action.ts';
import { pathOf } from '../plan/diff.ts';
import { readParts } from './parts.ts';

/**
 * Says what somebody changed of what an action is about to overwrite or remove. A plan that was shown and approved
 * does not overwrite a change that it never showed, nor by what only goes along.
 */
export function changedSince(action: Action, now: Row): string | undefined {
  const read = readParts(action, now);
  const sent = new Set(
    action.steps.flatMap(({ members }) => Object.keys(members).filter((name) => isOurs(members[name]))),
  );
  for (const { part, field, wanted, decision, before } of action.parts) {
    const goesAlong = decision.do === 'nothing' && wanted !== undefined && sent.has(part.field);
    if (decision.do !== 'write' && decision.do !== 'remove' && !goesAlong) continue;
    if (!means(field.codec ?? plain, before.reveal(), read.value(part))) {
      return `${pathOf(action.kind, part)} of ${action.address} was changed on the platform`;
    }
  }
  for (const step of action.steps) {
    for (const member of Object.values(step.members)) {
      if (member.is !== 'map' || member.keepOthers) continue;
      const planned = new Set(action.parts.flatMap(({ part }) => (part.field === member.name ? (part.key ?? []) : [])));
      const added = read.keys(member.name).find((key) => !planned.has(key));
      if (added !== undefined) return `${member.name}.${added} of ${action.address} was added on the platform`;
    }
  }
  return undefined;
}

/** Whether a member of a request says what is declared, and not what the platform has at that moment. */
function isOurs(member: Member | undefined): boolean {
  return member?.is === 'wanted' || member?.is === 'map' || member?.is === 'value';
}
