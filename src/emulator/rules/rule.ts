import { isPrivileged, callersOrganization } from '../caller.ts';
import type { Context } from '../context.ts';
import { ApiError, type ErrorCode } from '../error-answers.ts';
import type { Json, Row } from '../json-rows.ts';
import type { Store } from '../table-store.ts';
import { tables, type TableName } from '../tables.ts';

/** Refuses a call by throwing. What does not exist it lets pass: the operation itself says so, each in its own way. */
export type Rule = (context: Context, input: Row) => void;

/** Everybody with a key may call. */
export const anyone: Rule = () => {};

/** Owners and admins may, and a member with the flag, if there is one for it. `isSilent`: the refusal says nothing but its code. */
export function permit(
  caller: Row,
  resource: string,
  { flag, isSilent = false }: { readonly flag?: string; readonly isSilent?: boolean } = {},
): void {
  if (isPrivileged(caller) || (flag !== undefined && caller[flag] === true)) return;
  throw new ApiError('UNAUTHORIZED', isSilent ? 'UNAUTHORIZED' : `unauthorized to access resource "${resource}"`);
}

/** The row that the input names by its id must belong to the caller's organization. */
export function ofOrganization(table: TableName, code?: ErrorCode): Rule {
  const { key } = tables[table];
  return (context, input) => checkOrganization(context, context.store.find(table, input[key]), table, code);
}

/** Refuses a row of another organization. */
export function checkOrganization(
  context: Context,
  row: Row | undefined,
  thing: string,
  code: ErrorCode = 'UNAUTHORIZED',
  doing = 'access',
): void {
  if (row === undefined) return;
  const organizationId = organizationOf(context.store, row);
  if (organizationId === undefined || organizationId === callersOrganization(context)) return;
  throw new ApiError(code, `You are not authorized to ${doing} this ${thing}`);
}

/** The organization of a row, found upwards through what the row belongs to; an orphan belongs to none. */
export function organizationOf(store: Store, row: Row): Json | undefined {
  if (row['organizationId'] !== undefined) return row['organizationId'];
  for (const [column, table] of parents) {
    const parent = store.find(table, row[column]);
    if (parent !== undefined) return organizationOf(store, parent);
  }
  return undefined;
}

// The project first: an environment has its own id under the name by which others refer to it.
const parents = [
  ['projectId', 'project'],
  ['environmentId', 'environment'],
  ['destinationId', 'destination'],
] as const;
