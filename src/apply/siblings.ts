import type { Row } from '../kind/json.ts';
import { rowId } from '../observe/answers.ts';
import type { Action } from '../plan/action.ts';
import type { Run } from './run.ts';

/** Reads what stands beside an action's object, by id: the list of its parent, or the one at the top. */
export async function readSiblings(run: Run, { kind, parent }: Action): Promise<ReadonlyMap<string, Row>> {
  const above = parent === undefined ? undefined : run.actions.get(parent);
  const id = parent === undefined ? undefined : run.ids.get(parent);
  if (above !== undefined && id === undefined) return new Map();
  const list = above === undefined || id === undefined ? undefined : { kind: above.kind, id };
  const rows = await run.reader.rows(kind, { place: run.input.plan.observed, parent: list });
  return new Map(rows.map((row) => [rowId(kind, row) ?? '', row]));
}
