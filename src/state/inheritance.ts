import type { Past } from './lease-entry.ts';
import type { Inherited, Terms } from './lease.ts';
import type { Seen } from './register.ts';

/** Of whom a request may still land when a lease that is free or over is taken. */
export function inheritedFrom({ entry, ageMs = 0 }: Seen, now: number, { fenceMs }: Terms): Inherited | undefined {
  const { holder, past } = entry;
  const pastMs = past === null ? 0 : Math.max(0, past.mayLandMs - ageMs);
  if (holder === null)
    return past === null || pastMs === 0 ? undefined : { ...toldOf(past), mayLandUntil: now + pastMs };
  const leftMs = Math.max(0, Math.min(0, holder.lastsMs - ageMs) + fenceMs);
  return { ...toldOf(holder), mayLandUntil: now + Math.max(leftMs, pastMs) };
}

/** Who it was, and what for. */
export function toldOf({ owner, purpose, since }: Pick<Past, 'owner' | 'purpose' | 'since'>) {
  return { owner, purpose, since };
}

/** What is written down of a holder that did not release, for whoever comes next. */
export function pastOf(inherited: Inherited | undefined, now: number): Past | null {
  const mayLandMs = (inherited?.mayLandUntil ?? 0) - now;
  return inherited === undefined || mayLandMs <= 0 ? null : { ...toldOf(inherited), mayLandMs };
}
