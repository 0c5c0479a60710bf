import { sleep } from '../api/sleep.ts';

/** The time, as a run sees it. */
export interface Clock {
  /** Milliseconds since 1970, which somebody may set back. */
  readonly wall: () => number;
  /** Milliseconds since some moment, which only grow. */
  readonly monotonic: () => number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A clock by which something can be done again and again. */
export interface BeatingClock extends Clock {
  /** Calls `task` every so many milliseconds without keeping the process alive; gives what ends that. */
  readonly every: (ms: number, task: () => void) => () => void;
}

/** The clock of this machine. */
export const systemClock: BeatingClock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
  every: (ms, task) => {
    const timer = setInterval(task, ms).unref();
    return () => clearInterval(timer);
  },
};

/** A moment as people and programs read it. */
export function isoTime(wall: number): string {
  return new Date(wall).toISOString();
}
