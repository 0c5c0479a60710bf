import type { Holder } from './holder.ts';
import type { Lease, Wish } from './lease.ts';
import type { StateRecord } from './record.ts';

/** What Trueup remembers of a project between runs. It holds no secret. */
export interface State {
  readonly formatVersion: 2;
  /** Names this history; two states with different lineages are not versions of one another. */
  readonly lineage: string;
  /** Counts the versions. */
  readonly serial: number;
  /** The key of the digests. */
  readonly digestKey: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly resources: Readonly<Record<string, StateRecord>>;
}

/** Where a state is kept. */
export interface StateStore {
  /** Where it is, for messages. */
  readonly place: string;
  /** The state as it was saved last, with every record appended since; undefined when there is none. */
  readonly read: () => Promise<State | undefined>;
  /** Keeps others out until it is released; rejects with a Stop when somebody is in and stays in. */
  readonly lock: (wish: Wish) => Promise<Lease>;
  /** Who is in. */
  readonly holder: () => Promise<Holder | undefined>;
  /** Adds one record to the state that was read, durably; null removes it. Refused when the lock was lost. */
  readonly append: (base: State, address: string, record: StateRecord | null) => Promise<void>;
  /** Replaces the state as a whole, or leaves it as it was. Refused when the lock was lost. */
  readonly write: (state: State) => Promise<void>;
  /** Releases the lock and ends connections. */
  readonly close: () => Promise<void>;
}
