import { callerOf, isPrivileged, maySee } from '../caller.ts';
import type { Context } from '../context.ts';
import { serviceTables } from '../service-tables.ts';
import { ApiError } from '../error-answers.ts';
import type { Json, Row } from '../json-rows.ts';
import { tables, type TableName } from '../tables.ts';
import { checkOrganization, permit, type Rule } from './rule.ts';

/** The flags of a member that guard services. */
type Flag = 'canCreateServices' | 'canDeleteServices';

/** The service under this member of the input: a member needs it in his list, and the flag if one is named. */
export function service(column: string, flag?: Flag): Rule {
  return (context, input) => checkService(context, input[column], flag);
}

/** Schedules of a machine and not of a service. */
const ofMachines: readonly Json[] = ['server', 'dokploy-server'];

/** A schedule to make, or the schedules to list, of a service or a machine: those of machines are for owners and admins. */
export const newSchedule: Rule = (context, input) => {
  checkMachine(context, input);
  for (const id of ownersIn(input)) checkMember(context, id);
};

/** A list of schedules. */
export const scheduleList: Rule = (context, input) => {
  checkMachine(context, input);
  if (!ofMachines.includes(input['scheduleType'] ?? null)) checkMember(context, input['id']);
};

/** A patch to make, of an application or else of a compose. */
export const patchToBe: Rule = (context, { applicationId, composeId }) =>
  checkMember(context, applicationId ?? composeId, 'canCreateServices');

/** A schedule that is there. */
export const scheduleToUse: Rule = (context, input) => {
  const row = context.store.find('schedule', input['scheduleId']);
  checkMachine(context, row ?? {});
  for (const id of ownersIn(row ?? {})) checkMember(context, id);
};

function checkMachine(context: Context, { scheduleType = null }: Row): void {
  if (!ofMachines.includes(scheduleType) || isPrivileged(callerOf(context))) return;
  throw new ApiError('FORBIDDEN', 'Only owners and admins can manage server-level schedules.');
}

/** A new service in an environment: a member needs the flag and the project in his list. */
export const place: Rule = (context, input) => {
  const environment = context.store.find('environment', input['environmentId']);
  if (environment === undefined) return;
  const caller = callerOf(context);
  permit(caller, 'service', { flag: 'canCreateServices' });
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

/** As `service`, but of an owner or admin the platform does not ask whose organization the service is in. */
export function serviceOfAny(column: string, flag?: Flag): Rule {
  return (context, input) => checkMember(context, input[column], flag);
}

/** As `child`, likewise; an object without a service is for everybody. */
export function childOfAny(table: TableName, flag?: Flag): Rule {
  const { key } = tables[table];
  return (context, input) => {
    for (const id of ownersIn(context.store.find(table, input[key]) ?? {})) checkMember(context, id, flag);
  };
}

/** The routes of an application: a member needs the flag for the files of the proxy, and the application in his list. */
export const routesOf: Rule = (context, input) => {
  permit(callerOf(context), 'traefikFiles', { flag: 'canAccessToTraefikFiles' });
  checkMember(context, input['applicationId']);
};

/** The deployments of one thing: whatever it is, a member needs its id in his list of services; of a schedule its service. */
export const deploymentsToList: Rule = (context, { id, type }) => {
  if (type !== 'schedule') return checkMember(context, id);
  for (const owner of ownersIn(context.store.find('schedule', id) ?? {})) checkMember(context, owner);
};

function checkMember(context: Context, id: Json | undefined, flag?: Flag): void {
  const caller = callerOf(context);
  if (flag !== undefined) permit(caller, 'service', { flag });
  // Before it is known whether there is such a service: to a member an unknown id is one he has no access to.
  if (!maySee(caller, 'accessedServices', id))
    throw new ApiError('UNAUTHORIZED', `You don't have access to this service`);
}

function checkService(context: Context, id: Json | undefined, flag?: Flag): void {
  checkMember(context, id, flag);
  for (const table of serviceTables) checkOrganization(context, context.store.find(table, id), table);
}

function ownersIn(row: Row): Json[] {
  return ownerColumns.map((column) => row[column]).filter((id) => typeof id === 'string' && id !== '') as Json[];
}

const ownerColumns = serviceTables.map((table) => `${table}Id`);
