import type { PlatformError } from '../api/errors.ts';
import type { Policy } from '../api/attempts.ts';
import { isLost, isTrouble, mayLandLater } from './outcome.ts';
import type { Run } from './run.ts';

/** One request that is sent until its outcome is known. */
interface Attempt<T> {
  readonly send: (isAgain: boolean) => Promise<T>;
  /** Looks on the platform for the effect of a request that was lost; undefined: it does not show. */
  readonly look: (lost: PlatformError) => Promise<{ readonly found: T } | undefined>;
  /** Called before the request is sent again. */
  readonly onAgain?: () => void;
  /** Called when its effect does not show, and it is not sent again. */
  readonly onGivenUp?: () => Promise<void>;
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
  { send, look, onAgain, onGivenUp }: Attempt<T>,
): Promise<T> {
  for (let sends = 1; ; sends += 1) {
    try {
      return await send(sends > 1);
    } catch (error) {
      if (!isLost(error)) throw error;
      if (policy.again === 'at once' && signal?.aborted === true) throw error;
      const seen = await look(error);
      if (seen !== undefined) return seen.found;
      const isOpen = policy.again === 'at once' ? isTrouble(error) : mayLandLater(error);
      if (sends === policy.most || !isOpen) {
        await onGivenUp?.();
        throw error;
      }
      await clock.sleep(policy.pauseMs * policy.pauseGrowth ** (sends - 1), signal);
      onAgain?.();
    }
  }
}
