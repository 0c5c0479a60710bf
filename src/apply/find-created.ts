import { attempts } from '../api/attempts.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import type { ParentLink } from '../kind/parent.ts';
import { type Json, type Row, same } from '../formats/json.ts';
import { root } from '../kind/kind.ts';
import { appendedBelow, fieldPath, normalInKey, observedValue, valueAt, withoutAppended } from '../kind/row-values.ts';
import { rowId } from '../observe/checked-answers.ts';
import { differencesFromCreate, isCreated } from '../observe/lost-create.ts';
import { fromContext } from '../observe/observed.ts';
import { type NaturalKey, indexRows, naturalKey } from '../observe/match.ts';
import type { Wanted } from '../manifest/wanted.ts';
import { type Action, createsFirst, isReplacement } from '../plan/action.ts';
import { pendingCreate } from '../state/pending-operation.ts';
import { ambiguous } from './report-failure.ts';
import { type Run, digestsAt, recordNow } from './apply-run.ts';
import type { Job } from './job.ts';
import { poll } from './attempt.ts';
import { listOf, readSiblings } from './rows.ts';

/** The result of one look: the created object, if it is there, and the objects with its key that another create made. */
interface Seen {
  readonly created: Row | undefined;
  readonly others: readonly Row[];
}

/**
 * Finds the object of a create that got no answer; polls until the request can land no more (monotonic ms). The object
 * has the id that Trueup chose, or it is the one unclaimed row with the key and the fields of the create.
 *
 * @throws {Stop} when two rows match: Trueup takes neither and deletes neither. Also when only objects of others have the
 * key: Trueup creates no second object beside them.
 */
export async function findLost(
  run: Run,
  job: Job,
  { until, chosen }: { readonly until: number; readonly chosen: string | undefined },
): Promise<Row | undefined> {
  const look = () => (chosen === undefined ? lookByKey(run, job) : lookById(run, job, chosen));
  const { created, others } = await poll(run, look, {
    isSeen: (seen) => seen.created !== undefined,
    until,
    pauses: attempts.effect.rarePauses,
  });
  if (created === undefined && run.input.signal?.aborted === true) throw interrupted(job.action);
  if (created === undefined && others.length > 0) throw foreign(run, job, others);
  return created;
}

/**
 * Claims the object in the answer to a create. False: it is another object, by its id, its parent or its natural key, as far
 * as its row shows them. A proxy can give the answer to another request.
 */
export function isAskedFor(run: Run, job: Job, { id, row }: { readonly id: string; readonly row: Row }): boolean {
  const { action, parent } = job;
  const { kind } = action;
  const link = linkOf(job);
  if (link === undefined || takenIn(run, job)(id)) return false;
  const parentId = parent?.object?.id ?? fromContext(link.set[link.idAt], run.input.plan.observed);
  const shownParentId = valueAt(row, link.idAt) ?? '';
  const above = parent === undefined ? undefined : { kind: parent.action.kind, row: parent.object?.row ?? {} };
  const valueOf = (name: string, value: Json) =>
    normalInKey(kind, name, withoutAppended(value, above === undefined ? '' : appendedBelow(kind, name, above)));
  const isSame = ([name, asked]: readonly [string, Json]) => {
    const shown = observedValue(kind, name, row) ?? asked;
    return same(valueOf(name, shown), valueOf(name, asked));
  };
  if (parentId !== undefined && shownParentId !== '' && shownParentId !== parentId) return false;
  if (!Object.entries(keyOf(run, job) ?? {}).every(isSame)) return false;
  run.creations.taken.add(id);
  return true;
}

/**
 * Finds the object of a create whose answer holds no usable id: in the list at the top, and a service in that of its environment;
 * below a service only when other actions need it now, because the read-back finds it there.
 *
 * @throws {Stop} when several new rows match.
 */
export async function findAnswered(run: Run, job: Job): Promise<Row | undefined> {
  const { action } = job;
  const isListed = isFoundInList(action);
  const { root: service } = job.scope;
  // Until something happens outside Trueup, no list shows it.
  if (action.kind.identity.listedOnce !== undefined) return undefined;
  if (service !== job && (service.object === undefined || !job.isNeeded)) return undefined;
  const look = async () => {
    const rows = await readSiblings(run, job);
    if (isListed) run.creations.listed.set(listOf(action), rows);
    return createdAmong(run, await inFull(run, job, rows), job);
  };
  return poll(run, look, { isSeen: (row) => row !== undefined });
}

/** Whether Trueup learns the id of a new object from a list that no service shows, before and after the create. */
export function isFoundInList({ kind, parent, scope, address }: Action): boolean {
  return kind.identity.idFrom === 'list' && (parent === undefined || scope === address);
}

