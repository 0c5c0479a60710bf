import type { Operation } from '../api/contract.ts';

/** Concern "operations": the requests that a plan may make for a kind. */
export interface Operations {
  readonly create?: Operation;
  /** Reads the whole row by id. */
  readonly read: Operation;
  /** Each field goes with the first of these that takes it. */
  readonly update?: Operation | readonly Operation[];
  readonly delete?: Operation;
  /** Gives the object another parent; `as` is the member that takes the new parent's id. */
  readonly move?: { readonly call: Operation; readonly as: string };
  /** What there is no operation for: why, and what to do instead. */
  readonly cannot?: { readonly create?: string; readonly delete?: string };
}
