import type { BeatingClock } from './clock.ts';
import { isoTime, systemClock } from './clock.ts';
import type { Host } from './host.ts';
import { thisHost } from './host.ts';
import type { Hold, LeaseEntry, Past } from './lease-entry.ts';
import type { Register, Seen } from './register.ts';
import { swapSurely } from './register.ts';
import { locked } from './unusable.ts';

/** The right to write a state, for as long as it is renewed. It renews itself until it is released or lost. */
export interface Lease {
  /** Grows by one with each holder. */
  readonly counter: number;
  /** Throws a Stop when no request may start any more. */
  readonly check: () => void;
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

/** Between two looks whether a lease is free. Milliseconds. */
const lookEveryMs = 1_000;

/** Takes the lease when nobody has it, or who has it is gone; waits for that as long as is wished. */
export async function takeLease(register: Register, wish: Wish, taking: Taking): Promise<Lease> {
  const { clock, host, terms } = taking;
  const { purpose, timeoutMs = 0 } = wish;
  const until = clock.monotonic() + timeoutMs;
  const watched = { version: '', since: 0 };
  for (;;) {
    const seen = await register.look();
    const now = clock.monotonic();
    if (seen !== undefined && seen.version !== watched.version)
      Object.assign(watched, { version: seen.version, since: now });
    const holder = seen?.entry.holder ?? undefined;
    const isFree = holder === undefined || isOver(holder, { seen, watchedMs: now - watched.since, host });
    if (isFree) {
      const inherited = seen === undefined ? undefined : inheritedFrom(seen, now, terms);
      const hold: Hold = {
        id: host.newId(),
        owner: host.owner,
        machine: host.machine,
        pid: host.pid,
        purpose,
        since: isoTime(clock.wall()),
        beat: 0,
        lastsMs: terms.lastsMs,
      };
      const began = momentOf(clock);
      const counter = (seen?.entry.counter ?? 0) + 1;
      const swapped = await swapSurely(register, seen, { counter, holder: hold, past: pastOf(inherited, now) });
      if (swapped.is === 'mine') {
        const lease = keep(register, { mine: swapped.seen, hold, began, inherited, taking });
        await register.prove?.(swapped.seen).catch(async (error: unknown) => {
          await lease.release();
          throw error;
        });
        return lease;
      }
    } else if (now >= until) throw heldBy(register.of, holder, seen);
    else await clock.sleep(Math.min(lookEveryMs, until - now));
  }
}

/** Whether nothing of a holder can start any more. */
function isOver(
  { machine, pid, lastsMs }: Hold,
  { seen, watchedMs, host }: { seen: Seen | undefined; watchedMs: number; host: Host },
): boolean {
  if (machine === host.machine && !host.isAlive(pid)) return true;
  // Its age is by the clock of the place, which is one for all; and no clock is needed to see that nobody renews it.
  return (seen?.ageMs ?? 0) >= lastsMs || watchedMs >= lastsMs;
}

/** Of whom a request may still land when a lease that is free or over is taken. */
function inheritedFrom({ entry, ageMs = 0 }: Seen, now: number, { fenceMs }: Terms): Inherited | undefined {
  const { holder, past } = entry;
  const pastMs = past === null ? 0 : Math.max(0, past.mayLandMs - ageMs);
  if (holder === null)
    return past === null || pastMs === 0 ? undefined : { ...toldOf(past), mayLandUntil: now + pastMs };
  const leftMs = Math.max(0, Math.min(0, holder.lastsMs - ageMs) + fenceMs);
  return { ...toldOf(holder), mayLandUntil: now + Math.max(leftMs, pastMs) };
}

function toldOf({ owner, purpose, since }: Pick<Past, 'owner' | 'purpose' | 'since'>) {
  return { owner, purpose, since };
}

/** What is written down of a holder that did not release, for whoever comes next. */
function pastOf(inherited: Inherited | undefined, now: number): Past | null {
  const mayLandMs = (inherited?.mayLandUntil ?? 0) - now;
  return inherited === undefined || mayLandMs <= 0 ? null : { ...toldOf(inherited), mayLandMs };
}

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

function momentOf(clock: BeatingClock): Moment {
  return { monotonic: clock.monotonic(), wall: clock.wall() };
}

/** What a lease that was taken begins with. */
interface Taken {
  readonly mine: Seen;
  readonly hold: Hold;
  /** Before it was sent. */
  readonly began: Moment;
  readonly inherited: Inherited | undefined;
  readonly taking: Taking;
}

/** Renews a lease again and again. One that ran out is not renewed: somebody may be about to take it. */
function keep(register: Register, { mine, hold, began, inherited, taking }: Taken): Lease {
  const { clock, terms } = taking;
  const { counter } = mine.entry;
  let seen = mine;
  let renewed = began;
  let beats = 0;
  let trouble: unknown;
  let beating: Promise<void> | undefined;
  let end: { readonly why: string } | undefined;

  /** The larger of the two: a process that sleeps stops one clock, and somebody may set the other one back. */
  const elapsedMs = (): number => {
    const now = momentOf(clock);
    return Math.max(now.monotonic - renewed.monotonic, now.wall - renewed.wall);
  };

  const finish = (why: string): void => {
    end ??= { why };
    stopBeating();
  };

  const noticeExpiry = (): void => {
    if (end !== undefined || elapsedMs() < terms.lastsMs) return;
    const reason = trouble instanceof Error ? `the last renewal failed: ${trouble.message}` : stopped;
    finish(`it was not renewed for ${Math.round(elapsedMs() / 1_000)} s (${reason})`);
  };

  /** Every attempt is an entry of its own, so that one that lands late is not taken for a later one. */
  const renew = async (): Promise<void> => {
    const moment = momentOf(clock);
    const holder = { ...hold, beat: ++beats };
    const swapped = await swapSurely(register, seen, { counter, holder, past: pastOf(inherited, moment.monotonic) });
    if (swapped.is === 'mine') {
      seen = swapped.seen;
      renewed = moment;
    } else if (swapped.seen?.entry.holder?.id === hold.id) {
      seen = swapped.seen; // an attempt that got no answer took effect
      await renew();
    } else finish(whoHas(swapped.seen));
  };

  const beat = async (): Promise<void> => {
    noticeExpiry();
    if (end !== undefined) return;
    try {
      await renew();
      trouble = undefined;
    } catch (error) {
      trouble = error; // it is tried again, and runs out if that is in vain
    }
  };

  const stopBeating = clock.every(terms.beatMs / 4, () => {
    if (beating !== undefined || (trouble === undefined && elapsedMs() < terms.beatMs)) return;
    beating = beat().finally(() => {
      beating = undefined;
    });
  });

  return {
    counter,
    inherited,
    check: () => {
      noticeExpiry();
      if (end !== undefined) throw lost(register.of, end.why);
    },
    release: async () => {
      stopBeating();
      await beating;
      noticeExpiry();
      if (end !== undefined) return;
      finish('it was given back');
      const past = pastOf(inherited, clock.monotonic());
      // What cannot be given back runs out.
      await register.swap(seen, { counter, holder: null, past }).catch(() => undefined);
    },
  };
}

const stopped = 'this process was stopped, or its clock was changed';

function whoHas(seen: Seen | undefined): string {
  const holder = seen?.entry.holder ?? undefined;
  return holder === undefined ? 'somebody took it away' : `${holder.owner} has it, for ${holder.purpose}`;
}

/** The holder of a lease, for somebody who may want to take it away. */
export interface Holder {
  readonly owner: string;
  readonly purpose: string;
  /** ISO 8601. */
  readonly since: string;
  /** When it ends unless it is renewed; undefined when the place has no clock. Milliseconds. */
  readonly endsInMs: number | undefined;
  /** Takes the lease away; false when it was renewed, released or taken meanwhile. */
  readonly remove: () => Promise<boolean>;
}

/** Who has the lease now. */
export async function findHolder(register: Register, { terms }: Taking): Promise<Holder | undefined> {
  const seen = await register.look();
  const holder = seen?.entry.holder ?? undefined;
  if (seen === undefined || holder === undefined) return undefined;
  const leftMs = Math.max(0, holder.lastsMs - (seen.ageMs ?? 0));
  const { counter, past } = seen.entry;
  const mayLandMs = Math.max(leftMs + terms.fenceMs, past?.mayLandMs ?? 0);
  const entry: LeaseEntry = { counter, holder: null, past: { ...toldOf(holder), mayLandMs } };
  return {
    ...toldOf(holder),
    endsInMs: seen.ageMs === undefined ? undefined : leftMs,
    remove: async () => (await register.swap(seen, entry)) !== undefined,
  };
}

function heldBy(of: string, { owner, purpose, since, lastsMs }: Hold, seen: Seen | undefined) {
  const leftMs = seen?.ageMs === undefined ? undefined : Math.max(0, lastsMs - seen.ageMs);
  const ends =
    leftMs === undefined || leftMs > 3_600_000
      ? ''
      : `, and expires in ${Math.ceil(leftMs / 1_000)} s unless it is renewed`;
  return locked(
    `${of} is locked by ${owner}, which runs ${purpose} since ${since}${ends}`,
    'Wait for it to end, or let --lock-timeout wait. If it is gone for good: trueup state unlock.',
  );
}

function lost(of: string, why: string) {
  return locked(
    `the lock of ${of} is lost: ${why}; nothing more is sent and nothing more is saved`,
    'Run it again: what was done is found then.',
  );
}
