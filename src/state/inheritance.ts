import type { Past } from './lease-entry.ts';
import type { Inherited, Terms } from './lease.ts';
import type { Seen } from './register.ts';

/** Of whom a request may still land when a lease that is free or over is taken. */
export function inheritedFrom(seen: Seen, now: number, { fenceMs }: Terms): Inherited | undefined {
  const { holder, past } = seen.entry;
  const pastMs = past === null ? 0 : Math.max(0, past.mayLandMs - ageOf(seen));
  const wasRemoved = pastMs > 0 && past?.wasRemoved === true;
  if (holder === null)
    return past === null || pastMs === 0 ? undefined : { ...toldOf(past), mayLandUntil: now + pastMs, wasRemoved };
  const leftMs = Math.max(0, Math.min(0, holder.lastsMs - ageOf(seen)) + fenceMs);
  return { ...toldOf(holder), mayLandUntil: now + Math.max(leftMs, pastMs), wasRemoved };
}

/**
 * Until when somebody may have started a request before a lease that is free or over is taken: nobody does who gave it
 * back, or whose lease is over. When the place cannot tell how long ago that was, it was now.
 */
export function quietSince(seen: Seen | undefined, now: number, { fenceMs }: Terms): number {
  if (seen === undefined) return now;
  const { holder, past } = seen.entry;
  const endedMs = Math.max(0, ageOf(seen) - (holder?.lastsMs ?? 0));
  return now + Math.max(-endedMs, past === null ? -endedMs : past.mayLandMs - fenceMs - ageOf(seen));
}

/** Who it was, and what for. */
export function toldOf({ owner, purpose, since }: Pick<Past, 'owner' | 'purpose' | 'since'>) {
  return { owner, purpose, since };
}

/** What is written down of a holder that did not release, for whoever comes next. */
export function pastOf(inherited: Inherited | undefined, now: number): Past | null {
  const mayLandMs = (inherited?.mayLandUntil ?? 0) - now;
  if (inherited === undefined || mayLandMs <= 0) return null;
  return { ...toldOf(inherited), mayLandMs, ...(inherited.wasRemoved ? { wasRemoved: true } : {}) };
}

/** A place whose clock was set back says that something is to come. */
function ageOf({ ageMs = 0 }: Seen): number {
  return Math.max(0, ageMs);
}
