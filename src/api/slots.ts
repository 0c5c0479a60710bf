import { attempts } from './attempts.ts';

/** Slots for requests on their way at a time. */
export interface Slots {
  /** Takes a slot, first come first served. Never rejects. */
  take(): Promise<Slot>;
}

/** A slot that was taken. */
interface Slot {
  /** Gives it back, and says how its request ended. Never throws. */
  readonly release: (ending: Ending) => void;
}

/** How a request ended: `overloaded`: the platform has too much to do at the moment; `other` says nothing about that. */
export type Ending = 'good' | 'overloaded' | 'other';

interface SlotOptions {
  /** Called when the platform turned out to need fewer requests at a time, with how many there are from then on. */
  readonly onFewer?: ((count: number) => void) | undefined;
  /** The answers of a round are slow when they take so long on average. Milliseconds; by default no answer is. */
  readonly slowMs?: number;
  /** Milliseconds since an unknown moment. */
  readonly now?: () => number;
}

/**
 * Makes so many slots. There are half as many when the platform is overloaded; and when a round of answers is slow, unless half
 * as many turn out to be as slow: then the platform is far away. One comes back after each round of good answers that are not
 * slow. Never throws.
 */
export function createSlots(
  most: number,
  { onFewer = () => undefined, slowMs = Infinity, now = () => performance.now() }: SlotOptions = {},
): Slots {
  const { fewest, less } = attempts.connections;
  const waiting: (() => void)[] = [];
  let limit = most;
  let taken = 0;
  /** How often the limit was halved. What was sent before says nothing about the time since. */
  let halvings = 0;
  /** Good answers since the limit changed. */
  let good = 0;
  /** Those of requests that were sent since it was halved, and how long they took together. */
  let round = { answers: 0, ms: 0 };
  /** How it was before the limit was halved for slow answers; undefined: it was not, or that is settled. */
  let trial: { readonly limit: number; readonly ms: number } | undefined;
  let isSlow = false;
  let isFar = false;

  const halve = (): void => {
    limit = Math.max(fewest, Math.floor(limit / 2));
    halvings += 1;
    good = 0;
    round = { answers: 0, ms: 0 };
  };
  /** Learns from the mean time of a whole round. */
  const judge = (ms: number): void => {
    round = { answers: 0, ms: 0 };
    const before = trial;
    trial = undefined;
    if (before !== undefined && ms > before.ms * less) {
      isFar = true;
      limit = before.limit;
    } else if (before !== undefined) onFewer(limit);
    isSlow = ms >= slowMs && !isFar;
    if (!isSlow || limit <= fewest) return;
    trial = { limit, ms };
    halve();
  };
  const learn = (ending: Ending, { halvingsBefore, ms }: { halvingsBefore: number; ms: number }): void => {
    const isOfNow = halvingsBefore === halvings;
    if (ending === 'overloaded' && isOfNow && limit > fewest) {
      trial = undefined;
      halve();
      onFewer(limit);
    }
    if (ending !== 'good') return;
    good += 1;
    if (isOfNow) {
      round = { answers: round.answers + 1, ms: round.ms + ms };
      if (round.answers >= limit) judge(round.ms / round.answers);
    }
    if (limit >= most || good < limit || isSlow || trial !== undefined) return;
    limit += 1;
    good = 0;
  };
  const startNext = (): void => {
    while (taken < limit) {
      const next = waiting.shift();
      if (next === undefined) return;
      taken += 1;
      next();
    }
  };
  return {
    take: async () => {
      if (taken < limit) taken += 1;
      else await new Promise<void>((resolve) => void waiting.push(resolve));
      const halvingsBefore = halvings;
      const began = now();
      return {
        release: (ending) => {
          taken -= 1;
          learn(ending, { halvingsBefore, ms: now() - began });
          startNext();
        },
      };
    },
  };
}
