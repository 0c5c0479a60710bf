import type { BeatingClock } from './clock.ts';
import { pastOf } from './inheritance.ts';
import type { Hold, LeaseEntry } from './lease-entry.ts';
import type { Inherited, Lease, LeaseContext } from './lease.ts';
import type { Register, Seen } from './register.ts';
import { swapSurely } from './register.ts';
import { locked } from './unusable.ts';

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

/** Renews a lease until it is released or lost. An expired one is not renewed: another run may be about to take it. */
export function keepLease(register: Register, taken: Taken): Lease {
  const { mine, hold, began, inherited, quietSince, context } = taken;
  const { clock, terms } = context;
  const { counter } = mine.entry;
  let seen = mine;
  let renewed = began;
  let beats = 0;
  let trouble: unknown;
  let beating: Promise<void> | undefined;
  let end: { readonly why: string } | undefined;
  let { newest } = mine.entry;

  const entryWith = ({ holder, past }: Pick<LeaseEntry, 'holder' | 'past'>): LeaseEntry => ({
    counter,
    holder,
    past,
    ...(newest === undefined ? {} : { newest }),
  });

  /** The larger of two clocks counts: one stops while the machine sleeps, a person can set the other one back. */
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

  /** Every attempt is a different entry, so that a late one is not taken for a newer one. */
  const renew = async (): Promise<void> => {
    const moment = momentOf(clock);
    const holder = { ...hold, beat: ++beats };
    const swapped = await swapSurely(register, seen, entryWith({ holder, past: pastOf(inherited, moment.monotonic) }));
    if (swapped.is === 'mine') {
      seen = swapped.seen;
      renewed = moment;
    } else if (swapped.seen?.entry.holder?.id === hold.id) {
      seen = swapped.seen; // an attempt without an answer took effect
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
      trouble = error; // the next beat tries again; without success the lease expires
    }
  };

  const stopBeating = clock.every(terms.beatMs / 4, () => {
    if (beating !== undefined || (trouble === undefined && elapsedMs() < terms.beatMs)) return;
    beating = beat().finally(() => {
      beating = undefined;
    });
  });

  const check = (): void => {
    noticeExpiry();
    if (end !== undefined) throw lost(register.of, end.why);
  };

  return {
    counter,
    inherited,
    quietSince,
    check,
    confirm: async () => {
      check();
      if ((await register.isNewest?.(seen)) === false) {
        const now = await register.look(); // a renewal is newer too
        if (now?.entry.holder?.id !== hold.id) finish(whoHas(now));
      }
      check();
    },
    newest: () => newest,
    note: (version) => {
      newest = version;
    },
    release: async () => {
      stopBeating();
      await beating;
      noticeExpiry();
      if (end !== undefined) return;
      finish('it was given back');
      const past = pastOf(inherited, clock.monotonic());
      // A lease that cannot be released expires.
      await register.swap(seen, entryWith({ holder: null, past })).catch(() => undefined);
    },
  };
}

const stopped = 'this process was stopped, or its clock was changed';

function whoHas(seen: Seen | undefined): string {
  const holder = seen?.entry.holder ?? undefined;
  return holder === undefined ? 'it was taken away' : `${holder.owner} has it, for ${holder.purpose}`;
}

function lost(of: string, why: string) {
  return locked(
    `the lock of ${of} is lost: ${why}; nothing more is sent and nothing more is saved`,
    'Run it again: what was done is found then.',
  );
}
