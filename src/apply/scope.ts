import { attempts } from '../api/attempts.ts';
import type { Client } from '../api/client.ts';
import type { Row } from '../kind/json.ts';
import type { Reader } from '../observe/reader.ts';
import { createReader } from '../observe/reader.ts';
import type { Action } from '../plan/action.ts';
import { createsObject } from '../plan/action.ts';
import { poll } from './attempt.ts';
import { idOf, scopeOf } from './run.ts';
import type { Run } from './run.ts';
import type { ScopeRow } from '../observe/scope-row.ts';
import { findById, scopeRow } from '../observe/scope-row.ts';

/** Reads a scope. A 404 proves that it is gone, and nothing else does. */
export async function readScope(reader: Reader, root: Action, id: string): Promise<ScopeRow> {
  return scopeRow(root, await reader.row(root.kind, id));
}

/** The row of an action's object in its scope; undefined when it is not there. */
export function rowIn(run: Run, action: Action, scope: ScopeRow): Row | undefined {
  const id = idOf(run, action.address);
  return id === undefined ? undefined : findById(scope, action, id);
}

/** A scope as it was a few seconds ago at most: read once for all requests that follow one another quickly. */
export function scopeNow(
  run: Run,
  address: string,
  { isAnew = false, client }: { readonly isAnew?: boolean; readonly client?: Client } = {},
): Promise<ScopeRow> {
  const scope = scopeOf(run, address);
  if (scope.reading !== undefined && !isAnew && isFresh(run, address)) return scope.reading.row;
  const now = run.clock.monotonic();
  const id = idOf(run, address);
  const row =
    id === undefined ? Promise.resolve(scopeRow(scope.root, undefined)) : readOwn(run, scope.root, id, client);
  scope.reading = { id, since: now, row };
  row.catch(() => delete scope.reading); // it may be read the next time
  return row;
}

/** Whether a scope was read a few seconds ago at most. */
export function isFresh(run: Run, address: string): boolean {
  const { reading } = scopeOf(run, address);
  const age = run.clock.monotonic() - (reading?.since ?? -Infinity);
  return reading?.id === idOf(run, address) && age <= attempts.reading.freshMs;
}

/** Reads the object of a scope. What this run created may show a little later. */
export function readOwn(run: Run, root: Action, id: string, client?: Client): Promise<ScopeRow> {
  const reader = client === undefined ? run.together : createReader(client);
  return poll(run, () => readScope(reader, root, id), {
    isSeen: ({ row }) => row !== undefined || !createsObject(root),
  });
}

/** Reads the rows beside an action's object, by id: the list of its parent, or the one at the top. */
export async function readSiblings(run: Run, { kind, parent }: Action): Promise<ReadonlyMap<string, Row>> {
  const above = parent === undefined ? undefined : run.jobs.get(parent)?.action;
  const id = parent === undefined ? undefined : idOf(run, parent);
  if (above !== undefined && id === undefined) return new Map();
  const list = above === undefined || id === undefined ? undefined : { kind: above.kind, id };
  return (await run.reader.rows(kind, { place: run.input.plan.observed, parent: list })) ?? new Map<string, Row>();
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
export function isAtHome(run: Run, action: Action, row: Row): boolean {
  const parent = run.jobs.get(action.parent ?? '');
  const link = parent === undefined ? undefined : action.kind.parents[parent.action.kind.kind];
  return parent === undefined || link === undefined || row[link.idAt] === parent.object?.id;
}
