import type { LeaseEntry } from './lease-entry.ts';

/** The location of one lease that several processes reach. */
export interface Register {
  /** The subject of the lease, for messages: `the state …`. */
  readonly of: string;
  /** Reads the newest entry; undefined when there never was one. */
  readonly look: () => Promise<Seen | undefined>;
  /** Replaces the entry that was read; undefined when another one stands there. */
  readonly swap: (seen: Seen | undefined, entry: LeaseEntry) => Promise<Seen | undefined>;
  /**
   * Tells whether an entry is the newest. Asked often, so it must cost little. Left out where no write takes effect
   * without the lease. While the location is away, it waits until `check` throws.
   */
  readonly isNewest?: (seen: Seen, check?: () => void) => Promise<boolean>;
  /** The highest counter in the state itself, in case a person deleted the lease. */
  readonly lastCounter?: () => Promise<number>;
  /** @throws Stop when the location does not keep the promise of `swap`. */
  readonly prove?: (mine: Seen) => Promise<void>;
}

/** An entry as it was read. */
export interface Seen {
  readonly entry: LeaseEntry;
  /** Unique among all entries of the lease. */
  readonly version: string;
  /** Age by the clock of the location; undefined when that has none. Milliseconds. */
  readonly ageMs: number | undefined;
}

/** The result of a swap: our entry stands there, or another one. */
export type Swapped =
  | { readonly is: 'mine'; readonly seen: Seen }
  | { readonly is: 'other'; readonly seen: Seen | undefined };

/** Swaps, and reads the entry when the outcome is unknown. The entry must be new. */
export async function swapSurely(register: Register, seen: Seen | undefined, entry: LeaseEntry): Promise<Swapped> {
  let failure: { readonly error: unknown } | undefined;
  try {
    const mine = await register.swap(seen, entry);
    if (mine !== undefined) return { is: 'mine', seen: mine };
  } catch (error) {
    failure = { error };
  }
  const now = await register.look().catch((error: unknown) => {
    throw failure === undefined ? error : failure.error;
  });
  if (now !== undefined && isSame(now.entry, entry)) return { is: 'mine', seen: now };
  if (failure !== undefined) throw failure.error;
  return { is: 'other', seen: now };
}

function isSame({ holder }: LeaseEntry, { holder: mine }: LeaseEntry): boolean {
  return holder !== null && holder.id === mine?.id && holder.beat === mine.beat;
}
