import type { Json, Row } from '../formats/json.ts';

/** What the platform itself creates, deletes and keeps. */
export interface Lifecycle {
  /** Objects that the platform creates by itself. */
  readonly provided?: Provided;
  /** A replacement creates the new object before it deletes the old one; not when a block declares the field `unless`. */
  readonly createBeforeDestroy?: { readonly unless?: string };
  /** An update answers 200 whatever came of it: only a new object shows that the platform can do what is declared. */
  readonly silentUpdate?: true;
  /** The field that no two objects of the organization have in common: what gives it up goes before what takes it. */
  readonly unique?: string;
  /** All that is inside an object and goes with it: the object is deleted only when nothing of others is in it. */
  readonly contents?: (row: Row) => readonly { readonly id: string; readonly what: string }[];
  /**
   * The deletion of the parent deletes the object too, and ends what it does: of every parent, or of those kinds. An object
   * that is replaced with its parent goes along only where it is `true`.
   */
  readonly deletedWithParent?: true | readonly string[];
  /** The parts of an object that people should know of before it goes, by their noun: `services`. */
  readonly holds?: (row: Row) => Parts;
  /** The data that a deletion or replacement puts at risk; undefined when there is none. */
  readonly dataAtRisk?: (facts: {
    readonly row: Row;
    /** That of its parent; without the members that were not read. */
    readonly parent: Row;
    readonly options: Readonly<Record<string, Json>>;
    readonly action: 'delete' | 'replace';
  }) => Loss | undefined;
  /** The data that a deployment removes, of an object below another; undefined when it removes none. */
  readonly deploymentRemoves?: (row: Row, parent: Row) => Loss | undefined;
  /** Fields that name the data: another object below the same parent with the same values holds the same data. */
  readonly dataNamedBy?: readonly string[];
  /** By sort of data, and by field: the data that a new value puts at risk. By a list of the row: what new objects in it do. */
  readonly changeAtRisk?: Readonly<Partial<Record<Loss['of'], Readonly<Record<string, ChangeAtRisk>>>>>;
}

/** Names of the parts of an object, by the noun of the parts. */
export type Parts = Readonly<Record<string, readonly string[]>>;

/** Data at risk. The table in `diagnostics/safeguards.ts` says for each sort of it what an apply needs. */
export interface Loss {
  readonly of: 'data' | 'another object' | 'volume' | 'version' | 'backups' | 'backups elsewhere' | 'dashboard';
  /** The data, as a short noun phrase. */
  readonly what: string;
  /** The same without anything that the object has; left out where `what` has nothing of it. */
  readonly unnamed?: string;
  /** What to do, where that is more than its safeguard says. */
  readonly remedy?: string | undefined;
}

/** Says which data a new value of a field puts at risk; undefined when it puts none at risk. */
export type ChangeAtRisk = (change: FieldChange) => Omit<Loss, 'of'> | undefined;

/** A field of an object that stays, and gets another value; of a map, also one in which the map of the parent changes. */
export interface FieldChange {
  readonly before: Json;
  /** Text has gaps where it refers to what is not known before the apply. */
  readonly after: Json;
  /** The object before all changes, and as it is to be: both with every member. */
  readonly row: Row;
  readonly next: Row;
  /** Its parent, likewise; without the members that were not read. */
  readonly parent: { readonly row: Row; readonly next: Row };
  /** The address that the manifest reaches the platform by; undefined: the emulator. */
  readonly platformUrl?: string | undefined;
}

/** Reports whether the deletion of a parent of that kind deletes an object too. */
export function goesWith({ deletedWithParent = [] }: Lifecycle = {}, parent: string): boolean {
  return deletedWithParent === true || deletedWithParent.includes(parent);
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
      /** Fields of the object that comes with each new parent: it is never created. */
      readonly comesWith?: Readonly<Record<string, Json>>;
    }
);
