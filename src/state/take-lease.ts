import { isoTime } from './clock.ts';
import type { Host } from './host.ts';
import { inheritedFrom, pastOf, quietSince } from './inheritance.ts';
import { keepLease, momentOf } from './keep-lease.ts';
import { type Hold, largestNumber } from './lease-entry.ts';
import type { Lease, LeaseContext, LockRequest } from './lease.ts';
import { type Register, type Seen, swapSurely } from './register.ts';
import { locked, lockUnusable } from './unusable.ts';

/** Between two polls of a lease that is held. Milliseconds. */
const lookEveryMs = 1_000;

/** After so many refusals of a free lease that no other run explains, the run gives up, unless its timeout lets it wait. */
const maxRefusals = 3;

/** Takes the lease once it is free, or its holder is gone. @throws Stop `locked`, after the wait. */
export async function takeLease(register: Register, request: LockRequest, context: LeaseContext): Promise<Lease> {
  const { clock, host, terms } = context;
  const { purpose, timeoutMs = 0, signal } = request;
  const until = clock.monotonic() + timeoutMs;
  const watched = { version: '', since: 0 };
  let refusals = 0;
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
      const counter = Math.max(seen?.entry.counter ?? 0, (await register.lastCounter?.()) ?? 0) + 1;
      const began = momentOf(clock);
      if (counter > largestNumber)
        throw lockUnusable(register.of, `no number of runs leads to its counter ${counter - 1}`);
      const entry = { counter, holder: hold, past: pastOf(inherited, now), newest: seen?.entry.newest };
      const swapped = await swapSurely(register, seen, entry);
      if (swapped.is === 'mine') {
        const lease = keepLease(register, {
          mine: swapped.seen,
          hold,
          began,
          inherited,
          quietSince: quietSince(seen, now, terms),
          context,
        });
        await register.prove?.(swapped.seen).catch(async (error: unknown) => {
          await lease.release();
          throw error;
        });
        return lease;
      }
      if (swapped.seen?.version !== seen?.version) continue;
      // No other run took it: the location refuses what it should take.
      refusals += 1;
      if ((now >= until && refusals >= maxRefusals) || signal?.aborted === true)
        throw lockUnusable(register.of, 'it can be read, and what was read cannot be replaced');
      await clock.sleep(lookEveryMs, signal);
    } else if (now >= until || signal?.aborted === true) throw heldBy(register.of, holder, seen);
    else await clock.sleep(Math.min(lookEveryMs, until - now), signal);
  }
}

/** Tells whether a holder can start no request any more. */
export function isOver(
  { machine, pid, lastsMs }: Hold,
  { seen, watchedMs, host }: { seen: Seen | undefined; watchedMs: number; host: Host },
): boolean {
  if (machine === host.machine && !host.isAlive(pid)) return true;
  // Its age is by the clock of the location, one for all runs; without a clock there, watching it shows the same.
  return (seen?.ageMs ?? 0) >= lastsMs || watchedMs >= lastsMs;
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
    { owner, purpose, since, expiresInMs: leftMs },
  );
}
