import type { Row } from './json.ts';
import { accountTables } from './tables/accounts.ts';
import { childTables } from './tables/children.ts';
import { leafTables } from './tables/leafs.ts';
import { machineTables } from './tables/machine.ts';
import { organizationTables } from './tables/organization.ts';
import { placementTables } from './tables/placement.ts';
import { providerTables } from './tables/providers.ts';
import { serviceTables } from './tables/deployable.ts';
import type { Table } from './tables/table.ts';

const definitions = {
  ...accountTables,
  ...placementTables,
  ...organizationTables,
  ...providerTables,
  ...serviceTables,
  ...childTables,
  ...leafTables,
  ...machineTables,
} satisfies Record<string, Table<string>>;

/** The name of a table of the world. */
export type TableName = keyof typeof definitions;

/** Every table of the world: its columns with their defaults, and what they refer to. */
export const tables: Readonly<Record<TableName, Table<string>>> = definitions;

/** The names of all tables. */
export const tableNames = Object.keys(definitions) as TableName[];

/** A complete row: what is given, and for every other column what the platform puts there. */
export function newRow(table: TableName, values: Row): Row {
  const row = structuredClone(tables[table].columns);
  for (const column of Object.keys(row)) {
    const value = values[column];
    if (value !== undefined) row[column] = value;
  }
  return row;
}
