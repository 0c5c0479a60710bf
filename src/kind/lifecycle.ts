import type { Json, Row } from './json.ts';

/** Concern "lifecycle": how objects of a kind come and go, beside being created and deleted by a plan. */
export interface Lifecycle {
  /** Objects that the platform makes by itself: what may be done to them. */
  readonly provided?: Provided;
  /** Replacement creates the new object first, unless `unless` is declared, of which there can be no two. */
  readonly createBeforeDestroy?: { readonly unless?: string };
  /** The deletion of its parent leaves nothing of it behind. */
  readonly deletedWithParent?: true;
  /** What a deletion or replacement would put at risk, as a short noun phrase; undefined when nothing is. */
  readonly dataAtRisk?: (facts: {
    readonly row: Row;
    readonly options: Readonly<Record<string, Json>>;
    readonly action: 'delete' | 'replace';
  }) => string | undefined;
}

/** Objects that the platform makes by itself, beside those that create makes. */
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
      /** Fields that stay as they are. */
      readonly fixed: readonly string[];
      /** What the platform itself wrote into it: to overwrite that takes nothing from anybody. */
      readonly madeWith: Readonly<Record<string, Json>>;
    }
);
