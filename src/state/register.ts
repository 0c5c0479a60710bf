import type { LeaseEntry } from './lease-entry.ts';

/** The place of one lease that several processes can reach. */
export interface Register {
  /** What it is the lease of, for messages: `the state …`. */
  readonly of: string;
  /** What stands there now; undefined when nothing ever did. */
  readonly look: () => Promise<Seen | undefined>;
  /** Puts an entry in the place of the one that was seen; undefined when that is not there any more. */
  readonly swap: (seen: Seen | undefined, entry: LeaseEntry) => Promise<Seen | undefined>;
  /**
   * Whether what was seen is the newest that stands there: asked again and again, so it has to cost little. Left out
   * where no write takes effect without the lease.
   */
  readonly isNewest?: (seen: Seen) => Promise<boolean>;
  /** The highest counter that the place knows of from elsewhere: somebody may delete what stands here. */
  readonly lastCounter?: () => Promise<number>;
  /** Rejects with a Stop when the place does not keep what `swap` promises. */
  readonly prove?: (mine: Seen) => Promise<void>;
}

/** An entry as it stood there. */
export interface Seen {
  readonly entry: LeaseEntry;
  /** Tells it from every other that stood or will stand there. */
  readonly version: string;
  /** The time since it was written by the clock of the place; undefined when that has none. Milliseconds. */
  readonly ageMs: number | undefined;
}

/** What came of a swap: the entry is there, or another one is. */
export type Swapped =
  | { readonly is: 'mine'; readonly seen: Seen }
  | { readonly is: 'other'; readonly seen: Seen | undefined };

/** Swaps, and looks what is there when that is not sure. The entry has to be one that was never written before. */
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
