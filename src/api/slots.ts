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

/**
 * Makes so many slots. When the platform is overloaded there are half as many, and one more again after each round of good
 * answers. Never throws; `onFewer` is called when their number is halved.
 */
export function createSlots(most: number, onFewer: (count: number) => void = () => undefined): Slots {
  const { fewest } = attempts.connections;
  const waiting: (() => void)[] = [];
  let limit = most;
  let taken = 0;
  /** Good answers since the limit changed. */
  let good = 0;
  /** How often the limit was halved. */
  let halvings = 0;
  const learn = (ending: Ending, halvingsBefore: number): void => {
    // What was sent before the last halving says nothing about the time since.
    if (ending === 'overloaded' && halvingsBefore === halvings && limit > fewest) {
      limit = Math.max(fewest, Math.floor(limit / 2));
      halvings += 1;
      good = 0;
      onFewer(limit);
    } else if (ending === 'good' && limit < most) {
      good += 1;
      if (good < limit) return;
      limit += 1;
      good = 0;
    }
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
      return {
        release: (ending) => {
          taken -= 1;
          learn(ending, halvingsBefore);
          startNext();
        },
      };
    },
  };
}
