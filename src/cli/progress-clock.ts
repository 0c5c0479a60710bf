import { performance } from 'node:perf_hooks';
import type { ProgressInput } from '../render/progress.ts';

/** The clock of this process, for progress: milliseconds since 1970 that never go back, and a timer. */
export const progressClock: Pick<ProgressInput, 'clock' | 'every'> = {
  clock: () => performance.timeOrigin + performance.now(),
  // Does not keep the process alive.
  every: (milliseconds, work) => {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
