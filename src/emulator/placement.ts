import type { Context } from './context.ts';
import { databaseTables } from './database-tables.ts';
import { ApiError, notFound } from './error-answers.ts';
import type { Row } from './json-rows.ts';

/** Checks where a new service is to live, in the platform's order. */
export function checkPlacement({ store }: Context, input: Row): void {
  if (store.find('environment', input['environmentId']) === undefined) throw notFound('Environment');
  const serverId = input['serverId'] ?? null;
  if (serverId !== null && store.find('server', serverId) === undefined)
    throw new ApiError('UNAUTHORIZED', 'You are not authorized to access this server');
}

/** Checks that no application or database has an appName: names of compose stacks are not looked at. */
export function checkAppName({ store }: Context, appName: string): void {
  const isTaken = (['application', ...databaseTables] as const).some(
    (table) => store.children(table, 'appName', appName).length > 0,
  );
  if (isTaken) throw new ApiError('CONFLICT', `Service with this 'AppName' already exists`);
}
