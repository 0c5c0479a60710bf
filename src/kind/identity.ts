import type { Operation } from '../api/contract.ts';
import type { Json } from './json.ts';

/** Concern "identity": which object of the platform a resource is. */
export interface Identity {
  /** The member of a row that holds the id. */
  readonly id: string;
  /** The member that takes the id, in operations that do not call it by the row's name. */
  readonly idAs?: string;
  /** Fields that together tell which object of a parent it is; never unique on the platform. */
  readonly key: readonly string[] | ((value: (field: string) => Json | undefined) => readonly string[]);
  /** The field whose default is the YAML key; without it, the YAML key is a label only. */
  readonly keyField?: string;
  /** Its address is its key alone, without the section: for the kind that all others stand below. */
  readonly addressedByKey?: true;
  /** Create answers without an id: the object is the new row in the list. */
  readonly idFrom?: 'list';
  /** What has to happen outside before the platform lists a new object; until then it is never created again. */
  readonly listedOnce?: string;
}

/** How the objects of a kind hang on one kind of parent. */
export interface ParentLink {
  /** Where they are listed: a member of the parent's row, or an operation; `whenEmpty` says why its list never is. */
  readonly listed:
    | { readonly at: string }
    | {
        readonly call: Operation;
        readonly with?: Readonly<Record<string, FromPlace>>;
        readonly whenEmpty?: string;
      };
  /** What a listed row holds: everything, a few members, or everything but some. */
  readonly rows: 'whole' | 'summary' | { readonly without: readonly string[] };
  /** Members that create sends because of this parent; users cannot write them here. */
  readonly set: Readonly<Record<string, FromPlace>>;
  /** Where a row holds the parent's id: a member, or a path; at the top, that of the project or the organization. */
  readonly idAt: string;
  /** Fields that mean nothing below this parent. */
  readonly lacks?: readonly string[];
  /** Nothing of it waits for a deployment below this parent. */
  readonly atOnce?: true;
}

/** A member that the place of the resource decides: its parent's id, who acts where, another field, or a constant. */
export type FromPlace =
  | { readonly parent: 'id' }
  | { readonly context: 'projectId' | 'organizationId' | 'userId' }
  | { readonly sameAs: string }
  /** `inEveryUpdate`: the platform guesses it wrong when an update leaves it out. */
  | { readonly value: Json; readonly inEveryUpdate?: true };
