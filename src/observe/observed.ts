import type { Row } from '../kind/json.ts';
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

/** What the platform has of what is declared or remembered. An address that is not in it does not exist there. */
export interface Observed {
  readonly organizationId: string;
  readonly projectId: string;
  /** Whose API key it is. */
  readonly userId: string;
  /** The role of the API key's owner: owner, admin, member. */
  readonly role: string;
  readonly objects: ReadonlyMap<string, ObservedObject>;
  /** The ids of everything that a list showed, whoever's it is. */
  readonly listed: ReadonlySet<string>;
}

/** Where a run acts, and as whom. */
export type Place = Pick<Observed, 'projectId' | 'organizationId' | 'userId'>;

/** The value that the run itself gives to a member: which project, which organization, who. */
export function fromContext(
  from: FromPlace | undefined,
  { projectId, organizationId, userId }: Partial<Place>,
): string | undefined {
  return from !== undefined && 'context' in from ? { projectId, organizationId, userId }[from.context] : undefined;
}

/** Makes an object whose row neither JSON nor an inspection shows. */
export function observedObject({ row, ...facts }: ObservedObject): ObservedObject {
  return Object.defineProperty({ ...facts, row }, 'row', { value: row, enumerable: false });
}
