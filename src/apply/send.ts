import type { Late } from '../api/client.ts';
import { inItsTurn } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Row } from '../kind/json.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { perform } from './perform.ts';
import { renewed } from '../state/pending.ts';
import type { Run } from './run.ts';
import { save } from './records.ts';
import { tookEffect } from './took-effect.ts';
import { rowNow, unchanged } from './unchanged.ts';

/** How often a request is sent at most whose outcome stays unknown; what was surely not executed does not count. */
export const mostSends = 4;

/** The pause before a request is sent again, and how many times as long each one is after it. Milliseconds. */
const pauses = { first: 500, growth: 2 };

/**
 * Sends a request of an action. When nobody knows whether it was carried out, what the platform has is looked at; what
 * it does not have is sent again where that is harmless: an update, a move or a deletion comes to the same when it is
 * carried out twice; a create does not.
 */
export async function send(run: Run, action: Action, step: Step): Promise<unknown> {
  const { signal } = run.input;
  for (let sends = 1; ; sends += 1) {
    try {
      const isNew = isMade(action) && step.role !== 'delete' && sends === 1;
      const now = isNew ? undefined : await unchanged(run, action, { step });
      return await sendOnce(run, action, step, now);
    } catch (error) {
      if (step.role === 'create' || !mayBeExecuted(error) || signal?.aborted === true) throw error;
      if (await tookEffect(run, action, step)) return undefined;
      if (sends === mostSends || !isTrouble(error)) throw error;
      await run.clock.sleep(pauses.first * pauses.growth ** (sends - 1), signal);
      await renewPending(run, action);
    }
  }
}

async function sendOnce(run: Run, action: Action, step: Step, now: Row | undefined): Promise<unknown> {
  run.sent.add(action.address);
  try {
    const result = await perform({
      ...contextOf(run, action),
      step,
      now,
      whenLate: (late) => whenLate(run, action, step, late),
    });
    if (result === 'skipped') return undefined;
    run.written.add(action.address);
    return result.answer;
  } catch (error) {
    if (mayBeExecuted(error)) run.written.add(action.address);
    if (mayLandLater(error)) run.lost.add(action.address);
    throw error;
  }
}

/** Says anew when a request is sent, which had to wait or is sent again: until when it may land is reckoned from then. */
async function renewPending(run: Run, { address }: Action): Promise<void> {
  run.sentAt.set(address, run.clock.monotonic());
  const record = run.records.get(address);
  const again = record === undefined || record === null ? record : renewed(record, run.clock.wall());
  if (again !== undefined && again !== record) await save(run, address, again);
}

/** Gets a request ready that had to wait. After a pause it is known that others had the time to change something. */
async function whenLate(run: Run, action: Action, step: Step, late: Late): Promise<Row | undefined> {
  const { client } = run.input;
  const how = late === 'paused' ? { isAnew: true } : { client: inItsTurn(client) };
  const row = step.role === 'create' ? undefined : await unchanged(run, action, { step, ...how });
  await renewPending(run, action);
  return row;
}

/** Whether a request that failed may have been carried out all the same. */
export function mayBeExecuted(error: unknown): boolean {
  return error instanceof PlatformError && error.outcome === 'unknown';
}

/** Whether a request that failed may be carried out later still: it was not the platform itself that answered. */
export function mayLandLater(error: unknown): boolean {
  return isTrouble(error) && (error.status === undefined || error.code === undefined);
}

/** Whether a failure is that of the way or of the platform, and not an answer to what was asked. */
function isTrouble(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError)) return false;
  return error.status === undefined || error.status >= 500 || error.failure === 'unreadable';
}

/** What sending the steps of an action needs. */
export function contextOf(run: Run, action: Action) {
  return {
    client: run.input.client,
    action,
    outputs: run.outputs,
    addSecret: run.input.addSecret,
    made: isMade(action) ? run.rows.get(action.address) : undefined,
    idOf: (address: string) => run.ids.get(address),
    readNow: () => rowNow(run, action),
  };
}
