import { textOf, type Row } from './json-rows.ts';
import { seedRows } from './seed.ts';
import { newRow, tableNames, tables, type TableName } from './tables.ts';

/** Everything the emulated platform knows: plain JSON, rows by table and id. */
export interface World {
  formatVersion: 1;
  tables: Record<TableName, Record<string, Row>>;
  /** Numbers that the platform's database counts up. */
  counters: { uniqueConfigKey: number };
  /** Every server can be reached, whatever its address and its key: for manifests that are made by chance. */
  everyServerAnswers?: true;
}

/** A platform with nothing in it. */
export function emptyWorld(): World {
  const empty = Object.fromEntries(tableNames.map((table) => [table, {}])) as World['tables'];
  return { formatVersion: 1, tables: empty, counters: { uniqueConfigKey: 0 } };
}

/** A platform as a person would have set it up: one organization, two of everything that cannot be made by the API. */
export function seedWorld({ createdAt = '2025-01-01T00:00:00.000Z' } = {}): World {
  const world = emptyWorld();
  for (const [table, values] of seedRows(createdAt)) addRow(world, table, values);
  return world;
}

/** Puts a row, completed with defaults, into a world that no emulator uses yet (an emulator would not list it). */
export function addRow(world: World, table: TableName, values: Row): Row {
  const row = newRow(table, values);
  world.tables[table][textOf(row, tables[table].key)] = row;
  return row;
}
