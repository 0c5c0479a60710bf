import { attempts } from '../api/attempts.ts';
import type { Run } from './run.ts';

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
