import type { Past } from './lease-entry.ts';
import type { Inherited, Terms } from './lease.ts';
import type { Seen } from './register.ts';

/** The longest that an entry of the lease has a run wait: a timer of more than 24 days fires at once. Milliseconds. */
const longestPastMs = 3_600_000;

/** The previous holder, while a request of it may still take effect; `seen` is a lease that is free or expired. */
export function inheritedFrom(seen: Seen, now: number, { inFlightMs }: Terms): Inherited | undefined {
  const { holder, past } = seen.entry;
  const pastMs = past === null ? 0 : Math.max(0, mayLandMsOf(past) - ageOf(seen));
  const wasRemoved = pastMs > 0 && past?.wasRemoved === true;
  if (holder === null)
    return past === null || pastMs === 0 ? undefined : { ...identityOf(past), mayLandUntil: now + pastMs, wasRemoved };
  const leftMs = Math.max(0, Math.min(0, holder.lastsMs - ageOf(seen)) + inFlightMs);
  return { ...identityOf(holder), mayLandUntil: now + Math.max(leftMs, pastMs), wasRemoved };
}

/**
 * Latest moment at which a previous holder can have started a request (monotonic ms): it starts none after it released
 * the lease, or after the lease expired. When the location cannot tell how long ago that was, it is now.
 */
export function quietSince(seen: Seen | undefined, now: number, { inFlightMs }: Terms): number {
  if (seen === undefined) return now;
  const { holder, past } = seen.entry;
  const endedMs = Math.max(0, ageOf(seen) - (holder?.lastsMs ?? 0));
  return now + Math.max(-endedMs, past === null ? -endedMs : mayLandMsOf(past) - inFlightMs - ageOf(seen));
}

/** Owner, purpose and start of a holder. */
export function identityOf({ owner, purpose, since }: Pick<Past, 'owner' | 'purpose' | 'since'>) {
  return { owner, purpose, since };
}

/** The entry about a holder that did not release, for the next one. */
export function pastOf(inherited: Inherited | undefined, now: number): Past | null {
  const mayLandMs = (inherited?.mayLandUntil ?? 0) - now;
  if (inherited === undefined || mayLandMs <= 0) return null;
  return { ...identityOf(inherited), mayLandMs, ...(inherited.wasRemoved && { wasRemoved: true }) };
}

function mayLandMsOf({ mayLandMs }: Past): number {
  return Math.min(mayLandMs, longestPastMs);
}

/** A location whose clock was set back reports a negative age. */
function ageOf({ ageMs = 0 }: Seen): number {
  return Math.max(0, ageMs);
}
