import type { BeatingClock } from '../../src/state/clock.ts';

/** So that what takes the machine a moment is not late by minutes. Milliseconds. */
const most = 5_000;

/**
 * A clock on which waiting takes no time: after one turn of the timers it is as late as whoever sleeps the shortest
 * wants it to be. Between that it goes as the clock of the machine does.
 */
export function quickClock(): BeatingClock {
  let skipped = 0;
  let isTurning = false;
  const sleepers = new Map<() => void, number>();
  const beats = new Set<{ at: number; readonly ms: number; readonly task: () => void }>();
  const monotonic = (): number => performance.now() + skipped;
  const beatAt = (now: number): void => {
    for (const beat of beats) {
      if (beat.at > now) continue;
      beat.at = now + beat.ms;
      beat.task();
    }
  };
  const turn = (): void => {
    isTurning = false;
    if (sleepers.size === 0) return;
    skipped += Math.min(most, Math.max(0, Math.min(...sleepers.values()) - monotonic()));
    const now = monotonic();
    beatAt(now);
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
    every: (ms, task) => {
      const beat = { at: monotonic() + ms, ms, task };
      beats.add(beat);
      const timer = setInterval(() => beatAt(monotonic()), ms).unref();
      return () => {
        beats.delete(beat);
        clearInterval(timer);
      };
    },
  };
}
