import type { Clock } from '../state/clock.ts';
import type { Lease } from '../state/lease.ts';
import { isWritePending } from '../state/pending.ts';
import type { StateStore } from '../state/state.ts';

/**
 * Waits until no request of an earlier run can land any more, so that what is read then stays as it is. A run that came
 * to its end left none open; one whose lock was taken away may have been about to send what no state tells of. How long
 * ago that was is told by the place of the lock: no two machines have the same time.
 */
export async function waitOut(
  store: StateStore,
  {
    fenceMs,
    clock,
    signal,
    onWait,
    lease,
  }: {
    /** How long a request that got no answer may take to land; 0: nobody waits. Milliseconds. */
    readonly fenceMs: number;
    readonly clock: Clock;
    readonly signal?: AbortSignal;
    /** The lock of this run; without one, an earlier run may have ended just now. */
    readonly lease?: Pick<Lease, 'inherited' | 'quietSince'>;
    /** Told once, with the milliseconds that it takes. */
    readonly onWait?: (ms: number) => void;
  },
): Promise<void> {
  const now = clock.monotonic();
  const left = (lease?.quietSince ?? now) + fenceMs - now;
  if (fenceMs === 0 || left <= 0) return;
  if (lease?.inherited?.wasRemoved !== true && !(await isOpen(store))) return;
  onWait?.(left);
  await clock.sleep(left, signal);
}

/** Whether a request was about to be sent of which nobody knows what became of it. */
async function isOpen(store: StateStore): Promise<boolean> {
  const state = await store.read();
  return Object.values(state?.resources ?? {}).some(isWritePending);
}
