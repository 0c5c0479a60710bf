import type { Policy } from '../api/attempts.ts';
import type { Run } from './run.ts';
import { PlatformError } from '../api/errors.ts';
import { attempts } from '../api/attempts.ts';

/** One request that is sent until its outcome is known. */
interface Attempt<T> {
  readonly send: (isAgain: boolean) => Promise<T>;
  /** Looks on the platform for the effect of a lost request; undefined: it does not show. It is not sent after the last. */
  readonly look: (lost: PlatformError, isLast: boolean) => Promise<{ readonly found: T } | undefined>;
  /** Called before the request is sent again. */
  readonly onAgain?: () => void;
}

/**
 * Sends a request; when its outcome is unknown, looks for its effect, and sends again what does not show where the
 * policy allows that.
 *
 * @throws {PlatformError} of the last request, when it was refused, or its outcome stays unknown.
 */
export async function attempt<T>(
  { clock, input: { signal } }: Pick<Run, 'clock' | 'input'>,
  policy: Policy,
  { send, look, onAgain }: Attempt<T>,
): Promise<T> {
  for (let sends = 1; ; sends += 1) {
    try {
      return await send(sends > 1);
    } catch (error) {
      if (!isLost(error)) throw error;
      if (policy.again === 'at once' && signal?.aborted === true) throw error;
      const isOpen = policy.again === 'at once' ? isTrouble(error) : mayLandLater(error);
      const isLast = sends === policy.most || !isOpen;
      const seen = await look(error, isLast);
      if (seen !== undefined) return seen.found;
      if (isLast) throw error;
      await clock.sleep(policy.pauseMs * policy.pauseGrowth ** (sends - 1), signal);
      onAgain?.();
    }
  }
}

/** Whether a request that failed may have been executed all the same. */
export function isLost(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.outcome === 'unknown';
}

/** Whether a request that failed may be executed later still: it was not the platform itself that answered. */
export function mayLandLater(error: unknown): boolean {
  return isTrouble(error) && (error.status === undefined || error.code === undefined);
}

/** Whether a failure is that of the way or of the platform, and not an answer to what was asked. */
function isTrouble(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError)) return false;
  return error.status === undefined || error.status >= 500 || error.failure === 'unreadable';
}

/** The pauses between two looks: the first one in milliseconds, and how many times as long each one is after it. */
interface Pauses {
  readonly firstMs: number;
  readonly growth: number;
}

/**
 * Looks again and again until something is seen, or until a moment of the clock that only grows has passed; gives what
 * was seen last. An interruption ends the pauses, and there is one look after it.
 */
export async function poll<T>(
  { clock, input: { signal } }: Pick<Run, 'clock' | 'input'>,
  look: () => Promise<T>,
  {
    isSeen,
    until = clock.monotonic() + attempts.effect.lagMs,
    pauses = attempts.effect.pauses,
  }: { readonly isSeen: (seen: T) => boolean; readonly until?: number; readonly pauses?: Pauses },
): Promise<T> {
  for (let pause = pauses.firstMs; ; pause *= pauses.growth) {
    // A look that takes its time shows what was the case when it began.
    const begun = clock.monotonic();
    const seen = await look();
    if (isSeen(seen) || begun >= until || signal?.aborted === true) return seen;
    await clock.sleep(Math.max(0, Math.min(pause, until - clock.monotonic())), signal);
  }
}
