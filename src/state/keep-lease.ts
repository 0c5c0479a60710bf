import type { BeatingClock } from './clock.ts';
import { pastOf } from './inheritance.ts';
import type { Hold, LeaseEntry, Version } from './lease-entry.ts';
import type { Inherited, Lease, LeaseContext } from './lease.ts';
import { type Register, type Seen, swapSurely } from './register.ts';
import { lockLost } from './unusable.ts';

/** A moment by both clocks. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** Now, by both clocks. */
export function momentOf(clock: BeatingClock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.wall() };
}

/** A lease that was just taken. */
interface Taken {
  readonly mine: Seen;
  readonly hold: Hold;
  /** Moment before the request that took it. */
  readonly began: Moment;
  readonly inherited: Inherited | undefined;
  readonly quietSince: number;
  readonly context: LeaseContext;
}

/** A lease while it is kept. */
interface Kept {
  readonly register: Register;
  readonly taken: Taken;
  /** The newest entry of this lease. */
  seen: Seen;
  /** Moment before the last renewal. */
  renewed: Moment;
  beats: number;
  newest: Version | undefined;
  /** Why the last renewal failed; the next beat tries again. */
  trouble: unknown;
  beating: Promise<void> | undefined;
  /** It is released or lost. */
  end: { readonly why: string } | undefined;
  stopBeating: () => void;
}

/** Renews a lease until it is released or lost. An expired one is not renewed: another run may be about to take it. */
export function keepLease(register: Register, taken: Taken): Lease {
  const { mine, began, inherited, quietSince, context } = taken;
  const { counter, newest } = mine.entry;
  const kept: Kept = {
    register,
    taken,
    seen: mine,
    renewed: began,
    beats: 0,
    newest,
    trouble: undefined,
    beating: undefined,
    end: undefined,
    stopBeating: () => undefined,
  };
  kept.stopBeating = context.clock.every(context.terms.beatMs / 4, () => beatWhenDue(kept));
  return {
    counter,
    inherited,
    quietSince,
    check: () => check(kept),
    confirm: () => confirm(kept),
    keep: async () => {
      beatWhenDue(kept);
      await kept.beating;
    },
    newest: () => kept.newest,
    note: (version) => {
      kept.newest = version;
    },
    release: () => release(kept),
  };
}

function beatWhenDue(kept: Kept): void {
  const { beatMs } = kept.taken.context.terms;
  if (kept.beating !== undefined || (kept.trouble === undefined && elapsedMs(kept) < beatMs)) return;
  kept.beating = beat(kept).finally(() => {
    kept.beating = undefined;
  });
}

async function beat(kept: Kept): Promise<void> {
  noticeExpiry(kept);
  if (kept.end !== undefined) return;
  try {
    await renew(kept);
    kept.trouble = undefined;
  } catch (error) {
    kept.trouble = error; // without success the lease expires
  }
}

/** Every attempt is a different entry, so that a late one is not taken for a newer one. */
async function renew(kept: Kept): Promise<void> {
  const { hold, inherited, context } = kept.taken;
  const moment = momentOf(context.clock);
  const holder = { ...hold, beat: ++kept.beats };
  const entry = entryOf(kept, { holder, past: pastOf(inherited, moment.monotonic) });
  const swapped = await swapSurely(kept.register, kept.seen, entry);
  if (swapped.is === 'mine') {
    kept.seen = swapped.seen;
    kept.renewed = moment;
  } else if (swapped.seen?.entry.holder?.id === hold.id) {
    if (swapped.seen.version === kept.seen.version) throw new Error('the lock can be read, and not be replaced');
    kept.seen = swapped.seen; // an attempt without an answer took effect
    await renew(kept);
  } else finish(kept, whoHas(swapped.seen));
}

function check(kept: Kept): void {
  noticeExpiry(kept);
  const { register, end } = kept;
  if (end !== undefined) throw lockLost(register.of, end.why);
}

async function confirm(kept: Kept): Promise<void> {
  check(kept);
  const { register, seen, taken } = kept;
  if ((await register.isNewest?.(seen, () => check(kept))) === false) {
    const now = await register.look(); // a renewal is newer too
    if (now?.entry.holder?.id !== taken.hold.id) finish(kept, whoHas(now));
  }
  check(kept);
}

async function release(kept: Kept): Promise<void> {
  const { inherited, context } = kept.taken;
  kept.stopBeating();
  await kept.beating;
  noticeExpiry(kept);
  if (kept.end !== undefined) return;
  finish(kept, 'it was given back');
  const entry = entryOf(kept, { holder: null, past: pastOf(inherited, context.clock.monotonic()) });
  // A lease that cannot be released expires.
  await kept.register.swap(kept.seen, entry).catch(() => undefined);
}

function noticeExpiry(kept: Kept): void {
  const { trouble, end, taken } = kept;
  if (end !== undefined || elapsedMs(kept) < taken.context.terms.lastsMs) return;
  const reason = trouble instanceof Error ? `the last renewal failed: ${trouble.message}` : stopped;
  finish(kept, `it was not renewed for ${Math.round(elapsedMs(kept) / 1_000)} s (${reason})`);
}

function finish(kept: Kept, why: string): void {
  kept.end ??= { why };
  kept.stopBeating();
}

/** The larger of two clocks counts: one stops while the machine sleeps, a person can set the other one back. */
function elapsedMs({ renewed, taken }: Kept): number {
  const now = momentOf(taken.context.clock);
  return Math.max(now.monotonic - renewed.monotonic, now.wall - renewed.wall);
}

function entryOf({ taken, newest }: Kept, { holder, past }: Pick<LeaseEntry, 'holder' | 'past'>): LeaseEntry {
  return { counter: taken.mine.entry.counter, holder, past, newest };
}

const stopped = 'this process was stopped or kept from working, or its clock was changed';

function whoHas(seen: Seen | undefined): string {
  const holder = seen?.entry.holder ?? undefined;
  return holder === undefined ? 'it was taken away' : `${holder.owner} has it, for ${holder.purpose}`;
}
