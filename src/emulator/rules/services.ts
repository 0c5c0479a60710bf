import { callerOf, maySee } from '../caller.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { Json, Row } from '../json.ts';
import { tables, type TableName } from '../tables.ts';
import { checkOrganization, permit, type Rule } from './rule.ts';

/** The flags of a member that guard services. */
type Flag = 'canCreateServices' | 'canDeleteServices';

/** The service under this member of the input: a member needs it in his list, and the flag if one is named. */
export function service(column: string, flag?: Flag): Rule {
  return (context, input) => checkService(context, input[column], flag);
}

/** A new service in an environment: a member needs the flag and the project in his list. */
export const place: Rule = (context, input) => {
  const environment = context.store.find('environment', input['environmentId']);
  if (environment === undefined) return;
  const caller = callerOf(context);
  permit(caller, 'service', 'canCreateServices');
  if (!maySee(caller, 'accessedProjects', environment['projectId']))
    throw new ApiError('UNAUTHORIZED', `You don't have access to this project`);
  checkOrganization(context, environment, 'project');
  server(context, input);
};

/** The server of the input, if it names one. */
export const server: Rule = (context, input) =>
  checkOrganization(context, context.store.find('server', input['serverId']), 'server');

/** Something new that belongs to the services of the input. */
export const childToBe: Rule = (context, input) => {
  for (const id of ownersIn(input)) checkService(context, id);
};

/** An object that belongs to a service, else to its destination, or to no one. */
export function child(table: TableName): Rule {
  const { key } = tables[table];
  return (context, input) => {
    const row = context.store.find(table, input[key]);
    if (row === undefined) return;
    const owners = ownersIn(row);
    for (const id of owners) checkService(context, id);
    if (owners.length === 0) checkOrganization(context, row, table);
  };
}

function checkService(context: Context, id: Json | undefined, flag?: Flag): void {
  const caller = callerOf(context);
  if (flag !== undefined) permit(caller, 'service', flag);
  // Before it is known whether there is such a service: to a member an unknown id is one he has no access to.
  if (!maySee(caller, 'accessedServices', id))
    throw new ApiError('UNAUTHORIZED', `You don't have access to this service`);
  for (const table of serviceTables) checkOrganization(context, context.store.find(table, id), table);
}

function ownersIn(row: Row): Json[] {
  return ownerColumns.map((column) => row[column]).filter((id) => typeof id === 'string' && id !== '') as Json[];
}

const serviceTables = ['application', 'compose', 'mariadb', 'postgres', 'redis'] as const;

const ownerColumns = [
  ...serviceTables.map((table) => `${table}Id`),
  // Engines that the document knows only by name.
  'mysqlId',
  'mongoId',
  'libsqlId',
];
