import type { Clock } from './clock.ts';
import type { Lease } from './lease.ts';
import type { StateStore } from './state.ts';

/** The longest in-flight timeout that `--in-flight-timeout` takes. Milliseconds. */
export const longestTimeoutMs = 3_600_000;

/** What decides how long requests of an earlier run can still take effect. */
interface Waiting {
  /** In-flight timeout of this run; 0: never wait. Milliseconds. */
  readonly inFlightTimeoutMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The lock of this run; without one, an earlier run may have ended just now. */
  readonly lease?: Pick<Lease, 'inherited' | 'quietSince'>;
}

/**
 * Waits until no request of an earlier run can take effect any more, so that what is read then stays true. `onWait` is
 * called once, with the milliseconds of the wait.
 */
export async function waitOut(
  store: StateStore,
  {
    signal,
    onWait,
    ...waiting
  }: Waiting & {
    readonly clock: Clock;
    readonly signal?: AbortSignal;
    readonly onWait?: (ms: number) => void;
  },
): Promise<void> {
  const leftMs = await msToWait(store, waiting);
  if (leftMs === 0) return;
  onWait?.(leftMs);
  await waiting.clock.sleep(leftMs, signal);
}

/**
 * How long a request of an earlier run can still take effect: for the in-flight timeout of its pending creates and writes.
 * A run whose lock was removed may have sent a request that no state holds. The state location tells how long ago the lock
 * was released, because no two machines have the same time. Milliseconds.
 */
export async function msToWait(store: StateStore, { inFlightTimeoutMs, clock, lease }: Waiting): Promise<number> {
  const now = clock.monotonic();
  const quietMs = now - (lease?.quietSince ?? now);
  if (inFlightTimeoutMs === 0 || quietMs >= longestTimeoutMs) return 0;
  const timeouts = await pendingTimeouts(store);
  if (timeouts.length === 0 && lease?.inherited?.wasRemoved !== true) return 0;
  return Math.max(0, Math.max(inFlightTimeoutMs, ...timeouts) - quietMs);
}

/** The in-flight timeouts of the creates and writes whose outcome is unknown. Milliseconds. */
async function pendingTimeouts(store: StateStore): Promise<number[]> {
  const state = await store.read({ acceptsNone: true }); // the plan refuses that it is gone
  return Object.values(state?.resources ?? {}).flatMap(({ pending }) =>
    pending === undefined ? [] : [pending.timeoutMs],
  );
}
