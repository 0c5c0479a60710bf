import { valueIn } from '../api/endpoint.ts';
import type { Json, Row } from './json-rows.ts';

/** What happens to the row that holds an id when the row with that id is deleted, by its sign in a line. */
const onDelete = { '->': 'cascade', '~>': 'set null', '!>': 'refuse' } as const;

/** What happens to the row that holds an id when the row with that id is deleted. */
export type OnDelete = (typeof onDelete)[keyof typeof onDelete];

/** A column that holds the id of a row of another table. */
interface Reference {
  readonly table: string;
  readonly onDelete: OnDelete;
}

/** One table of the world. */
export interface Table {
  /** The column with the id: the first. */
  readonly key: string;
  /** Every column, with what a new row holds there when nothing is said. */
  readonly columns: Row;
  readonly references: Readonly<Record<string, Reference>>;
  /** Columns that take only whole numbers of 32 bits. */
  readonly integers: readonly string[];
  /** Columns, beside the references, by whose value rows are looked up. */
  readonly indexed: readonly string[];
}

/**
 * Reads a table from its line: its columns, with a comma and a space between them.
 *
 * - `name` has the default `''`, `name?` has null, `name = value` another one
 * - `int name` takes whole numbers only; `indexed name` is looked up by its value
 * - `name -> table` holds an id of a table and is deleted with that row, after `~>` it is cleared instead, and after `!>`
 *   that row is not deleted
 * - `...name` stands for shared columns
 *
 * @throws {Error} where a column has another form: a mistake in the tables
 */
export function readTable(line: string, shared: Readonly<Record<string, string>>): Table {
  const read = columnsIn(line, shared);
  const named = (kind: string) => read.filter((column) => column.kind === kind).map(({ name }) => name);
  return {
    key: read[0]?.name ?? '',
    columns: Object.fromEntries(read.map(({ name, preset }) => [name, preset])),
    references: Object.fromEntries(read.flatMap(({ name, reference }) => (reference ? [[name, reference]] : []))),
    integers: named('int'),
    indexed: named('indexed'),
  };
}

interface Column {
  readonly name: string;
  readonly kind: string | undefined;
  readonly preset: Json;
  readonly reference: Reference | undefined;
}

const form = /^(?:(int|indexed) )?(\w+)(\?)?(?: = (\S+))?(?: ([-~!]>) (\w+))?$/;

function columnsIn(line: string, shared: Readonly<Record<string, string>>): Column[] {
  return line
    .trim()
    .split(/,\s+/)
    .flatMap((text): Column[] => {
      const columns = text.startsWith('...') ? shared[text.slice(3)] : undefined;
      if (columns !== undefined) return columnsIn(columns, shared);
      const [, kind, name, isNull, preset, sign, table] = form.exec(text) ?? [];
      if (name === undefined) throw new Error(`The tables have no ${text}`);
      const reference = table === undefined ? undefined : { table, onDelete: onDelete[sign as keyof typeof onDelete] };
      const value = preset === undefined ? '' : (valueIn(preset) as Json); // JSON, or a text
      return [{ name, kind, preset: isNull === undefined ? value : null, reference }];
    });
}