/** The rows of a list that can be a new object, with all their members. */
async function inFull(run: Run, job: Job, rows: ReadonlyMap<string, Row>): Promise<ReadonlyMap<string, Row>> {
  if (linkOf(job)?.rows !== 'summary') return rows;
  const found = await unclaimedWithKey(run, job, rows);
  return new Map(found.flatMap((row) => [[rowId(job.action.kind, row) ?? '', row] as const]));
}

/**
 * The unclaimed row, of those beside an action's object, that its answered create made.
 *
 * @throws {Stop} when it can have made several.
 */
export function createdAmong(
  run: Run,
  rows: ReadonlyMap<string, Row>,
  job: Job,
  isTaken = takenIn(run, job),
): Row | undefined {
  const { action } = job;
  const record = recordNow(run, job);
  if (record === undefined) return undefined;
  const created = [...rows].filter(
    ([id, row]) => !isTaken(id) && isCreated(action.kind, row, record, digestsAt(run, action), 'answered'),
  );
  return onlyOne(
    action,
    created.map(([, row]) => row),
  );
}

/** Whether another object has an id. What is deleted first has none any more: the new object of a single block may get it. */
function takenIn({ creations: { taken } }: Run, { action }: Job): (id: string) => boolean {
  const freed = isReplacement(action) && !createsFirst(action) ? action.id : undefined;
  return (id) => taken.has(id) && id !== freed;
}

function onlyOne(action: Action, rows: readonly Row[]): Row | undefined {
  if (rows.length <= 1) return rows[0];
  const ids = rows.map((row) => rowId(action.kind, row)).join(', ');
  throw ambiguous(action, `the same was created twice at the same time: one of ${ids} is ${action.address}`);
}

/** The unclaimed rows with the key of a new object, of those beside it; reads those that the list holds in part. */
export async function unclaimedWithKey(run: Run, job: Job, rows: ReadonlyMap<string, Row>): Promise<Row[]> {
  const isTaken = takenIn(run, job);
  const unclaimed = [...rows].filter(([id]) => !isTaken(id));
  const key = unclaimed.length === 0 ? undefined : keyOf(run, job);
  if (key === undefined) return [];
  const ids = indexRows(job.action.kind, unclaimed)(key);
  const found =
    linkOf(job)?.rows === 'whole'
      ? ids.map((id) => rows.get(id))
      : await Promise.all(ids.map((id) => run.reader.row(job.action.kind, id)));
  return found.filter((row) => row !== undefined);
}

/** The natural key of the object that an action creates; undefined when it cannot be found by one. */
export function keyOf(run: Run, job: Job): NaturalKey | undefined {
  const link = linkOf(job);
  if (link === undefined) return undefined;
  const { action } = job;
  const fields: Record<string, Wanted> = {};
  for (const { attribute, wanted } of action.attributes)
    if (wanted !== undefined && attribute.key === undefined) fields[attribute.field] = wanted;
  return naturalKey({ kind: action.kind, link, fields }, run.outputs);
}

async function lookById(run: Run, { action: { kind } }: Job, id: string): Promise<Seen> {
  return { created: await run.reader.row(kind, id), others: [] };
}

async function lookByKey(run: Run, job: Job): Promise<Seen> {
  const { action } = job;
  const { kind } = action;
  const { taken } = run.creations;
  const record = recordNow(run, job);
  if (record === undefined) return { created: undefined, others: [] };
  const rows = await unclaimedWithKey(run, job, await readSiblings(run, job));
  const one = onlyOne(
    action,
    rows.filter((row) => isCreated(kind, row, record, digestsAt(run, action))),
  );
  const id = one === undefined ? undefined : rowId(kind, one);
  if (id === undefined) return { created: undefined, others: rows };
  // Another look can have claimed the row meanwhile.
  if (takenIn(run, job)(id)) return { created: undefined, others: [] };
  taken.add(id);
  return { created: one, others: [] };
}

/** The link between a job's object and its parent. */
export function linkOf({ action, parent }: Job): ParentLink | undefined {
  return action.kind.parents[parent?.action.kind.kind ?? root];
}

function interrupted({ address, position }: Action): Stop {
  const message = `the run was interrupted while it looked for ${address}, whose create got no answer`;
  const remedy = 'Apply again: that looks for it first.';
  return stop('platform', 'unverified', message, { address, position, remedy });
}

/** The error that ends the search when only objects of others have the key. */
function foreign(run: Run, job: Job, others: readonly Row[]): Stop {
  const { action } = job;
  const { kind, address } = action;
  const pending = pendingCreate(recordNow(run, job));
  const each = others.map((row) => {
    const names = pending === undefined ? [] : differencesFromCreate(kind, row, pending, digestsAt(run, action));
    const paths = names.map((name) => fieldPath(kind, name));
    return `${rowId(kind, row)} has its key and is something else (${paths.join(', ')})`;
  });
  const message = `the create of ${address} got no answer, and ${each.join(', and ')}: it is not taken`;
  return ambiguous(action, message);
}
