import type { Position } from '../diagnostics/diagnostic.ts';
import type { FieldUnit } from '../formats/units.ts';
import type { Acceptance } from '../manifest/accepted.ts';
import type { Shown } from '../plan/action.ts';
import { idOf } from '../secrets/digest.ts';

/** What a finding says of an object or of one attribute. */
export type FindingName = 'drifted' | 'missing' | 'unmanaged' | 'not yet applied' | 'duplicate';

/** The judgement of a finding by the memory. `expired`: was accepted until a day that has passed; counts as new. */
export type Status = 'new' | 'known' | 'accepted' | 'expired' | 'not yet applied';

/** Returns true for drift that counts as new. */
export function isFresh({ status }: { readonly status: Status }): boolean {
  return status === 'new' || status === 'expired';
}

/** What a finding is about: the same in every run, whatever its address is meanwhile. */
export interface Subject {
  readonly kind: string;
  /** The id of the object on the platform; undefined for what was never there. */
  readonly objectId?: string;
  /**
   * The attribute: its path, with the name of the API behind it where several fields have that path, such as the branches of
   * git sources. Undefined: the object as a whole.
   */
  readonly field?: string;
}

/** One difference between the platform, what was applied last, and the manifest. */
export interface Found extends Subject {
  readonly is: FindingName;
  /** Of an unmanaged object: the address that its block would have. */
  readonly address?: string;
  readonly name?: string;
  /** Where the attribute stands in YAML, as in the changes of a plan. */
  readonly path?: string;
  /** The value that was applied last, the one on the platform, and the one of the manifest, as people may see them. */
  readonly applied?: Shown;
  readonly platform?: Shown;
  readonly manifest?: Shown;
  readonly unit?: FieldUnit;
  readonly summary?: string;
  /** Of drift: the manifest has a third value, which was never applied. */
  readonly edited?: true;
  /** Apply leaves it as it is, or refuses it. */
  readonly isLeft?: true;
  /** The secrets that its value in the manifest needs and this run does not have. */
  readonly missing?: readonly string[];
  /** The line of the field, else of the block. */
  readonly position?: Position;
  /** Makes the digest of the platform's value, in the form of another; undefined: only that it is there counts. */
  readonly digest?: (like?: string) => string;
}

/** A finding with its judgement. */
export interface Finding extends Found {
  readonly id: string;
  readonly status: Status;
  /** The day on which a run found it first. */
  readonly since?: string;
  readonly accepted?: Acceptance;
  readonly flapping?: { readonly changes: number; readonly since: string };
}

/** The id of a finding: made of kind, object and field. What has no object yet has its address instead. */
export function findingId({ kind, objectId, field, address, is }: Placed & { readonly is: FindingName }): string {
  // Beside drift of an object as a whole, such as a move, it may have a change that was not applied.
  const sort = is === 'not yet applied' && field === undefined ? [is] : [];
  return idOf(JSON.stringify([kind, objectId ?? address ?? '', field ?? '', ...sort]));
}

type Placed = Subject & { readonly address?: string };

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
