import type { Context, Group } from '../context.ts';
import { databaseGroup } from '../databases.ts';
import { ApiError, notFound } from '../errors.ts';
import { pullProblem } from '../images.ts';
import { pick, textOf, textOr, type Row } from '../json.ts';
import { callerOf } from '../caller.ts';
import type { Store } from '../store.ts';

/** The `postgres` group: what all databases have, and three operations of its own. */
export const postgres: Group = {
  ...databaseGroup({
    table: 'postgres',
    title: 'Postgres',
    passwords: ['databasePassword'],
    dataPath,
    updateFailure: 'Error updating Postgres',
  }),

  'postgres.changePassword'({ store }, input) {
    const row = store.find('postgres', input['postgresId']);
    if (row === undefined) throw notFound('Postgres');
    const appName = textOf(row, 'appName');
    if (row['applicationStatus'] !== 'done')
      throw new ApiError('BAD_REQUEST', `No running container found for ${appName}`);
    const databasePassword = textOf(input, 'password');
    store.update('postgres', row['postgresId'], { databasePassword });
    store.update('volume', `${appName}-data`, { databasePassword });
    return true;
  },

  'postgres.search'(context, input) {
    const found = accessible(context)
      .filter((row) => matches(context, row, input))
      .toSorted((a, b) => textOf(b, 'createdAt').localeCompare(textOf(a, 'createdAt')));
    const offset = Number(input['offset']);
    return {
      items: found.slice(offset, offset + Number(input['limit'])).map((row) => pick(row, searchColumns)),
      total: found.length,
    };
  },

  'postgres.readLogs'({ store }, input) {
    const row = store.find('postgres', input['postgresId']);
    if (row === undefined) throw notFound('Postgres');
    const failure = failureLog(row);
    if (failure === undefined && store.find('container', row['appName'])?.['running'] !== true)
      throw new ApiError('INTERNAL_SERVER_ERROR', `No container found for ${textOf(row, 'appName')}`);
    const search = input['search'];
    return (failure ?? logLines)
      .filter((line) => typeof search !== 'string' || line.includes(search))
      .slice(-Number(input['tail']))
      .join('\n');
  },
};

const searchColumns = [
  'postgresId',
  'name',
  'appName',
  'description',
  'environmentId',
  'applicationStatus',
  'createdAt',
];

const logLines = [
  'LOG:  starting PostgreSQL',
  'LOG:  listening on IPv4 address "0.0.0.0", port 5432',
  'LOG:  database system is ready to accept connections',
];

/** What docker tells of a deployment that failed; undefined for a database whose deployment did not. */
function failureLog(row: Row): string[] | undefined {
  const image = textOf(row, 'dockerImage');
  const problem = row['applicationStatus'] === 'error' ? pullProblem(image) : undefined;
  if (problem === undefined) return undefined;
  return [`Pulling ${image}`, `Error: ${problem} ${image}`, 'The container was not started'];
}

function dataPath(dockerImage: string): string {
  const major = /postgres:(\d+)/.exec(dockerImage)?.[1];
  return major !== undefined && Number(major) >= 18
    ? `/var/lib/postgresql/${major}/docker`
    : '/var/lib/postgresql/data';
}

/** Only what is in the caller's own list, for owners too: a service that another user made is not found. */
function accessible(context: Context): Row[] {
  const { store } = context;
  const { accessedServices: ids, organizationId } = callerOf(context);
  if (!Array.isArray(ids)) return [];
  return ids
    .map((id) => store.find('postgres', id))
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
