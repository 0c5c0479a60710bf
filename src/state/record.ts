import type { Json } from '../formats/json.ts';

/**
 * A value as the state holds it: itself; or a keyed digest, where it may be a secret or is long. `secretLines`: the lines of
 * the text, from 0, into which a secret flowed, or that hold what the user calls private; without it, any part may be
 * secret. `clearAround`: of each of these lines, the characters that are in clear; without it, none are.
 */
export type Stored =
  | { readonly value: Json }
  | {
      readonly digest: string;
      readonly secretLines?: readonly number[] | undefined;
      readonly clearAround?: readonly ClearAround[] | undefined;
    };

/** The numbers of characters in clear: those before the first secret of a line, and those behind the last one. */
export type ClearAround = readonly [before: number, behind: number];

/**
 * Distinguishes an edited value with secrets from an unchanged one, in a run that lacks some of them. Digests, made with the key of
 * the state for this address and attribute: the values of secrets are often short.
 */
export interface StoredTemplate {
  /** Of the value with a named hole in place of each secret, and everything else resolved. */
  readonly digest: string;
  /** Of the value of each secret, by its name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A wanted value as the state holds it. `template`: `${secret:…}` flowed into it; its names say which. */
export type StoredWanted = Stored & { readonly template?: StoredTemplate | undefined };

/** What was wanted and what the platform answered when a field, or a key of a map, was settled last. */
export interface Pair {
  readonly wanted: StoredWanted;
  readonly answered: Stored;
  /** How many runs wrote the wanted value and saw the platform ignore it; after the second one it is settled. */
  readonly ignored?: 1 | 2 | undefined;
  /** The platform stored the wanted value and answered an error: what the value does is not proven. */
  readonly unproven?: true | undefined;
}

/** A natural key, as a create sent it. */
type Key = Readonly<Record<string, Json>>;

/** A request whose outcome is unknown: written down before it is sent, removed when its outcome is known. */
interface Sent {
  /** When it was about to be sent, in milliseconds since 1970. */
  readonly at: number;
  /** In-flight timeout: after so many milliseconds it can take effect no more. */
  readonly timeoutMs: number;
}

/** A create whose outcome is unknown. */
export interface PendingCreate extends Sent {
  readonly is: 'create';
  /** The natural key of the new object; left out when it is secret or not known. */
  readonly key?: Key | undefined;
  /** The id of the parent it was sent to, wherever the block is moved meanwhile. */
  readonly below?: string | undefined;
  /** The fields the create sent. An object that differs in one of them is not the created one. */
  readonly says: Readonly<Record<string, StoredWanted>>;
  /** How often it was sent, over all runs. */
  readonly sends: number;
  readonly unproven?: Unproven;
}

/** An update, a move or a deletion whose outcome is unknown. */
export interface PendingWrite extends Sent {
  readonly is: 'write';
  readonly unproven?: Unproven;
}

/** The names of the attributes of a request that got an error as its answer: if the platform has them, they are not proven. */
type Unproven = readonly string[] | undefined;

/** The one operation of a resource that may be open at the platform. */
export type Pending = PendingCreate | PendingWrite;

/** A place where a duplicate may be: the key that a create sent, and the parent. Without a key: the key of the block. */
export interface DuplicatePlace {
  readonly key?: Key | undefined;
  readonly below?: string | undefined;
}

/** A deployment that was started, with unknown end. */
export interface PendingDeploy extends Sent {
  /** The text in its description that tells it from all others. */
  readonly mark: string;
  /** The digest of what it is made from. */
  readonly inputs: string;
  /** The newest deployment that the platform listed before. */
  readonly newest: string | null;
  /** The platform accepted it. */
  readonly isAnswered?: true | undefined;
  /** Its run waits until the service holds. Without that, a later run takes what the platform says for the result. */
  readonly isAwaited?: true | undefined;
  /** Its id, once it is listed: later rows may not have the mark. */
  readonly id?: string | undefined;
}

/** Why a service is stale: something it is made from was written since its last deployment, or may have been. */
interface Stale {
  /** Its code has to be fetched. */
  readonly code?: true | undefined;
  /** The digest of everything saved, and the newest deployment listed then: a newer one deployed all of it. */
  readonly saved?: { readonly inputs: string; readonly newest: string | null } | undefined;
}

/** A change whose deployment failed, and that no apply repeats unasked. It holds none of the former values. */
export interface FailedDeploy {
  /** The digest of everything that it was made from. */
  readonly inputs: string;
  /** When it failed, in milliseconds since 1970. */
  readonly at: number;
  /** The restore of the former version began and did not come to a good end: the platform may have values of both. */
  readonly isRestoring?: true | undefined;
}

/** The deployments of a service, which the state holds beside the record of the service. */
export interface Deploys {
  /** The digest of what the last successful deployment was made from. */
  readonly inputs?: string | undefined;
  readonly stale?: Stale | undefined;
  readonly pending?: PendingDeploy | undefined;
  /** The change that failed last, of a service with `deploy: { onFailure: restore }`. */
  readonly failed?: FailedDeploy | undefined;
}

/** What a record holds whether or not the id is known. */
interface RecordFacts {
  readonly kind: string;
  readonly parent: string | null;
  /** Addresses that have to outlive it. */
  readonly dependsOn: readonly string[];
  /** By the name of the attribute: `port`, `env["REGION"]`. */
  readonly pairs: Readonly<Record<string, Pair>>;
  readonly options: Readonly<Record<string, Json>>;
  /** Its create was sent more than once: where a second object of it may be. */
  readonly duplicates?: readonly DuplicatePlace[] | undefined;
  /** The address that it had when its digests were made first, where `moved:` gave it another one. */
  readonly bornAt?: string | undefined;
  /** What `seed:` names, and ran to a good end. */
  readonly ran?: true | undefined;
}

/** A resource whose id is known, or was chosen for its create. */
export interface KnownRecord extends RecordFacts {
  readonly id: string;
  readonly pending?: Pending | undefined;
}

/** A resource whose id is not known: its create is pending, or it is listed only after something happens outside. */
export interface UnknownRecord extends RecordFacts {
  readonly id: null;
  readonly pending?: PendingCreate | undefined;
}

/** One resource as the state holds it. */
export type StateRecord = KnownRecord | UnknownRecord;

/** The record of a resource, or the deployments of a service. null removes: with a record go its deployments. */
export type Entry =
  | readonly [address: string, record: StateRecord | null, part?: undefined]
  | readonly [service: string, deploys: Deploys | null, part: 'deployments'];
