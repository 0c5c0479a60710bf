import type { DriftDocument } from '../render/document-schemas.ts';
import type { Subject } from '../manifest/entry-list.ts';
import { idOf } from '../secrets/digest.ts';

type FindingDocument = Readonly<DriftDocument['findings'][number]>;

/** What a finding says of an object or of one attribute. */
export type FindingName = FindingDocument['is'];

/** What a document says of a difference, of itself. */
type Members =
  | 'is'
  | 'address'
  | 'single'
  | 'name'
  | 'path'
  | 'applied'
  | 'platform'
  | 'manifest'
  | 'unit'
  | 'summary'
  | 'edited'
  | 'position';

/** One difference between the platform, what was applied last, and the manifest. */
export interface Found extends Subject, Pick<FindingDocument, Members> {
  /** Apply leaves it as it is, or refuses it. */
  readonly isLeft?: boolean;
  /** Adopting refuses its value: it is a secret, looks like one, or a secret flows into it. */
  readonly isSecret?: boolean;
  /** The secrets that its value in the manifest needs and this run does not have. */
  readonly missing?: readonly string[] | undefined;
  /** Makes the digest of the platform's value, in the form of another; undefined: only that it is there counts. */
  readonly digest?: ((like?: string) => string) | undefined;
}

/** A finding with its judgement. */
export interface Finding extends Found, Pick<FindingDocument, 'id' | 'status' | 'since' | 'accepted' | 'flapping'> {}

/** The id of a finding: made of kind, object and field. What has no object yet has its address instead. */
export function findingId({ kind, objectId, field, address, is }: Placed & { readonly is: FindingName }): string {
  // Beside drift of an object as a whole, such as a move, it may have a change that was not applied.
  const sort = is === 'not yet applied' && field === undefined ? [is] : [];
  return idOf(JSON.stringify([kind, objectId ?? address ?? '', field ?? '', ...sort]));
}

type Placed = Subject & { readonly address?: string | undefined };

/** Compares two findings: by address, then by field; objects without an address come last. */
export function inOrder(a: Placed, b: Placed): number {
  const keys = ({ address, field, kind, objectId }: Placed) =>
    [address === undefined ? '1' : `0${address}`, field ?? '', kind, objectId ?? ''] as const;
  const [one, other] = [keys(a), keys(b)];
  for (const [at, key] of one.entries()) {
    const against = other[at] ?? '';
    if (key !== against) return key < against ? -1 : 1;
  }
  return 0;
}
