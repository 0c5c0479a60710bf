import { callerOf } from './caller.ts';
import type { Context } from './context.ts';
import { isServiceTable, serviceTitles, type ServiceTable } from './service-tables.ts';
import { ApiError, DatabaseError, notFound } from './error-answers.ts';
import { environmentWithServices } from './groups/environment.ts';
import { insertMount } from './groups/mounts.ts';
import { pick, textOf, type Json, type Row } from './json-rows.ts';
import { suffixedAppName } from './made-up-names.ts';
import { newProject } from './new-project.ts';
import { reachServer } from './reach.ts';
import { project } from './rules/projects.ts';
import { permit } from './rules/rule.ts';
import { tables, type TableName } from './tables.ts';

/**
 * Copies services into a new project, or beside themselves; answers the environment as it was before the copies. A new
 * project stays when a copy fails. The copies show in no list of the caller's rights.
 */
export function duplicateProject(context: Context, input: Row): Row {
  try {
    permit(callerOf(context), 'project', { flag: 'canCreateProjects' });
    return duplicate(context, input);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError('BAD_REQUEST', `Error duplicating the project: ${error.message}`);
  }
}

function duplicate(context: Context, input: Row): Row {
  const { sourceEnvironmentId, duplicateInSameProject, includeServices, selectedServices } = input;
  const inPlace = duplicateInSameProject === true;
  const source = inPlace ? context.store.find('environment', sourceEnvironmentId) : undefined;
  if (inPlace && source === undefined) throw notFound('Environment');
  if (source !== undefined) project('access')(context, pick(source, ['projectId']));
  const target =
    source === undefined
      ? newProject(context, pick(input, ['name', 'description'])).environment
      : environmentWithServices(context, source, () => true);
  const selected = includeServices === true && Array.isArray(selectedServices) ? selectedServices : [];
  for (const service of selected) copyService(context, service, { target, inPlace });
  return target;
}

/** What is copied with a service; the backups of a compose, and what deployments made, are not. */
const copiedWith: Readonly<Record<ServiceTable, readonly TableName[]>> = {
  application: ['domain', 'port', 'mount', 'redirect', 'security'],
  compose: ['mount', 'domain'],
  libsql: ['mount'],
  mariadb: ['mount', 'backup'],
  mongo: ['mount', 'backup'],
  mysql: ['mount', 'backup'],
  postgres: ['mount', 'backup'],
  redis: ['mount'],
};

/** Copies the row with its status and times, under a new id and appName. Volumes keep their names: two services share them. */
function copyService(
  context: Context,
  service: Json,
  { target, inPlace }: { readonly target: Row; readonly inPlace: boolean },
): void {
  const { store, newId } = context;
  const { id, type: table } = service as Record<string, Json>; // its form has passed the contract
  if (!isServiceTable(table)) throw new Error(`no services of the type ${String(table)}`);
  const key = `${table}Id`;
  const row = store.find(table, id);
  if (row === undefined) throw notFound(serviceTitles[table]);
  const copyId = newId();
  const base = /^(.+)-/s.exec(textOf(row, 'appName'))?.[1];
  store.insert(table, {
    ...row,
    [key]: copyId,
    appName: suffixedAppName(table, copyId, base),
    name: `${textOf(row, 'name')}${inPlace ? ' (copy)' : ''}`,
    environmentId: target['environmentId'] ?? null,
    ...('refreshToken' in row ? { refreshToken: newId() } : {}),
  });
  for (const child of copiedWith[table])
    for (const part of store.children(child, key, id)) copyPart(context, part, { child, table, copyId });
}

/** Copies one object below a service, the name of its router included. */
function copyPart(
  context: Context,
  part: Row,
  { child, table, copyId }: { readonly child: TableName; readonly table: ServiceTable; readonly copyId: string },
): void {
  const { store, newId } = context;
  const key = `${table}Id`;
  if (child === 'mount') {
    insertMount(context, { ...part, serviceId: copyId, serviceType: table });
    return;
  }
  const id = newId();
  const own = { [tables[child].key]: id, [key]: copyId };
  // Of a postgres the platform copies the name too, which the database takes only once.
  if (child === 'backup' && table === 'postgres') throw new DatabaseError('insert into "backup"', '"appName" is taken');
  store.insert(child, {
    ...part,
    ...own,
    ...(child === 'backup' ? { appName: suffixedAppName('backup', id) } : {}),
    ...(child === 'domain' ? { domainType: table } : {}),
  });
  if (child === 'domain' && table === 'application') reachServer(store, store.find(table, copyId)?.['serverId']);
}
