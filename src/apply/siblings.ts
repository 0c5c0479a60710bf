import type { Row } from '../kind/json.ts';
import { root } from '../kind/kind.ts';
import { asRows, rowId } from '../observe/answers.ts';
import { fromContext } from '../observe/observed.ts';
import { readRow } from '../observe/read-row.ts';
import type { Action } from '../plan/action.ts';
import type { Run } from './run.ts';

/** Reads what stands beside an action's object, by id: the list of its parent, or the one at the top. */
export async function readSiblings(run: Run, { kind, parent }: Action): Promise<ReadonlyMap<string, Row>> {
  const { client, plan } = run.input;
  const above = parent === undefined ? undefined : run.actions.get(parent);
  const id = parent === undefined ? undefined : run.ids.get(parent);
  const link = kind.parents[above?.kind.kind ?? root];
  if (link === undefined) return new Map();
  if ('at' in link.listed) {
    const row = above === undefined || id === undefined ? undefined : await readRow(client, above.kind, id);
    return row === undefined ? new Map() : byId(row[link.listed.at], link.listed.at);
  }
  const { call, with: members = {} } = link.listed;
  const input = Object.fromEntries(
    Object.entries(members).map(([name, from]) => [
      name,
      'value' in from ? from.value : (fromContext(from, plan.observed) ?? id),
    ]),
  );
  return byId(await client.invoke(call, input), call);

  function byId(answer: unknown, where: string): ReadonlyMap<string, Row> {
    return new Map(asRows(answer, where, kind).map((row) => [rowId(kind, row) ?? '', row]));
  }
}
