import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { changedSince } from './freshness.ts';
import { lossSince } from './losses.ts';
import type { LaneRow } from './read-back.ts';
import { findById } from './read-back.ts';
import type { Run } from './run.ts';
import { laneBefore } from './lane-now.ts';
import { isAtHome } from './took-effect.ts';

/** From where on an action is looked at, and how. */
type Looking = { readonly step?: Step } & Parameters<typeof laneBefore>[2];

/** The object of an action as it was a few seconds ago at most. */
export async function rowNow(run: Run, action: Action, how: Looking = {}): Promise<Row> {
  const row = await rowIn(run, action, how);
  if (row !== undefined) return row;
  throw stop(action, `${action.address} is not on the platform any more; ${sentBefore(run, action)}`);
}

/**
 * Refuses what somebody changed since the plan was made, of what is still to be sent for an action; gives the object that
 * it changes as it is. What the step at hand or one before it brought is ours.
 */
export async function unchanged(run: Run, action: Action, looking: Looking = {}): Promise<Row | undefined> {
  const { step } = looking;
  const refuse = (change: string | undefined): void => {
    if (change !== undefined) throw stop(action, `${change} since the plan was made; ${sentBefore(run, action)}`);
  };
  if (step?.role === 'delete') {
    refuse(lossSince(run, action, await laneBefore(run, action.lane, looking)));
    return undefined;
  }
  if (isMade(action)) return rowIn(run, action, looking);
  const row = await rowNow(run, action, looking);
  refuse(changedSince(action, row, run.outputs, step) ?? movedSince(run, action, row));
  return row;
}

/** Says that somebody moved an object that is to be moved. */
function movedSince(run: Run, action: Action, now: Row): string | undefined {
  const { kind, address, parent } = action;
  const idAt = kind.parents[run.actions.get(parent ?? '')?.kind.kind ?? '']?.idAt;
  const planned = run.input.plan.observed.objects.get(address)?.row;
  if (action.action !== 'move' || idAt === undefined || planned === undefined) return undefined;
  if (now[idAt] === planned[idAt] || isAtHome(run, action, now)) return undefined;
  return `${address} was moved on the platform`;
}

/** The object of an action in its lane; what this run made may be newer than what was read of that. */
async function rowIn(run: Run, action: Action, how: Looking = {}): Promise<Row | undefined> {
  const id = run.ids.get(action.address);
  if (id === undefined) return undefined;
  const look = (lane: LaneRow | 'gone') => (lane === 'gone' ? undefined : findById(lane, action, id));
  const row = look(await laneBefore(run, action.lane, how));
  return row ?? (isMade(action) ? look(await laneBefore(run, action.lane, { ...how, isAnew: true })) : undefined);
}

function sentBefore(run: Run, { address }: Action): string {
  return run.sent.has(address) ? 'nothing more was sent' : 'nothing was sent';
}

/** What ends an action because of what the platform has. */
export function stop(action: Action, message: string): Stop {
  return new Stop('platform', [
    diagnostic('platform-answer', message, {
      address: action.address,
      position: action.position,
      remedy: 'Plan again.',
    }),
  ]);
}
