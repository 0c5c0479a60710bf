import type { Row } from '../kind/json.ts';
import { fieldPath, idsBelow } from '../kind/wire.ts';
import { fieldOfPart } from '../manifest/resource.ts';
import type { Action } from '../plan/action.ts';
import { changedFields } from '../plan/compare.ts';
import { knownPairs } from '../state/known-pairs.ts';
import type { LaneRow } from './read-back.ts';
import { findById } from './read-back.ts';
import type { Run } from './run.ts';

/**
 * Says what somebody changed of what an action is about to take away, or of what goes along, since the plan was made:
 * who approved it never saw that. What is gone already is no hindrance.
 */
export function lossSince(run: Run, action: Action, lane: LaneRow | 'gone'): string | undefined {
  if (lane === 'gone') return undefined;
  // What is below an object that goes is the first of it to go.
  const isWhole = lane.root.action === 'delete' || lane.root.teardown.length > 0;
  const going = isWhole ? (run.lanes.get(action.lane) ?? []) : [action];
  for (const one of going) {
    if (one.action !== 'delete' && one.action !== 'replace') continue;
    const planned = run.input.plan.observed.objects.get(one.address);
    const now = planned === undefined ? undefined : findById(lane, one, planned.id);
    const change = planned === undefined || now === undefined ? undefined : changeOf(run, one, planned.row, now);
    if (change !== undefined) return change;
  }
  return undefined;
}

/** What differs between an object as the plan saw it, and as it is now. */
function changeOf(run: Run, action: Action, planned: Row, now: Row): string | undefined {
  const { kind, address, options } = action;
  const [changed] = changedFields(kind, namesOf(run, action), planned, now);
  if (changed !== undefined) return `${fieldPath(kind, changed)} of ${address} was changed on the platform`;
  for (const child of run.input.kinds) {
    const known = new Set(idsBelow(kind, planned, child));
    const added = idsBelow(kind, now, child).filter((id) => !known.has(id));
    if (added.length > 0) return `${added.length} of ${child.section} was added below ${address} on the platform`;
  }
  const riskOf = (row: Row) =>
    kind.lifecycle?.dataAtRisk?.({ row, options, action: action.action === 'delete' ? 'delete' : 'replace' });
  const risk = riskOf(now);
  return risk === undefined || risk === riskOf(planned) ? undefined : `${risk} came to be at risk with ${address}`;
}

/** The fields that are declared, or were settled. */
function namesOf(run: Run, { address, parts }: Action): string[] {
  const settled = Object.keys(knownPairs(run.input.plan.base.resources[address]));
  return [...new Set([...parts.map(({ part }) => part.field), ...settled.map(fieldOfPart)])];
}
