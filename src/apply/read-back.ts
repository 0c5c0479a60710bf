import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import { idMember, observedValue } from '../kind/wire.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { asRow, asRows, rowId } from '../observe/answers.ts';
import type { Action } from '../plan/action.ts';
import { resolveField } from '../plan/diff.ts';

/** The object of a lane as it was read, with everything below it. */
export interface LaneRow {
  readonly root: Action;
  readonly row: Row;
  /** The rows of a kind below it, by id; throws when the answer has no such list. */
  readonly rowsOf: (action: Action) => ReadonlyMap<string, Row>;
}

/** Reads the object of a lane. A 404 proves that it is gone, and nothing else does. */
export async function readLane(client: Client, root: Action, id: string): Promise<LaneRow | 'gone'> {
  const { read } = root.kind.calls;
  try {
    return laneRow(root, asRow(await client.invoke(read, { [idMember(root.kind, read)]: id }), read));
  } catch (error) {
    if (error instanceof PlatformError && error.failure === 'not found') return 'gone';
    throw error;
  }
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
      const rows = asRows(row[link.listed.at], root.kind.calls.read, kind);
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
export function findMade(
  lane: LaneRow,
  action: Action,
  isTaken: (id: string) => boolean,
  outputs: Outputs,
): Row | undefined {
  if (action.address === lane.root.address) return undefined;
  const candidates = newRows(lane.rowsOf(action), action, isTaken, outputs);
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The rows that nobody else has and that are what a create said. */
export function newRows(
  rows: ReadonlyMap<string, Row>,
  action: Action,
  isTaken: (id: string) => boolean,
  outputs: Outputs,
): Row[] {
  return [...rows].flatMap(([id, row]) => (!isTaken(id) && isWhatWasMeant(action, row, outputs) ? [row] : []));
}

/** Whether a row holds everything that the create said. */
export function isWhatWasMeant(action: Action, row: Row, outputs: Outputs): boolean {
  return othersThanMeant(action, row, outputs).length === 0;
}

/** The fields in which a row is something else than the create said. */
export function othersThanMeant(action: Action, row: Row, outputs: Outputs): string[] {
  const create = action.steps.find((step) => step.role === 'create');
  return Object.entries(create?.members ?? {}).flatMap(([name, from]) => {
    const field = action.kind.fields[name];
    if (field === undefined || (from.is !== 'value' && from.is !== 'wanted')) return [];
    const value =
      from.is === 'value'
        ? ({ is: 'known', value: from.value.reveal() } as const)
        : resolveField(field, from.wanted, outputs);
    const isOther =
      value.is === 'known' && !means(field.codec ?? plain, value.value, observedValue(action.kind, name, row) ?? null);
    return isOther ? [name] : [];
  });
}
