import { attempts } from './attempts.ts';
import type { Call } from './failed-call.ts';
import { whyToWait } from './circuit-breaker.ts';
import { PlatformError } from './platform-error.ts';
import { whenAborted } from './sleep.ts';

/** The surroundings of patience. */
export interface PatienceOptions {
  /** Waits so many milliseconds, or until the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1, for the jitter. */
  readonly random: () => number;
  /** Milliseconds since some moment, which only grow. */
  readonly now: () => number;
  /** How often a read is sent at most, while the platform answers others. */
  readonly maxReads: number;
}

/** Sends failed reads again. */
export interface Patience {
  /**
   * Makes an attempt, and another one after a pause when a read failed for a reason that may pass.
   *
   * @throws {PlatformError} of the last attempt; and whatever else an attempt throws.
   */
  persist<T>(call: Call, about: Persisting, attempt: () => Promise<T>): Promise<T>;
  /** Notes a good answer. */
  noteAnswer(): void;
  /** Ends all pauses: no attempt comes after them. */
  end(): void;
}

/** The limits of the attempts of one call. */
interface Persisting {
  readonly signal?: AbortSignal | undefined;
  /** How many errors of the platform itself are its word: the last one is thrown. */
  readonly maxErrors?: number;
  /** true: one attempt is made; it only explains another failure. */
  readonly isDiagnostic?: boolean;
}

/** Makes patience; nothing was answered yet. Never throws. */
export function createPatience({ sleep, random, now, maxReads }: PatienceOptions): Patience {
  /** Ends the pauses, each of its own. */
  const naps = new Set<() => void>();
  let isOver = false;
  let goodAt = -Infinity;

  async function nap(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const wake = (): void => over.abort();
    naps.add(wake);
    const unwatch = whenAborted(signal, wake);
    await sleep(ms, over.signal);
    naps.delete(wake);
    unwatch();
  }

  const isThere = (): boolean => now() - goodAt < attempts.read.answeringMs;

  /** Whether a failure may be over the next time. While the platform answers, a page of another server is not its word. */
  function isTransient({ failure, status = 0, code }: PlatformError): boolean {
    if (failure !== 'unreadable') return failure === 'connection' || failure === 'timeout' || failure === 'server';
    return code === undefined && status >= 200 && (status < 300 || isThere());
  }

  function maxAttempts({ failure }: PlatformError, signal: AbortSignal | undefined): number {
    if (isThere() && signal?.aborted !== true) return maxReads;
    const { maxInDoubt, maxUnreadableInDoubt } = attempts.read;
    return Math.min(maxReads, failure === 'unreadable' ? maxUnreadableInDoubt : maxInDoubt);
  }

  /** Full jitter, so that parallel reads do not come back together; a wait the server asked for is kept. */
  function pauseAfter(failures: number, { retryAfterSeconds }: PlatformError): number {
    const { firstPauseMs, longestPauseMs, longestAskedMs } = attempts.read;
    if (retryAfterSeconds !== undefined) return Math.min(retryAfterSeconds * 1_000, longestAskedMs);
    return random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));
  }

  return {
    persist: async (call, { signal, maxErrors = attempts.read.maxErrors, isDiagnostic }, attempt) => {
      let errors = 0;
      for (let failures = 1; ; failures += 1) {
        try {
          return await attempt();
        } catch (error) {
          if (isOver || isDiagnostic === true || !(error instanceof PlatformError)) throw error;
          const why = whyToWait(error);
          // All requests wait for what answered before: that wait was in vain.
          if (why !== undefined && (why !== 'unreachable' || goodAt !== -Infinity)) throw error;
          // An error that the platform itself repeats is no network failure.
          errors += error.code === undefined ? 0 : 1;
          if (errors === maxErrors) throw error;
          // Only a read of the platform can show whether a write took effect.
          if (call.isWrite || failures >= maxAttempts(error, signal) || !isTransient(error)) throw error;
          // Reads after an interruption end the run, and are repeated as often.
          await nap(pauseAfter(failures, error), signal?.aborted === true ? undefined : signal);
          if (isOver) throw error;
        }
      }
    },
    noteAnswer: () => {
      goodAt = now();
    },
    end: () => {
      isOver = true;
      for (const wake of naps) wake();
    },
  };
}
