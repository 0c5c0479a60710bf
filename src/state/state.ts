import * as z from 'zod';
import type { Json } from '../kind/json.ts';
import type { Holder } from './holder.ts';
import type { Lease, Wish } from './lease.ts';

/** A value as the state holds it: itself, or a keyed digest where it may be a secret. */
export type Stored = { readonly value: Json } | { readonly digest: string };

/** What was wanted and what the platform answered when a field, or a key of a map, was settled last. */
export interface Pair {
  readonly wanted: Stored;
  readonly answered: Stored;
  /** false: the platform did not keep what was wanted. */
  readonly kept?: false | undefined;
}

/** That a service has to be deployed. */
export interface Owes {
  /** With code that has to be fetched. */
  readonly code?: true | undefined;
}

/** What is known of the deployments of a service. */
export interface Deployed {
  /** The digest of what the last deployment that succeeded was made from. */
  readonly inputs?: string | undefined;
  /** Something it is made from was, or may have been, written since. */
  readonly owes?: Owes | undefined;
  /** What all of that came to, and the newest deployment that the platform listed then: a newer one has it all. */
  readonly saved?: { readonly inputs: string; readonly newest: string | null } | undefined;
  /** A deployment that was sent, by its mark, and of which nobody knows yet how it ended; `at`: ms since 1970. */
  readonly sent?:
    | {
        readonly mark: string;
        readonly inputs: string;
        readonly at: number;
        /** The newest deployment that was listed before. */
        readonly newest?: string | null | undefined;
        /** The platform took it. */
        readonly isAnswered?: true | undefined;
        /** Its id, once it was seen: what the platform says of it later may not bear the mark. */
        readonly id?: string | undefined;
      }
    | undefined;
}

/** That a request was about to be sent, of which nobody knows yet what became of it. */
export interface Intent {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Of a create: the natural key of what it makes. */
  readonly key?: Readonly<Record<string, Json>> | undefined;
  /** Of a create: the id of what it is below, wherever the block is moved meanwhile. */
  readonly below?: string | undefined;
  /** Of a create: the fields that it says, by which what it made is known to be that. */
  readonly sent?: Readonly<Record<string, Stored>> | undefined;
  /** Of a create: how long after that it may land. Milliseconds. */
  readonly fenceMs?: number | undefined;
}

/** Where a twin may be: the key that a create said, and the id of what that was below. */
export interface TwinPlace {
  readonly key: Readonly<Record<string, Json>>;
  readonly below?: string | undefined;
}

/** What the state knows of one resource. */
export interface StateRecord {
  readonly kind: string;
  /** null between the moment a create is sent and the moment its id is known. */
  readonly id: string | null;
  readonly parent: string | null;
  /** Addresses that have to outlive it. */
  readonly dependsOn: readonly string[];
  /** By the name of the part: `port`, `env["REGION"]`. */
  readonly pairs: Readonly<Record<string, Pair>>;
  readonly options: Readonly<Record<string, Json>>;
  readonly intent?: Intent | undefined;
  /** Its create was sent twice: when both landed, it has a twin, which bears one of these keys. `true`: its own. */
  readonly repeated?: true | readonly TwinPlace[] | undefined;
  /** Of a service. */
  readonly deployed?: Deployed | undefined;
}

/** What Trueup remembers of a project between runs. It holds no secret. */
export interface State {
  readonly formatVersion: 1;
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

const key = z.record(z.string(), z.json());
const stored = z.union([z.strictObject({ value: z.json() }), z.strictObject({ digest: z.string() })]);

/** The form of one record, for reading what was written. */
export const recordSchema = z.strictObject({
  kind: z.string(),
  id: z.string().nullable(),
  parent: z.string().nullable(),
  dependsOn: z.array(z.string()),
  pairs: z.record(
    z.string(),
    z.strictObject({
      wanted: stored,
      answered: stored,
      kept: z.literal(false).optional(),
    }),
  ),
  options: z.record(z.string(), z.json()),
  intent: z
    .strictObject({
      at: z.number(),
      key: key.optional(),
      below: z.string().optional(),
      sent: z.record(z.string(), stored).optional(),
      fenceMs: z.number().optional(),
    })
    .optional(),
  repeated: z.union([z.literal(true), z.array(z.strictObject({ key, below: z.string().optional() }))]).optional(),
  deployed: z
    .strictObject({
      inputs: z.string().optional(),
      owes: z.strictObject({ code: z.literal(true).optional() }).optional(),
      saved: z.strictObject({ inputs: z.string(), newest: z.string().nullable() }).optional(),
      sent: z
        .strictObject({
          mark: z.string(),
          inputs: z.string(),
          at: z.number(),
          newest: z.string().nullable().optional(),
          isAnswered: z.literal(true).optional(),
          id: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
});

/** The form of a state, for reading what was written. */
export const stateSchema = z.strictObject({
  formatVersion: z.literal(1),
  lineage: z.string().min(1),
  serial: z.number().int().min(0),
  digestKey: z.string().min(1),
  organizationId: z.string(),
  projectId: z.string(),
  resources: z.record(z.string(), recordSchema),
});

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
