import type * as z from 'zod';
import type { Operation, ReadOperation } from '../api/contract.ts';
import type { Json } from '../formats/json.ts';

/** The requests of a plan. An operation that a kind does not have is left out. */
export interface Operations {
  readonly create?: Operation;
  /** Reads the whole row by id; an operation that takes no id is the list of all rows. */
  readonly read: ReadOperation;
  /** The message of the error 400 with which `read` answers every failure: only the list of the parent proves absence. */
  readonly failsWith?: string;
  /** The list that shows members of the row which the read hides. */
  readonly readMore?: ReadOperation;
  /** Of several, each field goes with the first that takes it. */
  readonly update?: Operation | readonly Operation[];
  readonly delete?: Operation;
  /** Settings of a block that the deletion sends: what users may write, and the value when they write nothing. */
  readonly deleteOptions?: Readonly<Record<string, { readonly schema: z.ZodType; readonly otherwise: Json }>>;
  /** Gives the object another parent; `as` is the member that takes the new parent's id. */
  readonly move?: { readonly call: Operation; readonly as: string };
  /** Why an operation does not exist, and what to do instead. */
  readonly cannot?: { readonly create?: string; readonly delete?: string };
}
