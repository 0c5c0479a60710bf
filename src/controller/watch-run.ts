import { Stop } from '../index.ts';
import { problemText } from './problem-text.ts';
import type { Records } from './records/all.ts';

/** A run that a person ended: the stack is paused, and the queue is not to call again. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped';
}

const reason = 'a person stopped the run';

/** How often the row of a run says that its worker lives, and is read for a stop. */
const beatMs = 1_000;

/**
 * Does the work of a run, and says in its row that its worker lives. The signal aborts where a person stops the run, or the worker
 * stops. The row ends as failed when the work throws.
 *
 * @throws {RunStopped} where a person stopped the run, after its work ended or threw
 */
export async function watched<T>(
  { records }: { readonly records: Records },
  { run, signal }: { readonly run: string; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<{ readonly result: T; readonly end: Parameters<Records['endRun']>[1] }>,
): Promise<T> {
  const stopping = new AbortController();
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    // Where the database is away the run goes on, as long as it has its lease.
    const { isStopped: isAsked } = await records.beat(run).catch(() => ({ isStopped: false }));
    if (isAsked) stopping.abort(new RunStopped(reason));
    isAsking = false;
  };
  const timer = setInterval(() => void ask(), beatMs);
  const isStopped = (): boolean => stopping.signal.aborted;
  try {
    await ask();
    const { result, end } = await work(AbortSignal.any([signal, stopping.signal]));
    await records.endRun(run, isStopped() ? { ...end, ending: 'stopped' } : end);
    if (isStopped()) throw new RunStopped(reason);
    return result;
  } catch (error) {
    if (error instanceof RunStopped) throw error;
    const isCut = isStopped() || signal.aborted;
    await records.endRun(run, isCut ? { ending: 'stopped' } : { ending: endingOf(error), failure: problemText(error) });
    throw isStopped() ? new RunStopped(reason, { cause: error }) : error;
  } finally {
    clearInterval(timer);
  }
}

function endingOf(error: unknown): string {
  return error instanceof Stop ? error.failure : 'failed';
}
