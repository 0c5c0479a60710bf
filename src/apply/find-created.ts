import { attempts } from '../api/attempts.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Row } from '../kind/json.ts';
import { root } from '../kind/kind.ts';
import { fieldPath } from '../kind/wire.ts';
import { rowId } from '../observe/answers.ts';
import { differencesFromCreate, isCreated } from '../observe/lost-create.ts';
import type { NaturalKey } from '../observe/match.ts';
import { indexRows, naturalKey } from '../observe/match.ts';
import type { Action } from '../plan/action.ts';
import { pendingCreate } from '../state/pending.ts';
import { ambiguous, recordNow, idOf, scopeOf } from './run.ts';
import { poll } from './attempt.ts';
import type { Run } from './run.ts';
import { createdAmong, createdTwice, findCreated, readOwn, readSiblings } from './scope.ts';

/** One look: the object of the create, if it is there, and the objects with its key that are something else. */
interface Seen {
  readonly created: Row | undefined;
  readonly others: readonly Row[];
}

/**
 * Finds the object of a create whose answer was lost, until its request can land no more (monotonic ms): the object with
 * the id that Trueup chose, or the one that is new, that no other action has, that bears the key and is what the create
 * said.
 *
 * @throws {Stop} when two are that: neither is taken, and neither is deleted. And when only objects with that key are
 * there that are something else: beside them no second one is created.
 */
export async function findLost(
  run: Run,
  action: Action,
  { until, chosen }: { readonly until: number; readonly chosen: string | undefined },
): Promise<Row | undefined> {
  const { signal } = run.input;
  const look = async (): Promise<Seen> =>
    chosen === undefined ? lookAround(run, action) : { created: await run.reader.row(action.kind, chosen), others: [] };
  const { created, others } = await poll(run, look, {
    isSeen: (seen) => seen.created !== undefined,
    until,
    pauses: attempts.effect.rarePauses,
  });
  if (created === undefined && signal?.aborted === true) throw interrupted(action);
  if (created === undefined && others.length > 0) throw foreign(run, action, others);
  return created;
}

/**
 * Finds the object of a create that was answered without its id: in the list at the top, or in the row of its scope when
 * other actions wait for it.
 *
 * @throws {Stop} when two new rows are what the create said.
 */
export async function findAnswered(
  run: Run,
  action: Action,
  { listed, isNeeded }: { readonly listed: ReadonlyMap<string, Row> | undefined; readonly isNeeded: boolean },
): Promise<Row | undefined> {
  const isTaken = (id: string) => run.creations.taken.has(id) || listed?.has(id) === true;
  const isSeen = (row: Row | undefined) => row !== undefined;
  if (listed !== undefined) return poll(run, () => lookInList(run, action, isTaken), { isSeen });
  const id = idOf(run, action.scope);
  if (id === undefined || !isNeeded) return undefined;
  const look = async () => findCreated(run, await readOwn(run, scopeOf(run, action.scope).root, id), action, isTaken);
  return poll(run, look, { isSeen });
}

/** The natural key of the object that an action creates; undefined when it cannot be found by one. */
export function keyOf(run: Run, action: Action): NaturalKey | undefined {
  const link = linkOf(run, action);
  if (link === undefined) return undefined;
  const fields = Object.fromEntries(
    action.attributes.flatMap(({ attribute, wanted }) =>
      wanted === undefined || attribute.key !== undefined ? [] : [[attribute.field, wanted] as const],
    ),
  );
  return naturalKey({ kind: action.kind, link, fields }, run.outputs);
}

async function lookInList(run: Run, action: Action, isTaken: (id: string) => boolean): Promise<Row | undefined> {
  const { kind } = action.kind;
  const rows = await readSiblings(run, action);
  const { turn = Promise.resolve() } = run.creations.lists.get(kind) ?? {};
  run.creations.lists.set(kind, { turn, rows });
  return createdAmong(run, rows, action, isTaken);
}

async function lookAround(run: Run, action: Action): Promise<Seen> {
  const { kind, address } = action;
  const { taken } = run.creations;
  const key = keyOf(run, action);
  const record = recordNow(run, address);
  if (key === undefined || record === undefined) return { created: undefined, others: [] };
  const siblings = await readSiblings(run, action);
  const fresh = [...siblings].filter(([id]) => !taken.has(id));
  const ids = indexRows(fresh).find({ kind }, key);
  const rows = await Promise.all(ids.map((id) => wholeRow(run, action, id, siblings.get(id))));
  const found = rows.filter((row) => row !== undefined);
  const created = found.filter((row) => isCreated(kind, row, record, run.input.digest));
  if (created.length > 1) throw createdTwice(action, ids);
  const [one] = created;
  const id = one === undefined ? undefined : rowId(kind, one);
  // Two that are looked for at the same time cannot both be the same object.
  if (id === undefined) return { created: undefined, others: found };
  if (taken.has(id)) return { created: undefined, others: [] };
  taken.add(id);
  return { created: one, others: [] };
}

/** The whole row of an object that a list shows. */
export async function wholeRow(
  run: Run,
  action: Action,
  id: string,
  listed: Row | undefined,
): Promise<Row | undefined> {
  if (linkOf(run, action)?.rows === 'whole') return listed;
  return run.reader.row(action.kind, id);
}

/** How the object of an action hangs on its parent. */
export function linkOf(run: Run, { kind, parent }: Action): ParentLink | undefined {
  return kind.parents[parent === undefined ? root : (run.jobs.get(parent)?.action.kind.kind ?? root)];
}

/** Ends the search when the run is interrupted: the next one goes on with it. */
function interrupted({ address, position }: Action): Stop {
  const message = `the run was interrupted while it looked for ${address}, whose create got no answer`;
  const remedy = 'Apply again: that looks for it first.';
  return new Stop('platform', [diagnostic('unverified', message, { address, position, remedy })]);
}

/** Ends the search when another object was created under the key meanwhile, and ours did not appear. */
function foreign(run: Run, action: Action, others: readonly Row[]): Stop {
  const { kind, address } = action;
  const pending = pendingCreate(recordNow(run, address));
  const each = others.map((row) => {
    const names = pending === undefined ? [] : differencesFromCreate(kind, row, pending, run.input.digest);
    const paths = names.map((name) => fieldPath(kind, name));
    return `${rowId(kind, row)} bears its key and is something else (${paths.join(', ')})`;
  });
  const message = `the create of ${address} got no answer, and ${each.join(', and ')}: it is not taken`;
  return ambiguous(action, message);
}
