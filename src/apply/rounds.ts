import { attempts } from '../api/attempts.ts';
import type { Clock } from '../state/clock.ts';

/** Pauses between polls of one run, arranged in rounds: what is polled in a round is read together. */
export interface Rounds {
  /** Resolves after so many milliseconds; sooner where a round comes in the second half of the pause; or on the signal. */
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** One who waits for a round. Monotonic milliseconds. */
interface Waiting {
  /** From when on it goes with the round of another one. */
  readonly from: number;
  readonly wake: () => void;
}

/** Makes the rounds of a run. Never throws. */
export function createRounds(clock: Clock): Rounds {
  const { crowd, crowdPauseMs } = attempts.rounds;
  const waiting = new Set<Waiting>();
  return {
    pause: async (asked, signal) => {
      // Of many, each would otherwise have rounds of its own at first.
      const ms = waiting.size < crowd ? asked : Math.max(asked, crowdPauseMs);
      const early = new AbortController();
      const one = { from: clock.monotonic() + ms / 2, wake: () => early.abort() };
      waiting.add(one);
      await clock.sleep(ms, signal === undefined ? early.signal : AbortSignal.any([early.signal, signal]));
      waiting.delete(one);
      if (early.signal.aborted || signal?.aborted === true) return;
      const now = clock.monotonic();
      for (const other of waiting) {
        if (other.from > now) continue;
        waiting.delete(other);
        other.wake();
      }
    },
  };
}
