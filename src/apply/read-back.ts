import type { Row } from '../kind/json.ts';
import { asRows, rowId } from '../observe/answers.ts';
import { isCreated } from '../observe/lost-create.ts';
import type { Reader } from '../observe/reader.ts';
import type { Action } from '../plan/action.ts';
import { recordNow } from './records.ts';
import type { Run } from './run.ts';

/** The object of a lane as it was read, with everything below it. */
export interface LaneRow {
  readonly root: Action;
  readonly row: Row;
  /** The rows of a kind below it, by id; throws when the answer has no such list. */
  readonly rowsOf: (action: Action) => ReadonlyMap<string, Row>;
}

/** Reads the object of a lane. A 404 proves that it is gone, and nothing else does. */
export async function readLane(reader: Reader, root: Action, id: string): Promise<LaneRow | 'gone'> {
  const row = await reader.row(root.kind, id);
  return row === undefined ? 'gone' : laneRow(root, row);
}

/** Makes a lane's row from one that was read earlier. */
export function laneRow(root: Action, row: Row): LaneRow {
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

/** The row of an action in its lane, by id. */
export function findById(lane: LaneRow, action: Action, id: string): Row | undefined {
  if (action.address === lane.root.address) return rowId(action.kind, lane.row) === id ? lane.row : undefined;
  return lane.rowsOf(action).get(id);
}

/** The row that a create without an id in its answer made: new, nobody else's, and what it was to be. */
export function findMade(run: Run, lane: LaneRow, action: Action, isTaken: (id: string) => boolean): Row | undefined {
  if (action.address === lane.root.address) return undefined;
  const candidates = newRows(run, lane.rowsOf(action), action, isTaken);
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The rows that nobody else has and that are what a create of this run said. */
export function newRows(
  run: Run,
  rows: ReadonlyMap<string, Row>,
  action: Action,
  isTaken: (id: string) => boolean,
): Row[] {
  const record = recordNow(run, action.address);
  if (record === undefined) return [];
  return [...rows].flatMap(([id, row]) =>
    !isTaken(id) && isCreated(action.kind, row, record, run.input.digest) ? [row] : [],
  );
}
