import { callerOf } from './caller.ts';
import { linesFor, requireContainer } from './container-log.ts';
import type { Context, Handler } from './context.ts';
import type { DatabaseTable } from './database-tables.ts';
import { notFound } from './error-answers.ts';
import { pullProblem } from './images.ts';
import { pick, textOf, textOr, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** Finds databases of a kind by their texts and places, newest first. */
export function search(table: DatabaseTable): Handler {
  return (context, input) => {
    const found = accessible(context, table)
      .filter((row) => matches(context, row, input))
      .toSorted((a, b) => textOf(b, 'createdAt').localeCompare(textOf(a, 'createdAt')));
    const offset = Number(input['offset']);
    return {
      items: found
        .slice(offset, offset + Number(input['limit']))
        .map((row) => pick(row, [`${table}Id`, ...searchColumns])),
      total: found.length,
    };
  };
}

/** The log of the container of a database: what its server writes, or why its last deployment failed. */
export function readLogs(table: DatabaseTable, title: string, lines: readonly string[]): Handler {
  return ({ store }, input) => {
    const row = store.find(table, input[`${table}Id`]);
    if (row === undefined) throw notFound(title);
    const failure = failureLog(row);
    if (failure === undefined) requireContainer(store, textOf(row, 'appName'));
    return linesFor(input, failure ?? lines);
  };
}

const searchColumns = ['name', 'appName', 'description', 'environmentId', 'applicationStatus', 'createdAt'];

/** What docker tells of a deployment that failed; undefined for a database whose deployment did not. */
function failureLog(row: Row): string[] | undefined {
  const image = textOf(row, 'dockerImage');
  const problem = row['applicationStatus'] === 'error' ? pullProblem(image) : undefined;
  if (problem === undefined) return undefined;
  return [`Pulling ${image}`, `Error: ${problem} ${image}`, 'The container was not started'];
}

/** Only what is in the caller's own list, for owners too: a service that another user made is not found. */
function accessible(context: Context, table: DatabaseTable): Row[] {
  const { store } = context;
  const { accessedServices: ids, organizationId } = callerOf(context);
  if (!Array.isArray(ids)) return [];
  return ids
    .map((id) => store.find(table, id))
    .filter((row) => row !== undefined)
    .filter((row) => projectOf(store, row)?.['organizationId'] === organizationId);
}

function projectOf(store: Store, row: Row): Row | undefined {
  return store.find('project', store.find('environment', row['environmentId'])?.['projectId']);
}

/** Texts are looked for anywhere and in any case; one of spaces only counts as none. */
function matches({ store }: Context, row: Row, input: Row): boolean {
  const has = (column: string, member: string) =>
    textOr(row, column).toLowerCase().includes(textOr(input, member).trim().toLowerCase());
  return (
    ['name', 'appName', 'description'].every((column) => has(column, column)) &&
    ['name', 'appName', 'description'].some((column) => has(column, 'q')) &&
    (input['environmentId'] === undefined || input['environmentId'] === row['environmentId']) &&
    (input['projectId'] === undefined || input['projectId'] === projectOf(store, row)?.['projectId'])
  );
}
