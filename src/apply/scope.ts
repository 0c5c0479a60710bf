import { attempts } from '../api/attempts.ts';
import type { Client } from '../api/client.ts';
import type { Row } from '../formats/json.ts';
import { type Reader, createReader } from '../observe/reader.ts';
import { createsObject } from '../plan/action.ts';
import { poll } from './attempt.ts';
import type { Job, Scope } from './job.ts';
import type { Run } from './run.ts';
import { type ScopeRow, findById, scopeRow } from '../observe/scope-row.ts';

/** Reads a scope. A 404 proves that it is gone, and nothing else does. */
export async function readScope(reader: Reader, { action }: Job, id: string): Promise<ScopeRow> {
  return scopeRow(action, await reader.row(action.kind, id));
}

/** The row of an action's object in its scope; undefined when it is not there. */
export function rowIn({ action, object }: Job, scope: ScopeRow): Row | undefined {
  return object === undefined ? undefined : findById(scope, action, object.id);
}

/** A scope as it was a few seconds ago at most: read once for all requests that follow one another quickly. */
export function scopeNow(
  run: Run,
  scope: Scope,
  { isAnew = false, client }: { readonly isAnew?: boolean; readonly client?: Client } = {},
): Promise<ScopeRow> {
  const { root } = scope;
  if (scope.reading !== undefined && !isAnew && isFresh(run, scope)) return scope.reading.row;
  const now = run.clock.monotonic();
  const id = root.object?.id;
  const row = id === undefined ? Promise.resolve(scopeRow(root.action, undefined)) : readOwn(run, root, id, client);
  scope.reading = { id, since: now, row };
  row.catch(() => delete scope.reading); // it may be read the next time
  return row;
}

/** Whether a scope was read a few seconds ago at most. */
export function isFresh(run: Run, { root, reading }: Scope): boolean {
  const age = run.clock.monotonic() - (reading?.since ?? -Infinity);
  return reading?.id === root.object?.id && age <= attempts.reading.freshMs;
}

/** Reads the object of a scope. What this run created may show a little later. */
export function readOwn(run: Run, root: Job, id: string, client?: Client): Promise<ScopeRow> {
  const reader = client === undefined ? run.together : createReader(client);
  return poll(run, () => readScope(reader, root, id), {
    isSeen: ({ row }) => row !== undefined || !createsObject(root.action),
  });
}

/** Reads the rows beside an action's object, by id: the list of its parent, or the one at the top. */
export async function readSiblings(run: Run, job: Job): Promise<ReadonlyMap<string, Row>> {
  if (job.parent !== undefined && job.parent.object === undefined) return new Map();
  return (await readList(run, run.reader, job)) ?? new Map<string, Row>();
}

/** The list that shows the object of a job: that of its parent, or the one at the top; undefined when the parent is gone. */
export function readList(run: Run, reader: Reader, { action, parent }: Job): ReturnType<Reader['rows']> {
  const above = parent?.object === undefined ? undefined : { kind: parent.action.kind, id: parent.object.id };
  return reader.rows(action.kind, { place: run.input.plan.observed, parent: above });
}

/** A client that sends each read once, and gives every caller its answer. */
export function readingOnce(client: Client): Client {
  const answers = new Map<string, Promise<unknown>>();
  return {
    ...client,
    invoke: (operation, input) => {
      const read = JSON.stringify([operation, input]);
      const answer = answers.get(read) ?? client.invoke(operation, input);
      answers.set(read, answer);
      return answer;
    },
  };
}

/** Whether an object is below the parent that the manifest gives it. */
export function isAtHome({ action, parent }: Job, row: Row): boolean {
  const link = parent === undefined ? undefined : action.kind.parents[parent.action.kind.kind];
  return parent === undefined || link === undefined || row[link.idAt] === parent.object?.id;
}
