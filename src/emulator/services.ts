import type { Context, Group, Handler } from './context.ts';
import { serviceTitles, type ServiceTable, serviceTables } from './service-tables.ts';
import { ApiError, notFound, failed } from './error-answers.ts';
import { type Row, omit } from './json-rows.ts';
import { rowsOf } from './crud.ts';
import { grantToCaller } from './caller.ts';
import { suffixedAppName } from './made-up-names.ts';
import { startContainer, stopContainer } from './machine.ts';
import { tables } from './tables.ts';
import { serviceView } from './views.ts';

/** Adds a service to an environment, and to the list of the caller. `more`: what else the platform makes up for it. */
export function createService(
  context: Context,
  table: ServiceTable,
  { input, more }: { readonly input: Row; readonly more?: (id: string) => Row },
): Row {
  checkPlacement(context, input);
  const id = context.newId();
  const appName = suffixedAppName(table, id, input['appName'] as string | undefined); // the contract says so
  checkAppName(context, appName);
  const row = context.store.insert(table, {
    ...input,
    ...more?.(id),
    [`${table}Id`]: id,
    appName,
    ...('refreshToken' in tables[table].columns ? { refreshToken: context.newId() } : {}),
    createdAt: context.now(),
  });
  grantToCaller(context, 'accessedServices', id);
  return row;
}

/** Writes the status of a service. */
export function setStatus({ store }: Context, table: ServiceTable, row: Row, status: string): void {
  store.update(table, row[`${table}Id`], { [table === 'compose' ? 'composeStatus' : 'applicationStatus']: status });
}

/** Answers with what `one` gave before the operation did its work. */
export function stale(
  table: ServiceTable,
  work: (context: Context, row: Row, input: Row) => void | Promise<void>,
): Handler {
  const { find } = rowsOf(table, serviceTitles[table]);
  return async (context, input) => {
    const row = find(context, input);
    const before = serviceView(context.store, table, row);
    await work(context, row, input);
    return before;
  };
}

/** The operations that applications and databases have in common. */
export function startAndStop(table: ServiceTable): Group {
  return {
    [`${table}.start`]: stale(table, (context, row) => {
      startContainer(context, row);
      setStatus(context, table, row, 'done');
    }),
    [`${table}.stop`]: stale(table, (context, row) => {
      stopContainer(context, row);
      setStatus(context, table, row, 'idle');
    }),
  };
}

/** Moves a service, also into an environment of another organization. */
export function moveService(table: ServiceTable): Handler {
  return ({ store }, input) => {
    const environmentId = input['targetEnvironmentId'] ?? null;
    const row = store.update(table, input[`${table}Id`], { environmentId });
    if (row === undefined) throw failed(`Failed to move ${table}`);
    return row;
  };
}

/** Writes the variables of a compose or a database. */
export function saveEnvironment(table: ServiceTable): Handler {
  return ({ store }, input) => {
    const id = `${table}Id`;
    if (store.update(table, input[id], omit(input, [id])) !== undefined) return true;
    throw new ApiError('BAD_REQUEST', 'Error adding environment variables');
  };
}

/** Checks where a new service is to live, in the platform's order. */
function checkPlacement({ store }: Context, input: Row): void {
  if (store.find('environment', input['environmentId']) === undefined) throw notFound('Environment');
  const serverId = input['serverId'] ?? null;
  if (serverId !== null && store.find('server', serverId) === undefined)
    throw new ApiError('UNAUTHORIZED', 'You are not authorized to access this server');
}

/** Checks that no application or database has an appName: names of compose stacks are not looked at. */
function checkAppName({ store }: Context, appName: string): void {
  const isTaken = serviceTables.some(
    (table) => table !== 'compose' && store.children(table, 'appName', appName).length > 0,
  );
  if (isTaken) throw new ApiError('CONFLICT', `Service with this 'AppName' already exists`);
}
