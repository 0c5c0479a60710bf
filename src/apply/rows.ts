import { attempts } from '../api/attempts.ts';
import type { Client } from '../api/client.ts';
import { unlessItFails } from '../api/platform-error.ts';
import { keptIn, onceFor } from '../api/once.ts';
import { remembering } from '../api/remembering.ts';
import type { Row } from '../formats/json.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import { rowId, rowsIn } from '../observe/checked-answers.ts';
import { type Reader, createReader } from '../observe/reader.ts';
import { type Action, createsObject, isDeletion } from '../plan/action.ts';
import { poll } from './attempt.ts';
import type { Job, Scope } from './job.ts';
import type { Run } from './apply-run.ts';

/** Whether the platform may answer many reads in one request. */
export function readsInBulk({ input: { client } }: Pick<Run, 'input'>): boolean {
  const status = client.bulkStatus();
  return status !== undefined && status.is !== 'off';
}

/** Reads rows that change: together with others where batches are proven, because a change during their trial proves nothing. */
export function readerOfMany({ input: { client }, reader, together }: Run): Reader {
  return client.bulkStatus()?.is === 'on' ? together : reader;
}

/** Reads lists that are judged together: each once, and all in one request where batches are proven. */
export function readerOfLists({ input: { client } }: Run): Reader {
  return createReader(remembering(client), client.bulkStatus()?.is === 'on' ? 'in bulk' : undefined);
}

/**
 * Reads the scopes that are written next in the request that reads a scope, where the platform takes that. Before its
 * write, a row that is too old by then is read again. Resolves when the scope is read: a write that took its connection
 * before that could keep the last one from the read that it waits for. Undefined: nothing is read.
 */
export function readAhead(run: Run, scope: Scope, next: () => readonly Scope[]): Promise<unknown> | undefined {
  if (run.input.client.bulkStatus() === undefined || !scope.mayReadAhead) return undefined;
  const isDue = (one: Scope) => one.mayReadAhead && !isFresh(run, one);
  if (readsInBulk(run) && isDue(scope)) {
    for (const due of [scope, ...next().filter(isDue)]) scopeNow(run, due).catch(() => undefined);
  }
  // Another node may have begun it.
  return scope.reading?.row.catch(() => undefined);
}

/**
 * The row of a scope as it was a few seconds ago at most, or read again: once for all requests that follow one another
 * quickly. Undefined: a 404 proves that it is gone, and nothing else does.
 */
export function scopeNow(
  run: Run,
  scope: Scope,
  { refetch = false, client }: { readonly refetch?: boolean; readonly client?: Client } = {},
): Promise<Row | undefined> {
  const { root } = scope;
  if (scope.reading !== undefined && !refetch && isFresh(run, scope)) return scope.reading.row;
  const since = run.clock.monotonic();
  const id = root.object?.id;
  const row = id === undefined ? Promise.resolve(undefined) : readOwn(run, root, id, client);
  scope.reading = { id, since, row };
  row.catch(() => {
    if (scope.reading?.row === row) scope.reading = undefined; // it may be read the next time
  });
  return row;
}

/** Whether a scope was read a few seconds ago at most. */
function isFresh(run: Run, { root, reading }: Scope): boolean {
  const age = run.clock.monotonic() - (reading?.since ?? -Infinity);
  return reading?.id === root.object?.id && age <= attempts.reading.freshMs;
}

/** Reads the object of a scope. What this run created may show a little later. */
export function readOwn(run: Run, { action }: Job, id: string, client?: Client): Promise<Row | undefined> {
  const reader = client === undefined ? run.together : createReader(client);
  return poll(run, () => reader.row(action.kind, id), {
    isSeen: (row) => row !== undefined || !createsObject(action),
  });
}

/** The row of a job's object in the row of its scope; undefined when it is not there. */
export function rowIn(job: Job, scope: Row | undefined): Row | undefined {
  return job.object === undefined ? undefined : rowWithId(job, scope, job.object.id);
}

/** The row with an id, of the kind of a job's object, in the row of its scope. */
export function rowWithId({ action, scope: { root } }: Job, row: Row | undefined, id: string): Row | undefined {
  if (action.address !== root.action.address) return rowsBelow(root, row, action.kind).get(id);
  return row !== undefined && rowId(action.kind, row) === id ? row : undefined;
}

/** The lists in the rows of scopes, by kind: read once for all jobs. */
const listsIn = onceFor((_scope: Row) => new Map<string, ReadonlyMap<string, Row>>());

