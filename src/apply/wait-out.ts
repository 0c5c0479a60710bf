import type { StateStore } from '../state/state.ts';
import type { Clock } from '../state/clock.ts';
import { openUntil } from './intents.ts';

/**
 * Waits until no request of an earlier run can land any more, so that what is read then stays as it is. A run that came
 * to its end left none open.
 */
export async function waitOut(
  store: StateStore,
  {
    fenceMs,
    clock,
    signal,
    onWait,
    mayLandUntil = 0,
  }: {
    /** How long a request that got no answer may take to land. Milliseconds. */
    readonly fenceMs: number;
    readonly clock: Clock;
    readonly signal?: AbortSignal;
    /** Until then a request of the holder before may land, who did not end well; by the clock that only grows. */
    readonly mayLandUntil?: number | undefined;
    /** Told once, with the milliseconds that it takes. */
    readonly onWait?: (ms: number) => void;
  },
): Promise<void> {
  const until = openUntil(await store.read(), fenceMs);
  // A clock that was set back must not make anybody wait longer than that.
  const open = until === undefined ? 0 : Math.min(until - clock.wall(), fenceMs);
  const left = until === undefined ? 0 : Math.max(open, Math.min(mayLandUntil - clock.monotonic(), fenceMs * 2));
  if (left <= 0) return;
  onWait?.(left);
  await clock.sleep(left, signal);
}
