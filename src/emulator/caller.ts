import type { Context } from './context.ts';
import { ApiError } from './error-answers.ts';
import type { Json, Row } from './json-rows.ts';
import type { Store } from './table-store.ts';
import type { TableName } from './tables.ts';

/** The lists of a member that say what he may see and use. */
export type AccessList = 'accessedProjects' | 'accessedEnvironments' | 'accessedServices';

/** The caller's membership. */
export function callerOf(context: Context): Row {
  const member = context.store.find('member', context.memberId);
  if (member === undefined) throw new ApiError('UNAUTHORIZED', 'Permission denied');
  return member;
}

/** The organization of the caller. */
export function callersOrganization(context: Context): Json {
  return callerOf(context)['organizationId'] ?? null;
}

/** The rows of a table in the caller's organization, oldest change first. */
export function ownRows(context: Context, table: TableName): Row[] {
  return context.store.children(table, 'organizationId', callersOrganization(context));
}

/** Remembers for the caller that he may use what he has just created: lists that only ever grow. */
export function grantToCaller(context: Context, list: AccessList, id: string): void {
  context.store.append('member', context.memberId, list, id);
}

/** Whether a member may do everything in his organization. */
export function isPrivileged(member: Row): boolean {
  return member['role'] === 'owner' || member['role'] === 'admin';
}

/** Whether a member may see a thing; owners and admins see all. */
export function maySee(member: Row, list: AccessList, id: Json | undefined): boolean {
  if (isPrivileged(member)) return true;
  const ids = member[list];
  return Array.isArray(ids) && id !== undefined && ids.includes(id);
}

/** The membership of a user in an organization; undefined where there is none. */
export function membership(store: Store, userId: Json | undefined, organizationId: Json | undefined): Row | undefined {
  return store.children('member', 'userId', userId).find((member) => member['organizationId'] === organizationId);
}
