import { PlatformError } from '../api/errors.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { perform } from './perform.ts';
import { findById } from './read-back.ts';
import type { Run } from './run.ts';
import { laneBefore, save } from './run.ts';
import { tookEffect } from './took-effect.ts';

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
      return await sendOnce(run, action, step);
    } catch (error) {
      if (step.role === 'create' || !mayBeExecuted(error) || signal?.aborted === true) throw error;
      if (await tookEffect(run, action, step)) return undefined;
      if (sends === mostSends || !isTrouble(error)) throw error;
      await run.clock.sleep(pauses.first * pauses.growth ** (sends - 1), signal);
      await renewIntent(run, action);
    }
  }
}

async function sendOnce(run: Run, action: Action, step: Step): Promise<unknown> {
  run.sent.add(action.address);
  try {
    const result = await perform({ ...contextOf(run, action), step });
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
async function renewIntent(run: Run, { address }: Action): Promise<undefined> {
  run.sentAt.set(address, run.clock.monotonic());
  const record = run.records.get(address);
  if (record === undefined || record === null || record.intent === undefined) return undefined;
  await save(run, address, { ...record, intent: { ...record.intent, at: run.clock.wall() } });
  return undefined;
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
    conceal: run.input.conceal,
    made: isMade(action) ? run.rows.get(action.address) : undefined,
    idOf: (address: string) => run.ids.get(address),
    readNow: () => rowNow(run, action),
    beforeLateSend: () => renewIntent(run, action),
  };
}

/** An action's object as it was before the first update in its lane. */
export async function rowNow(run: Run, action: Action): Promise<Row> {
  const id = run.ids.get(action.address);
  const lane = await laneBefore(run, action.lane);
  const row = lane === 'gone' || id === undefined ? undefined : findById(lane, action, id);
  if (row !== undefined) return row;
  throw stop(action, `${action.address} is not on the platform any more; nothing was sent`);
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
