import type * as z from 'zod';
import type { Operation } from '../api/contract.ts';
import type { Json } from './json.ts';

/** Concern "operations": the requests that a plan may make for a kind. */
export interface Operations {
  readonly create?: Operation;
  /** Reads the whole row by id. */
  readonly read: Operation;
  /** Each field goes with the first of these that takes it. */
  readonly update?: Operation | readonly Operation[];
  readonly delete?: Operation;
  /** Members of the deletion that the block decides: what users may write, and what is sent when they do not. */
  readonly deleteOptions?: Readonly<Record<string, { readonly schema: z.ZodType; readonly otherwise: Json }>>;
  /** Gives the object another parent; `as` is the member that takes the new parent's id. */
  readonly move?: { readonly call: Operation; readonly as: string };
  /** What there is no operation for: why, and what to do instead. */
  readonly cannot?: { readonly create?: string; readonly delete?: string };
}
