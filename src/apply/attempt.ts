import type { Run } from './apply-run.ts';
import { PlatformError } from '../api/platform-error.ts';
import { type Policy, attempts } from '../api/attempts.ts';

/** One request, sent until its outcome is known. */
interface Attempt<T> {
  readonly send: (isAgain: boolean) => Promise<T>;
  /** Looks on the platform for the effect of a lost request; undefined: it does not show. It is not sent after the last. */
  readonly look: (lost: PlatformError, isLast: boolean) => Promise<{ readonly found: T } | undefined>;
  /** Called before the request is sent again. */
  readonly onAgain?: () => void;
}

/**
 * Sends a request. When its outcome is unknown, looks for its effect; when none shows, sends it again as the policy says.
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
      const seen = await look(error, isLast).catch((cause: unknown) => {
        // An interruption also ends the reads: that the request is unknown says more.
        throw cause instanceof PlatformError && signal?.aborted === true ? error : cause;
      });
      if (seen !== undefined) return seen.found;
      if (isLast) throw error;
      await clock.sleep(policy.pauseMs * policy.pauseGrowth ** (sends - 1), signal);
      onAgain?.();
    }
  }
}

/** Whether a failed request may have been executed. */
export function isLost(error: unknown): error is PlatformError {
  return error instanceof PlatformError && error.outcome === 'unknown';
}

/** Whether a failed request may still be executed: no answer came from the platform itself. */
export function mayLandLater(error: unknown): boolean {
  return isTrouble(error) && (error.status === undefined || error.code === undefined);
}

/** Whether the way to the platform or the platform itself failed: the answer says nothing about the request. */
function isTrouble(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError)) return false;
  return error.status === undefined || error.status >= 500 || error.failure === 'unreadable';
}

/** The pauses between looks: the first in milliseconds, and the factor from one to the next. */
interface Pauses {
  readonly firstMs: number;
  readonly growth: number;
}

/**
 * Repeats a look until `isSeen` accepts its result or `until` (monotonic ms) has passed; gives the last result. An
 * interruption ends the pauses; one look follows it.
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
    // A slow look shows the platform as it was when the look began.
    const begun = clock.monotonic();
    const seen = await look();
    if (isSeen(seen) || begun >= until || signal?.aborted === true) return seen;
    await clock.sleep(Math.max(0, Math.min(pause, until - clock.monotonic())), signal);
  }
}
