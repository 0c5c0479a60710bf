import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { rowId, rowsIn } from './answers.ts';

/** An object at its address. */
interface Placed {
  readonly address: string;
  readonly kind: Kind;
}

/** The row of a scope, with everything below it. */
export interface ScopeRow {
  readonly root: Placed;
  /** undefined when it is gone. */
  readonly row: Row | undefined;
  /** The rows of a kind below it, by id; throws a Stop when the answer has no such list. */
  readonly rowsOf: (action: Placed) => ReadonlyMap<string, Row>;
}

/** Makes the row of a scope from one that was read earlier. */
export function scopeRow(root: Placed, row: Row | undefined): ScopeRow {
  const lists = new Map<string, ReadonlyMap<string, Row>>();
  return {
    root,
    row,
    rowsOf: ({ kind }) => {
      const known = lists.get(kind.kind) ?? (row === undefined ? undefined : rowsIn(kind, root.kind, row));
      const rows = known ?? new Map<string, Row>();
      lists.set(kind.kind, rows);
      return rows;
    },
  };
}

/** The row of an action in its scope, by id. */
export function findById(scope: ScopeRow, action: Placed, id: string): Row | undefined {
  const { root, row } = scope;
  if (action.address === root.address) return row !== undefined && rowId(action.kind, row) === id ? row : undefined;
  return scope.rowsOf(action).get(id);
}
