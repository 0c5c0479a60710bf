import type { Json, Row } from './json.ts';

/** What the platform itself creates, deletes and keeps. */
export interface Lifecycle {
  /** Objects that the platform creates by itself. */
  readonly provided?: Provided;
  /** A replacement creates the new object before it deletes the old one; not when a block declares the field `unless`. */
  readonly createBeforeDestroy?: { readonly unless?: string };
  /** The deletion of the parent deletes the object too. */
  readonly deletedWithParent?: true;
  /** The data that a deletion or replacement puts at risk, as a short noun phrase; undefined when there is none. */
  readonly dataAtRisk?: (facts: {
    readonly row: Row;
    readonly options: Readonly<Record<string, Json>>;
    readonly action: 'delete' | 'replace';
  }) => string | undefined;
}

type Provided = {
  readonly is: (row: Row, parent: Row) => boolean;
} & (
  | {
      /** Never touched. */
      readonly allows: 'nothing';
    }
  | {
      /** Adopted and updated, but never created or deleted. */
      readonly allows: 'update';
      /** Fields that no update may change. */
      readonly fixed: readonly string[];
      /** Values that the platform itself wrote: overwriting them needs no consent. */
      readonly madeWith: Readonly<Record<string, Json>>;
    }
);
