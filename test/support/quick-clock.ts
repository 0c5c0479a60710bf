import type { Clock } from '../../src/state/clock.ts';

/** So that what takes the machine a moment is not late by minutes. Milliseconds. */
const most = 5_000;

/**
 * A clock on which waiting takes no time: after one turn of the timers it is as late as whoever sleeps the shortest
 * wants it to be. Between that it goes as the clock of the machine does.
 */
export function quickClock(): Clock {
  let skipped = 0;
  let isTurning = false;
  const sleepers = new Map<() => void, number>();
  const monotonic = (): number => performance.now() + skipped;
  const turn = (): void => {
    isTurning = false;
    if (sleepers.size === 0) return;
    skipped += Math.min(most, Math.max(0, Math.min(...sleepers.values()) - monotonic()));
    const now = monotonic();
    for (const [wake, until] of sleepers) if (until <= now) wake();
    wait();
  };
  const wait = (): void => {
    if (isTurning || sleepers.size === 0) return;
    isTurning = true;
    setTimeout(turn, 0);
  };
  return {
    wall: () => Date.now() + skipped,
    monotonic,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        sleepers.set(wake, monotonic() + ms);
        signal?.addEventListener('abort', wake);
        wait();
      }),
  };
}
