import type { Documents } from './documents.ts';
import type { Holder } from './holder.ts';
import type { Lease, LockRequest } from './lease.ts';
import type { StateRecord } from './record.ts';

/** All that Trueup knows of a project between runs. It holds no secret. */
export interface State {
  readonly formatVersion: 2;
  /** The id of this history; states with different lineages are not versions of each other. */
  readonly lineage: string;
  /** Counts the versions. */
  readonly serial: number;
  /** The key of the digests. */
  readonly digestKey: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly resources: Readonly<Record<string, StateRecord>>;
}

/** The store of one state. Every operation rejects with a Stop when the location fails. */
export interface StateStore {
  /** Where it is, for messages. */
  readonly location: string;
  /** The state saved last, with every record appended since; undefined when there is none. */
  readonly read: () => Promise<State | undefined>;
  /** Takes the lock. @throws Stop `locked`, when another run holds it for longer than the wait. */
  readonly lock: (request: LockRequest) => Promise<Lease>;
  /** The holder of the lock. */
  readonly holder: () => Promise<Holder | undefined>;
  /** Appends one record to the state that was read, durably; null removes it. @throws Stop when the lock was lost. */
  readonly append: (base: State, address: string, record: StateRecord | null) => Promise<void>;
  /** Replaces the state as a whole, or leaves it unchanged. @throws Stop when the lock was lost. */
  readonly write: (state: State) => Promise<void>;
  /** Documents beside the state. */
  readonly documents: Documents;
  /** Releases the lock and ends connections. */
  readonly close: () => Promise<void>;
}
