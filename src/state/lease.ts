import { usage } from '../diagnostics/usage.ts';
import { type BeatingClock, systemClock } from './clock.ts';
import type { Version } from './lease-entry.ts';
import { type Host, thisHost } from './host.ts';

/** The right to write a state. It renews itself until it is released or lost. */
export interface Lease {
  /** Grows by one with each holder. */
  readonly counter: number;
  /** @throws Stop when no request may start any more. */
  readonly check: () => void;
  /** Asks the location whether the lease still stands, where writes do not check that themselves. @throws as `check`. */
  readonly confirm: () => Promise<void>;
  /** Renews the lease where that is due, behind work in which no timer ran. Never throws: `check` says whether it is lost. */
  readonly keep: () => Promise<void>;
  /** Latest moment at which the previous holder can have started a request (monotonic ms). */
  readonly quietSince: number;
  /** The previous holder, if it did not release. */
  readonly inherited: Inherited | undefined;
  /** The newest version of the state that was saved under this lease or one before it. */
  readonly newest: () => Version | undefined;
  /** Notes a version that is durable; undefined: the state was removed. */
  readonly note: (version: Version | undefined) => void;
  /** Releases the lease; a lost one stays as it is. */
  readonly release: () => Promise<void>;
}

/** A holder that did not release. */
export interface Inherited {
  readonly owner: string;
  readonly purpose: string;
  /** ISO 8601. */
  readonly since: string;
  /** Latest moment at which a request of it can take effect (monotonic ms). */
  readonly mayLandUntil: number;
  /** A person removed its lease, or that of one before it: it may continue for a while without knowing. */
  readonly wasRemoved: boolean;
}

/** The durations of a lease. Milliseconds. */
export interface Terms {
  /** Between two renewals. */
  readonly beatMs: number;
  /** From the last renewal to the expiry. */
  readonly lastsMs: number;
  /** From the expiry to the moment at which no request sent before it can take effect any more. */
  readonly inFlightMs: number;
}

/** A request for the lock. */
export interface LockRequest {
  /** What the run does, for messages of runs that wait. */
  readonly purpose: string;
  /** How long to wait for the lock. Milliseconds. */
  readonly timeoutMs?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** The process, the clock and the durations of leases. */
export interface LeaseContext {
  readonly clock: BeatingClock;
  readonly host: Host;
  readonly terms: Terms;
}

const usualTerms: Terms = { beatMs: 20_000, lastsMs: 60_000, inFlightMs: 60_000 };

/** A day: a run that finds a killed one waits that long, and timers of Node take 24 days at most. */
const longestMs = 86_400_000;

/**
 * The durations of a lease, with the usual ones for what is left out; it is renewed three times while it lasts.
 *
 * @throws {Stop} `usage`, when one is no time, or the lease may expire before it is renewed a second time.
 */
export function leaseTerms({ lastsMs = usualTerms.lastsMs, ...some }: Partial<Terms>): Terms {
  const terms = { ...usualTerms, ...some, lastsMs, beatMs: some.beatMs ?? lastsMs / 3 };
  const wrong = (['lastsMs', 'beatMs', 'inFlightMs'] as const).find(
    (name) => !(terms[name] > 0 && terms[name] <= longestMs),
  );
  if (wrong !== undefined)
    throw usage(`lease: ${wrong} is no time in milliseconds`, 'Write a number above 0, at most that of a day.');
  if (terms.beatMs * 2 > lastsMs)
    throw usage('lease: beatMs is more than half of lastsMs', 'A lease needs time for a second renewal: write less.');
  return terms;
}

/** This process, the clock of this machine and the usual durations, except for what is given. */
export function leaseContext(some: Partial<LeaseContext> = {}): LeaseContext {
  return { clock: systemClock, host: thisHost(), terms: usualTerms, ...some };
}
