import type { OwnConnection } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Row } from '../kind/json.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { freshMs } from './lane-now.ts';
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

/** How long before its request goes out the time of a pending operation may have been noted. Milliseconds. */
const mostNoteAgeMs = 1_000;

/**
 * Sends a request of an action. When nobody knows whether it was carried out, what the platform has is looked at; what
 * it does not have is sent again where that is harmless: an update, a move or a deletion comes to the same when it is
 * carried out twice; a create does not.
 */
export async function send(run: Run, action: Action, step: Step): Promise<unknown> {
  const { signal } = run.input;
  for (let sends = 1; ; sends += 1) {
    try {
      return await sendOnce(run, action, step, sends > 1);
    } catch (error) {
      if (step.role === 'create' || !mayBeExecuted(error) || signal?.aborted === true) throw error;
      if (await tookEffect(run, action, step)) return undefined;
      if (sends === mostSends || !isTrouble(error)) throw error;
      await run.clock.sleep(pauses.first * pauses.growth ** (sends - 1), signal);
    }
  }
}

/** Takes a connection, reads the object again, notes the time, and sends: nothing comes between the look and the request. */
async function sendOnce(run: Run, action: Action, step: Step, isAgain: boolean): Promise<unknown> {
  const { address } = action;
  run.sent.add(address);
  try {
    const result = await run.input.client.withConnection(step.operation, async (own) => {
      const now = await lookBefore(run, action, { step, own, isAgain });
      await noteTime(run, address, isAgain || own.hasPaused);
      return perform({ ...contextOf(run, action, own), client: own, step, now });
    });
    if (result === 'skipped') return undefined;
    run.written.add(address);
    return result.answer;
  } catch (error) {
    if (mayBeExecuted(error)) run.written.add(address);
    if (mayLandLater(error)) run.lost.add(address);
    throw error;
  }
}

/** Refuses what somebody changed; gives the object as it is, unless this run made it just now. */
async function lookBefore(
  run: Run,
  action: Action,
  { step, own, isAgain }: { readonly step: Step; readonly own: OwnConnection; readonly isAgain: boolean },
): Promise<Row | undefined> {
  if (step.role === 'create') return undefined;
  const { hasPaused } = own;
  const isMadeNow = isMade(action) && step.role !== 'delete' && !isAgain && !hasPaused;
  const madeAt = run.sentAt.get(action.address) ?? run.clock.monotonic();
  if (isMadeNow && run.clock.monotonic() - madeAt <= freshMs) return undefined;
  return unchanged(run, action, { step, client: own, isAnew: hasPaused });
}

/** Notes when a request is sent, because until when it may land is reckoned from then; anew where that was noted earlier. */
async function noteTime(run: Run, address: string, isAnew: boolean): Promise<void> {
  const { clock } = run;
  const record = run.records.get(address);
  const at = clock.wall();
  if (record?.pending !== undefined && (isAnew || Math.abs(at - record.pending.at) > mostNoteAgeMs)) {
    const again = renewed(record, at);
    if (again !== record) await save(run, address, again);
  }
  run.sentAt.set(address, clock.monotonic());
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
export function contextOf(run: Run, action: Action, own?: OwnConnection) {
  return {
    action,
    outputs: run.outputs,
    addSecret: run.input.addSecret,
    made: isMade(action) ? run.rows.get(action.address) : undefined,
    idOf: (address: string) => run.ids.get(address),
    readNow: () => rowNow(run, action, own === undefined ? {} : { client: own }),
  };
}
