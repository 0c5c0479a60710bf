import { identityOf } from './inheritance.ts';
import type { LeaseContext } from './lease.ts';
import { isOver } from './take-lease.ts';
import type { Register } from './register.ts';

/** The holder of a lease, for a person who may want to remove it. */
export interface Holder {
  readonly owner: string;
  readonly purpose: string;
  /** ISO 8601. */
  readonly since: string;
  /** It can start no request any more: its process ended on this machine, or its time is over. */
  readonly isOver: boolean;
  /** Time until the lease expires unless it is renewed; undefined when the location has no clock. Milliseconds. */
  readonly endsInMs: number | undefined;
  /** Removes the lease; false when it was renewed, released or taken in between. */
  readonly remove: () => Promise<boolean>;
}

/** Finds the holder of the lease. */
export async function findHolder(register: Register, { terms, host }: LeaseContext): Promise<Holder | undefined> {
  const seen = await register.look();
  const holder = seen?.entry.holder ?? undefined;
  if (seen === undefined || holder === undefined) return undefined;
  const leftMs = Math.max(0, holder.lastsMs - Math.max(0, seen.ageMs ?? 0));
  const { counter, newest } = seen.entry;
  const mayLandMs = Math.max(leftMs + terms.inFlightMs, seen.entry.past?.mayLandMs ?? 0);
  const past = { ...identityOf(holder), mayLandMs, wasRemoved: true } as const;
  const entry = { counter, holder: null, past, newest };
  return {
    ...identityOf(holder),
    isOver: isOver(holder, { seen, watchedMs: 0, host }),
    endsInMs: seen.ageMs === undefined ? undefined : leftMs,
    remove: async () => (await register.swap(seen, entry)) !== undefined,
  };
}
