import { DatabaseError } from './error-answers.ts';
import type { Json, Row } from './json-rows.ts';
import { newRow, tableNames, tables, type TableName } from './tables.ts';
import type { OnDelete } from './table.ts';
import type { World } from './world.ts';

/** The world with the order of a database: references checked, children found without looking through a table. */
export interface Store {
  readonly world: World;
  /** The row with an id; undefined where there is none. */
  find(table: TableName, id: Json | undefined): Row | undefined;
  /** The rows whose column holds a value, oldest change first. */
  children(table: TableName, column: string, value: Json | undefined): Row[];
  /** Adds a row; columns that are not given get their defaults. */
  insert(table: TableName, values: Row): Row;
  /** Writes the given columns and moves the row behind all others; undefined where there is no such row. */
  update(table: TableName, id: Json | undefined, values: Row): Row | undefined;
  /** Deletes a row and does to those that refer to it what their reference says. */
  remove(table: TableName, id: Json | undefined): Row | undefined;
  /** Adds a value to a list in a row, in place: a copy would cost more with each service. */
  append(table: TableName, id: string, column: string, value: Json): void;
}

interface Holder {
  readonly table: TableName;
  readonly column: string;
  readonly onDelete: OnDelete;
}

/** Puts a store over a world. */
export function createStore(world: World, onChange: () => void): Store {
  // A world that an earlier version saved has fewer tables.
  for (const table of tableNames) world.tables[table] ??= {};
  const index = indexWorld(world);

  function find(table: TableName, id: Json | undefined): Row | undefined {
    const rows = world.tables[table];
    return typeof id === 'string' && Object.hasOwn(rows, id) ? rows[id] : undefined;
  }

  function place(table: TableName, id: string, row: Row): void {
    world.tables[table][id] = row;
    for (const column of indexedColumns[table]) index.add(table, column, row[column], id);
    onChange();
  }

  function displace(table: TableName, id: string, row: Row): void {
    delete world.tables[table][id];
    for (const column of indexedColumns[table]) index.drop(table, column, row[column], id);
    onChange();
  }

  function check(table: TableName, query: string, values: Row): void {
    for (const [column, reference] of Object.entries(tables[table].references)) {
      const id = values[column];
      if (id !== undefined && id !== null && find(reference.table as TableName, id) === undefined)
        throw new DatabaseError(query, `"${column}" refers to nothing`);
    }
    for (const column of tables[table].integers) {
      const number = values[column];
      if (typeof number === 'number' && (number | 0) !== number)
        throw new DatabaseError(query, `"${column}" is not a whole number of 32 bits`);
    }
  }

  const store: Store = {
    world,
    find,
    children(table, column, value) {
      if (typeof value !== 'string') return [];
      return index
        .ids(table, column, value)
        .map((id) => find(table, id))
        .filter((row) => row !== undefined);
    },
    insert(table, values) {
      const row = newRow(table, values);
      const query = `insert into "${table}"`;
      const id = row[tables[table].key];
      if (typeof id !== 'string' || id === '') throw new Error(`a new row of ${table} needs an id`);
      if (find(table, id) !== undefined) throw new DatabaseError(query, 'the id is taken');
      check(table, query, row);
      place(table, id, row);
      return row;
    },
    update(table, id, values) {
      const before = find(table, id);
      if (before === undefined || typeof id !== 'string') return undefined;
      const changes = Object.fromEntries(
        Object.entries(values).filter(([column]) => column in before && column !== tables[table].key),
      );
      check(table, `update "${table}"`, changes);
      displace(table, id, before);
      const row = { ...before, ...changes };
      place(table, id, row);
      return row;
    },
    remove(table, id) {
      const row = find(table, id);
      if (row === undefined || typeof id !== 'string') return undefined;
      for (const holder of holdersOf[table]) {
        for (const held of index.ids(holder.table, holder.column, id)) release(store, holder, held, table);
      }
      displace(table, id, row);
      return row;
    },
    append(table, id, column, value) {
      const list = find(table, id)?.[column];
      if (!Array.isArray(list)) throw new Error(`"${column}" of ${table} is not a list`);
      list.push(value);
      onChange();
    },
  };
  return store;
}

function release(store: Store, holder: Holder, id: string, target: TableName): void {
  switch (holder.onDelete) {
    case 'cascade':
      store.remove(holder.table, id);
      return;
    case 'set null':
      store.update(holder.table, id, { [holder.column]: null });
      return;
    case 'refuse':
      throw new DatabaseError(`delete from "${target}"`, `"${holder.table}" still refers to it`);
    default:
      holder.onDelete satisfies never;
  }
}

const indexedColumns = Object.fromEntries(
  tableNames.map((table) => [table, [...Object.keys(tables[table].references), ...tables[table].indexed]]),
) as Record<TableName, string[]>;

const holdersOf = Object.fromEntries(
  tableNames.map((target) => [
    target,
    tableNames
      .flatMap((table) =>
        Object.entries(tables[table].references)
          .filter(([, reference]) => reference.table === target)
          .map(([column, reference]): Holder => ({ table, column, onDelete: reference.onDelete })),
      )
      // A refusal comes before anything is deleted.
      .toSorted((a, b) => Number(b.onDelete === 'refuse') - Number(a.onDelete === 'refuse')),
  ]),
) as Record<TableName, Holder[]>;

/** Ids by the value of a column; a set remembers the order in which ids came. */
function indexWorld(world: World) {
  const sets = new Map<string, Set<string>>();
  const keyOf = (table: TableName, column: string, value: string) => `${table} ${column} ${value}`;
  const index = {
    ids: (table: TableName, column: string, value: string) => [...(sets.get(keyOf(table, column, value)) ?? [])],
    add(table: TableName, column: string, value: Json | undefined, id: string) {
      if (typeof value !== 'string') return;
      const key = keyOf(table, column, value);
      const ids = sets.get(key);
      if (ids === undefined) sets.set(key, new Set([id]));
      else ids.add(id);
    },
    drop(table: TableName, column: string, value: Json | undefined, id: string) {
      if (typeof value !== 'string') return;
      const key = keyOf(table, column, value);
      const ids = sets.get(key);
      ids?.delete(id);
      if (ids?.size === 0) sets.delete(key);
    },
  };
  for (const table of tableNames) {
    for (const [id, row] of Object.entries(world.tables[table])) {
      for (const column of indexedColumns[table]) index.add(table, column, row[column], id);
    }
  }
  return index;
}
