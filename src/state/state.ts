import type { Documents } from './named-documents.ts';
import type { Holder } from './holder.ts';
import type { Lease, LockRequest } from './lease.ts';
import type { Version } from './lease-entry.ts';
import type { Deploys, Entry, StateRecord } from './record.ts';
import type { StateKey } from '../secrets/state-key.ts';

/** What a platform turned out to serve beyond the API document. */
export interface Capabilities {
  /** null: it does not tell its version. */
  readonly version: string | null;
  /** The operations beyond the API document that it serves. */
  readonly operations: readonly string[];
  /** What was looked for. */
  readonly sought: string;
}

/** All that Trueup knows of a project between runs. It holds no secret. */
export interface State {
  readonly formatVersion: 4;
  /** The id of this history; states with different lineages are not versions of each other. */
  readonly lineage: string;
  /** Counts the versions. */
  readonly serial: number;
  /** The number of the key that new digests are made with. */
  readonly keyNumber: number;
  /** The keys of digests that were not made again since, by their numbers; encrypted with the key of the state. */
  readonly earlierKeys?: Readonly<Record<string, string>> | undefined;
  readonly organizationId: string;
  readonly projectId: string;
  /** The name by which the manifest names the project, when it was not its id. */
  readonly projectName?: string | undefined;
  /** What its platform serves, as the last run that wrote found it. */
  readonly platform?: Capabilities | undefined;
  /** The root file of the manifest, as the last apply named it: a run of another one refuses the state. */
  readonly rootFile?: string | undefined;
  readonly resources: Readonly<Record<string, StateRecord>>;
  /** The deployments of services, by the addresses of the services, each of which has a record. */
  readonly deployments: Readonly<Record<string, Deploys>>;
}

/** The store of one state. Every operation rejects with a Stop when the location fails. */
export interface StateStore {
  /** Where it is, for messages. */
  readonly location: string;
  /**
   * The state saved last, with every record appended since; undefined when there is none.
   *
   * @throws {Stop} `state`, when it is damaged, was not written with the key, or is older than the last one saved here;
   * also when that one is gone. A person accepts an older one with `acceptsOlder`, and none with `acceptsNone`.
   */
  readonly read: (how?: {
    readonly acceptsOlder?: boolean;
    readonly acceptsNone?: boolean;
  }) => Promise<State | undefined>;
  /** The key of the state. Where there is none it is a new one, which the first write keeps. */
  readonly key: () => Promise<StateKey>;
  /** Where the key is from, for messages. */
  readonly keyName: string;
  /** Whether the state that was read last has no MAC yet: an earlier version wrote it. A write gives it one. */
  readonly isUnsealed: () => boolean;
  /** Keeps a new key now: what is about to be written elsewhere needs it. */
  readonly keepKey: () => Promise<void>;
  /** Takes the lock. @throws Stop `locked`, when another run holds it for longer than the wait. */
  readonly lock: (request: LockRequest) => Promise<Lease>;
  /** The version that was saved last, as the lock knows it; undefined where it knows none, or cannot be read without the lock. */
  readonly newest: () => Promise<Version | undefined>;
  /** The holder of the lock. */
  readonly holder: () => Promise<Holder | undefined>;
  /**
   * Appends a record, or the deployments of a service, to the state that was read, durably.
   *
   * @throws Stop when the lock was lost.
   */
  readonly append: (base: State, ...entry: Entry) => Promise<void>;
  /** Replaces the state as a whole, or leaves it unchanged. @throws Stop when the lock was lost. */
  readonly write: (state: State) => Promise<void>;
  /** Saves the state under a new key, which takes the place of the present one. @throws Stop as `write`. */
  readonly rotateKey: (state: State) => Promise<void>;
  /** Removes the state, but not the documents: the place is as if it never had one. @throws Stop when the lock was lost. */
  readonly remove: () => Promise<void>;
  /** Documents beside the state. */
  readonly documents: Documents;
  /** Releases the lock and ends connections. */
  readonly close: () => Promise<void>;
}
