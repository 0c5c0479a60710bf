import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { asRows, rowId } from './answers.ts';

/** An object at its address. */
interface Placed {
  readonly address: string;
  readonly kind: Kind;
}

/** The row of a scope, with everything below it. */
export interface ScopeRow {
  readonly root: Placed;
  readonly row: Row;
  /** The rows of a kind below it, by id; throws a Stop when the answer has no such list. */
  readonly rowsOf: (action: Placed) => ReadonlyMap<string, Row>;
}

/** Makes the row of a scope from one that was read earlier. */
export function scopeRow(root: Placed, row: Row): ScopeRow {
  const lists = new Map<string, ReadonlyMap<string, Row>>();
  return {
    root,
    row,
    rowsOf: ({ kind }) => {
      const link = kind.parents[root.kind.kind];
      if (link === undefined || !('at' in link.listed)) return new Map();
      const known = lists.get(kind.kind);
      if (known !== undefined) return known;
      const rows = asRows(row[link.listed.at], root.kind.operations.read, kind);
      const made = new Map(rows.map((item) => [rowId(kind, item) ?? '', item]));
      lists.set(kind.kind, made);
      return made;
    },
  };
}

/** The row of an action in its scope, by id. */
export function findById(scope: ScopeRow, action: Placed, id: string): Row | undefined {
  if (action.address === scope.root.address) return rowId(action.kind, scope.row) === id ? scope.row : undefined;
  return scope.rowsOf(action).get(id);
}
