import type { Clock } from '../../../src/state/clock.ts';

/** A clock that stands still but while somebody sleeps: then it is as late as the first of them wants it to be. */
export interface StillClock extends Clock {
  /** Waits for work that does nothing but sleep. */
  readonly leap: (work: Promise<void>) => Promise<void>;
}

/** So that what takes the machine a moment, such as a deployment, is not late by minutes. Milliseconds. */
const most = 5_000;

/** Makes a clock; nothing that it tells depends on the machine. */
export function stillClock(): StillClock {
  let now = 0;
  let isTurning = false;
  let isLeaping = false;
  const sleepers = new Map<() => void, number>();
  const turn = (): void => {
    isTurning = false;
    if (sleepers.size === 0) return;
    const next = Math.max(now, Math.min(...sleepers.values()));
    now = isLeaping ? next : Math.min(next, now + most);
    for (const [wake, until] of sleepers) if (until <= now) wake();
    wait();
  };
  const wait = (): void => {
    if (isTurning || sleepers.size === 0) return;
    isTurning = true;
    setTimeout(turn, 0);
  };
  return {
    wall: () => Date.UTC(2030, 0, 1) + now,
    monotonic: () => now,
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
        sleepers.set(wake, now + ms);
        signal?.addEventListener('abort', wake);
        wait();
      }),
    leap: async (work) => {
      isLeaping = true;
      await work.finally(() => {
        isLeaping = false;
      });
    },
  };
}
