import type { Row } from '../json.ts';

/** What happens to the row that holds an id when the row with that id is deleted. */
export type OnDelete = 'cascade' | 'set null' | 'refuse';

/** A column that holds the id of a row of another table. */
export interface Reference<Name extends string = string> {
  readonly table: Name;
  readonly onDelete: OnDelete;
}

/** One table of the world. */
export interface Table<Name extends string = string> {
  /** The column with the id. */
  readonly key: string;
  /** Every column, with what a new row holds there when nothing is said. */
  readonly columns: Row;
  readonly references?: Readonly<Record<string, Reference<Name>>>;
  /** Columns that take only whole numbers of 32 bits. */
  readonly integers?: readonly string[];
  /** Columns, beside the references, by whose value rows are looked up. */
  readonly indexed?: readonly string[];
}

/** A reference whose holder goes when its target goes. */
export function cascade<Name extends string>(table: Name): Reference<Name> {
  return { table, onDelete: 'cascade' };
}

/** A reference that is cleared when its target goes. */
export function setNull<Name extends string>(table: Name): Reference<Name> {
  return { table, onDelete: 'set null' };
}

/** A reference that keeps its target from being deleted. */
export function refuse<Name extends string>(table: Name): Reference<Name> {
  return { table, onDelete: 'refuse' };
}
