import { sleep } from '../api/sleep.ts';

/** The clock of a run. */
export interface Clock {
  /** Milliseconds since 1970; a person can set it back. */
  readonly wall: () => number;
  /** Milliseconds since an unknown moment; it only grows. */
  readonly monotonic: () => number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Calls `task` every `ms` milliseconds without keeping the process alive; the result ends that. */
  readonly every?: (ms: number, task: () => void) => () => void;
}

/** A clock with a timer. */
export type BeatingClock = Clock & Required<Pick<Clock, 'every'>>;

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

/** A moment in ISO 8601. */
export function isoTime(wall: number): string {
  return new Date(wall).toISOString();
}