/** The rows of a kind in the row of a scope, by id. @throws {Stop} when the answer has no such list. */
export function rowsBelow({ action }: Job, row: Row | undefined, kind: Kind): ReadonlyMap<string, Row> {
  if (row === undefined) return new Map();
  return keptIn(listsIn(row), kind.kind, () => rowsIn(kind, action.kind, row) ?? new Map<string, Row>());
}

/** Whether an object is below the parent that the manifest gives it. */
export function isAtHome({ action, parent }: Job, row: Row): boolean {
  const link = parent === undefined ? undefined : action.kind.parents[parent.action.kind.kind];
  return parent === undefined || link === undefined || row[link.idAt] === parent.object?.id;
}

/** Names the list that shows an action's object. */
export function listOf({ kind, parent }: Action): string {
  return parent === undefined ? kind.kind : `${kind.kind} of ${parent}`;
}

/** Reads the rows beside an action's object, by id: the list of its parent, or the one at the top. */
export async function readSiblings(run: Run, job: Job): Promise<ReadonlyMap<string, Row>> {
  if (job.parent !== undefined && job.parent.object === undefined) return new Map();
  return (await readList(run, run.reader, job)) ?? new Map<string, Row>();
}

/** The list that shows the object of a job: that of its parent, or the one at the top; undefined when the parent is gone. */
function readList(run: Run, reader: Reader, { action, parent }: Job): ReturnType<Reader['rows']> {
  const above = parent?.object === undefined ? undefined : { kind: parent.action.kind, id: parent.object.id };
  return reader.rows(action.kind, { place: run.input.plan.observed, parent: above });
}

/**
 * The scopes, of those given, that lists prove to be gone: a list showed the object when the run was planned, the platform
 * answered its deletion, and the list lacks it now. The answer may also be 404: that and the list are two proofs. An object
 * that the list still shows is read by its id, whatever the answer was.
 *
 * The list of a parent is not read when that parent is gone too: what was below it, and had its own deletion answered, is in
 * no list any more. Costs one read per parent that is left, and none for a list with only one deleted object: the read of that
 * object proves as much.
 */
export async function unlisted(run: Run, scopes: readonly Scope[]): Promise<ReadonlySet<Scope>> {
  const reader = readerOfLists(run);
  const gone = new Set<Scope>();
  for (let left = scopes.filter(({ root }) => isDeleted(run, root)); left.length > 0;) {
    const roots = new Set<Job | undefined>(left.map(({ root }) => root));
    const below = left.filter(({ root }) => roots.has(root.parent));
    const highest = left.filter(({ root }) => !roots.has(root.parent));
    const parents = new Set(below.map(({ root }) => root.parent));
    const goesAlong = ({ root: { parent } }: Scope) => parent !== undefined && gone.has(parent.scope);
    const listed = highest.filter((scope) => !goesAlong(scope));
    const lists = [...groupBy(listed.map((scope) => [listOf(scope.root.action), scope] as const)).values()];
    const worth = lists.filter((some) => some.length > 1 || some.some(({ root }) => parents.has(root)));
    const found = await Promise.all(worth.map((some) => missing(run, reader, some)));
    for (const scope of [...highest.filter(goesAlong), ...found.flat()]) gone.add(scope);
    left = below;
  }
  return gone;
}

/** Whether the platform answered the deletion of an object that the list of its parent showed before. */
function isDeleted(run: Run, { action, planned, phase, parent }: Job): boolean {
  const isAnswered = isDeletion(action) && phase.is === 'answered';
  if (!isAnswered || planned === undefined || !run.input.plan.observed.listed.has(planned.id)) return false;
  return action.parent === undefined || planned.parentId === parent?.object?.id;
}

/** The scopes of one list whose objects it does not show; none when it cannot be read: each object is read by its id then. */
async function missing(run: Run, reader: Reader, scopes: readonly Scope[]): Promise<readonly Scope[]> {
  const [{ root } = {}] = scopes;
  if (root === undefined) return [];
  const gone = await unlessItFails(async () => {
    const rows = await readList(run, reader, root);
    // Without its parent there is no list. What is below a parent that this run deleted went with it.
    if (rows === undefined && (root.parent === undefined || !isDeleted(run, root.parent))) return [];
    return scopes.filter((scope) => rows?.has(scope.root.object?.id ?? '') !== true);
  });
  return gone ?? [];
}
