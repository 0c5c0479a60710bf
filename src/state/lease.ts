import type { BeatingClock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Host } from './host.ts';
import { thisHost } from './host.ts';

/** The right to write a state, for as long as it is renewed. It renews itself until it is released or lost. */
export interface Lease {
  /** Grows by one with each holder. */
  readonly counter: number;
  /** Throws a Stop when no request may start any more. */
  readonly check: () => void;
  /** Asks the place whether it is still there, where that does not keep others out by itself; rejects as `check` throws. */
  readonly confirm: () => Promise<void>;
  /** Until then a holder before may have started a request, by the clock of the place. Milliseconds of the monotonic clock. */
  readonly quietSince: number;
  /** The holder before, when that did not release. */
  readonly inherited: Inherited | undefined;
  /** Gives it back; one that is lost is left alone. */
  readonly release: () => Promise<void>;
}

/** A holder that did not release. */
export interface Inherited {
  readonly owner: string;
  readonly purpose: string;
  /** ISO 8601. */
  readonly since: string;
  /** Until then a request of it may still land. Milliseconds of the monotonic clock. */
  readonly mayLandUntil: number;
  /** Somebody took the lease away from it, or from one before it: it may go on for a while without knowing. */
  readonly wasRemoved: boolean;
}

/** How long a lease lasts. Milliseconds. */
export interface Terms {
  /** Between two renewals. */
  readonly beatMs: number;
  /** From a renewal to the end, when no other follows. */
  readonly lastsMs: number;
  /** From the end of a lease to the moment at which no request that was sent before can land any more. */
  readonly fenceMs: number;
}

/** What a run that takes a lease wants. */
export interface Wish {
  /** What it does, for others who wait. */
  readonly purpose: string;
  /** How long it waits for others to end. */
  readonly timeoutMs?: number;
}

/** Who takes a lease, and by which clock. */
export interface Taking {
  readonly clock: BeatingClock;
  readonly host: Host;
  readonly terms: Terms;
}

const usualTerms: Terms = { beatMs: 20_000, lastsMs: 60_000, fenceMs: 60_000 };

/** This process, by the clock of this machine, for the usual time, as far as nothing else is said. */
export function usualTaking(some: Partial<Taking> = {}): Taking {
  return { clock: systemClock, host: thisHost(), terms: usualTerms, ...some };
}
