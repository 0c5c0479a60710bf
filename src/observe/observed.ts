import { onceFor } from '../api/once.ts';
import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { FromPlace } from '../kind/parent.ts';

/** One object as the platform has it. Its row holds secrets in clear, so it does not print. */
export interface ObservedObject {
  readonly id: string;
  readonly row: Row;
  /** The id of its parent on the platform. */
  readonly parentId: string | undefined;
  /** How it was found: by a known id, by `id:`, by what a pending create sent, or by its natural key alone. */
  readonly foundBy: 'id' | 'pin' | 'pending create' | 'key';
  /** The platform made it by itself. */
  readonly isProvided: boolean;
}

/** An object with its kind, as the parent of others. */
export interface Parent {
  readonly kind: Kind;
  readonly id: string;
  readonly row: Row;
}

/** One row as a list gave it. */
export interface Listed {
  readonly row: Row;
  /** The object whose list it is; undefined for the list at the top. */
  readonly parent: Parent | undefined;
}

/** Where a run acts, and the owner of its API key. */
export interface Place {
  readonly organizationId: string;
  readonly projectId: string;
  readonly userId: string;
}

/** The same, with the rights of the owner. */
export interface Caller extends Place {
  /** owner, admin or member. */
  readonly role: string;
}

/** What the platform has of what is declared or remembered. An address that is not in it does not exist there, unless it was not read. */
export interface Observed extends Caller {
  /** When the first of it was read (monotonic ms). */
  readonly since: number;
  readonly objects: ReadonlyMap<string, ObservedObject>;
  /** The addresses of the state that were not read. */
  readonly unread: ReadonlySet<string>;
  /** The ids of everything that a list showed, whoever's it is. */
  readonly listed: ReadonlySet<string>;
  /** The name of the project, where a list shows it. */
  readonly projectName: string | undefined;
  /** The name of an object at the top, where a list of this run showed that no other of its kind has it. */
  readonly nameOf: (kind: string, id: string) => string | undefined;
  /** Objects of the project that a list showed and no address has, without those that the platform made by itself. */
  readonly unmanaged: readonly UnmanagedObject[];
  /**
   * Those that the platform made by itself and Trueup can manage, such as the default environment; and environments of other
   * manifests, where this one has one of its own.
   */
  readonly ofOthers: readonly UnmanagedObject[];
  /** The lists below objects that the key may not read, and in which nothing is expected. */
  readonly unlisted: readonly { readonly kind: Kind; readonly parentId: string }[];
  /** Objects that a create which was sent or delivered more than once may have made beside the one that has the address. */
  readonly duplicates: readonly DuplicateObject[];
}

/** The addresses of objects by their ids. */
export const addressesById = onceFor(
  (objects: Observed['objects']): ReadonlyMap<string, string> =>
    new Map([...objects].map(([address, { id }]) => [id, address])),
);

/** A second object of one create. */
export interface DuplicateObject {
  readonly kind: string;
  readonly id: string;
  /** The address of the first one. */
  readonly address: string;
}

/** An object that neither the manifest nor the state names. */
export interface UnmanagedObject {
  readonly kind: string;
  readonly id: string;
  /** What people call it, and an export its block. */
  readonly name: string | undefined;
  /** The id of its parent, where that is an object too. */
  readonly parentId: string | undefined;
}

/** The value that the run itself gives to a member: which project, which organization, who. */
export function fromContext(
  from: FromPlace | undefined,
  { projectId, organizationId, userId }: Partial<Place>,
): string | undefined {
  return from !== undefined && 'context' in from ? { projectId, organizationId, userId }[from.context] : undefined;
}

/** Makes an object whose row neither JSON nor an inspection shows. */
export function observedObject({ row, ...facts }: ObservedObject): ObservedObject {
  return Object.defineProperty(facts as ObservedObject, 'row', { value: row }); // all members once the row is added
}
