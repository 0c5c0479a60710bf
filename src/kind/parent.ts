import type { ReadOperation } from '../api/contract.ts';
import type { Json, Row } from '../formats/json.ts';

/** How the objects of a kind hang on one kind of parent. */
export interface ParentLink {
  /** Where they are listed: a member of the parent's row, or an operation. `whenEmpty` says why an empty list is wrong. */
  readonly listed:
    | { readonly at: string }
    | {
        readonly call: ReadOperation;
        readonly with?: Readonly<Record<string, FromPlace>>;
        readonly whenEmpty?: string;
        /** The member of the answer that is the list, where the answer is an object. */
        readonly within?: string;
      };
  /** What a listed row holds: all members, a few, or all but some. */
  readonly rows: 'whole' | 'summary' | { readonly without: readonly string[] };
  /** Members that create sends because of this parent; users cannot write them here. */
  readonly set: Readonly<Record<string, FromPlace>>;
  /** Where a row holds the parent's id: a member, or a path. At the top: the id of the project or the organization. */
  readonly idAt: string;
  /** The list in which a project is found by its name: the operation, and what its rows say. */
  readonly projects?: {
    readonly call: ReadOperation;
    readonly id: string;
    readonly name: string;
    /** The number of services that a row lists. */
    readonly services: (row: Row) => number;
  };
  /** Where a row holds the name of the project that it is in: a path. */
  readonly projectNameAt?: string;
  /** Fields that mean nothing below this parent. */
  readonly lacks?: readonly string[];
  /** Below this parent no field waits for a deployment. */
  readonly atOnce?: true;
}

/** A member that the place of a block decides: its parent's id, the caller, another field, or a constant. */
export type FromPlace =
  | { readonly parent: 'id' }
  | { readonly context: 'projectId' | 'organizationId' | 'userId' }
  | { readonly sameAs: string }
  /** `inEveryUpdate`: the platform guesses it wrong when an update leaves it out. */
  | { readonly value: Json; readonly inEveryUpdate?: true };
