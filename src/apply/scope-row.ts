import type { Row } from '../kind/json.ts';
import { asRows, rowId } from '../observe/answers.ts';
import type { Action } from '../plan/action.ts';

/** The row of a scope, with everything below it. */
export interface ScopeRow {
  readonly root: Action;
  readonly row: Row;
  /** The rows of a kind below it, by id; throws a Stop when the answer has no such list. */
  readonly rowsOf: (action: Action) => ReadonlyMap<string, Row>;
}

/** Makes the row of a scope from one that was read earlier. */
export function scopeRow(root: Action, row: Row): ScopeRow {
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
export function findById(scope: ScopeRow, action: Action, id: string): Row | undefined {
  if (action.address === scope.root.address) return rowId(action.kind, scope.row) === id ? scope.row : undefined;
  return scope.rowsOf(action).get(id);
}
