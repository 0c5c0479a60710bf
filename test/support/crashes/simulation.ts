import { vi } from 'vitest';
import type { BeatingClock } from '../../../src/state/clock.ts';

/**
 * Time that stands still until everything has been done that can be done now, and then is that of the next timer. What
 * runs in it runs in the same order each time: no step takes a time of the machine.
 */
export interface Simulation {
  readonly clock: BeatingClock;
  /** Resolves after so many milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Calls something at a moment, in milliseconds since the beginning of all time. */
  readonly at: (moment: number, task: () => void) => void;
  /** Lets time pass until a work is done. */
  readonly finish: <T>(work: Promise<T>) => Promise<T>;
}

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** The wall clock at the beginning of all time. */
export const began = Date.UTC(2030, 0, 1);

/** The one in which the timers of the platform run. */
let current: { readonly start: (task: () => void, ms: number) => Timer; readonly stop: (timer: Timer) => void };

/** From now on the timers of this file are those of the simulation that was begun last. */
export function simulateTimers(): void {
  vi.stubGlobal('setTimeout', (task: () => void, ms = 0) => {
    const timer = current.start(task, ms);
    return Object.assign(timer, { unref: () => timer });
  });
  vi.stubGlobal('clearTimeout', (timer: Timer | undefined) => {
    if (timer !== undefined) current.stop(timer);
  });
}

/** Begins a simulation at a moment. */
export function simulate(moment = 0): Simulation {
  let now = moment;
  const timers = new Set<Timer>();
  const start = (task: () => void, ms: number): Timer => {
    const timer = { at: now + Math.max(0, ms), task };
    timers.add(timer);
    return timer;
  };
  const stop = (timer: Timer): void => void timers.delete(timer);
  current = { start, stop };

  /** Of two at the same moment the one that was started first. */
  const takeNext = (): Timer => {
    let next: Timer | undefined;
    for (const timer of timers) if (next === undefined || timer.at < next.at) next = timer;
    if (next === undefined) throw new Error('everybody waits, and nothing will happen');
    timers.delete(next);
    return next;
  };

  return {
    clock: {
      wall: () => began + now,
      monotonic: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const wake = (): void => {
            stop(timer);
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          const timer = start(wake, ms);
          if (signal?.aborted === true) wake();
          else signal?.addEventListener('abort', wake);
        }),
      every: (ms, task) => {
        const again = (): void => {
          task();
          timer = start(again, ms);
        };
        let timer = start(again, ms);
        return () => stop(timer);
      },
    },
    wait: (ms) => new Promise((resolve) => void start(resolve, ms)),
    at: (at, task) => void timers.add({ at, task }),
    finish: async (work) => {
      const state = { isOver: false };
      const over = work.finally(() => {
        state.isOver = true;
      });
      over.catch(() => undefined);
      for (;;) {
        await everythingDone();
        if (state.isOver) return over;
        const timer = takeNext();
        now = Math.max(now, timer.at);
        timer.task();
      }
    },
  };
}

/** All promises that can be settled are settled when the event loop comes round. */
function everythingDone(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Numbers from 0 up to 1 that look like chance and are the same for the same seed. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
