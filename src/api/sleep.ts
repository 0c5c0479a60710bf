import { promisify } from 'node:util';

/**
 * A time as the timers of Node take it: in whole milliseconds, at most 24.8 days. `AbortSignal.timeout` throws for others, and
 * `setTimeout` ends at once. Never throws.
 */
export function timerMs(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), 2 ** 31 - 1);
}

/** Resolves after so many milliseconds, or when the signal aborts. Never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      unwatch();
      resolve();
    };
    const timer = setTimeout(end, timerMs(ms));
    const unwatch = whenAborted(signal, end);
  });
}

/** Lets what else is under way go on, before work that takes milliseconds. Never rejects. */
export const turn = promisify(setImmediate);

/** The work of each signal that has any. */
const works = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Does some work when a signal aborts that has not aborted yet; the result takes that back. Never throws.
 *
 * A signal gets one listener, however many wait for it: an apply waits for up to 16 deployments on one signal, and Node
 * takes more than 10 listeners for a leak and prints a warning.
 */
export function whenAborted(signal: AbortSignal | undefined, work: () => void): () => void {
  if (signal === undefined || signal.aborted) return () => undefined;
  const known = works.get(signal);
  const all = known ?? new Set();
  all.add(work);
  if (known === undefined) {
    works.set(signal, all);
    signal.addEventListener('abort', runAll);
  }
  return () => {
    all.delete(work);
    if (all.size > 0 || works.get(signal) !== all) return;
    works.delete(signal);
    signal.removeEventListener('abort', runAll);
  };
}

function runAll({ target }: Event): void {
  const all = target instanceof AbortSignal ? works.get(target) : undefined;
  for (const work of all ?? []) work();
}
