import type { Json, Row } from './json-rows.ts';
import type { OpenRequests } from './open-requests.ts';
import type { Queue } from './queue.ts';
import type { Store } from './table-store.ts';

/** What is behind all requests. */
export interface Platform {
  readonly store: Store;
  /** The deployments that wait or run. */
  readonly queue: Queue;
  /** The requests that wait for the deployment of a database. */
  readonly requests: OpenRequests;
  /** The time as the platform writes it: ISO 8601 with milliseconds, UTC. */
  readonly now: () => string;
  readonly newId: () => string;
  /** How long a deployment takes, in milliseconds. */
  readonly deployDelayMs: number;
}

/** What every operation works with: the platform, and who calls. */
export interface Context extends Platform {
  /** The membership of the caller: one user in one organization. */
  readonly memberId: string;
}

/** What an operation answers; undefined is a 200 with an empty body. */
export type Reply = Json | undefined;

/** Carries out one operation. Its input has passed the contract. */
export type Handler = (context: Context, input: Row) => Reply | Promise<Reply>;

/** The operations of one group. */
export type Group = Readonly<Record<string, Handler>>;
