import type { Row } from '../json-rows.ts';
import { tableNames, type TableName } from '../tables.ts';
import type { World } from '../world.ts';

/** Keeps for a while what requests changed from being read. */
export interface Unseen {
  /** Runs a request; what it changes until it waits for something shows only later. Milliseconds. */
  hide<T>(ms: number, request: () => Promise<T>): Promise<T>;
  /** The world as it can be read; undefined while nothing is hidden. */
  readable(): World | undefined;
}

/** A row as it was before a request changed it; undefined: it was not there. */
interface Earlier {
  readonly table: TableName;
  readonly id: string;
  readonly row: Row | undefined;
}

/** Makes what keeps changes of a world from being read; none is kept yet. */
export function createUnseen(world: World): Unseen {
  const hidden = new Set<readonly Earlier[]>();
  return {
    hide(ms, request) {
      const before = copyOf(world);
      const answer = request();
      // A request does its work before it waits for anything, so these changes are its own.
      const changes = changesBetween(before, world);
      hidden.add(changes);
      setTimeout(() => hidden.delete(changes), ms).unref();
      return answer;
    },
    readable() {
      if (hidden.size === 0) return undefined;
      const shown = copyOf(world);
      // The one that began last first, so that what was before all of them remains.
      for (const changes of [...hidden].toReversed()) {
        for (const { table, id, row } of changes) {
          if (row === undefined) delete shown.tables[table][id];
          else shown.tables[table][id] = row;
        }
      }
      return shown;
    },
  };
}

/** Rows are replaced when they change, so that only the tables need be copied. */
function copyOf(world: World): World {
  const copied = tableNames.map((table) => [table, { ...world.tables[table] }]);
  return { ...world, tables: Object.fromEntries(copied) as World['tables'] };
}

function changesBetween(before: World, after: World): Earlier[] {
  return tableNames.flatMap((table) => {
    const [old, now] = [before.tables[table], after.tables[table]];
    const ids = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...ids].flatMap((id) => (old[id] === now[id] ? [] : [{ table, id, row: old[id] }]));
  });
}
