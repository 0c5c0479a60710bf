import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Action } from '../plan/action.ts';
import { pathOf } from '../plan/diff.ts';
import { readParts } from './parts.ts';

/**
 * Says what somebody changed of what an action is about to overwrite or remove. A plan that was shown and approved
 * does not overwrite a change that it never showed.
 */
export function changedSince(action: Action, now: Row): string | undefined {
  const read = readParts(action, now);
  for (const { part, field, decision, before } of action.parts) {
    if (decision.do !== 'write' && decision.do !== 'remove') continue;
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
