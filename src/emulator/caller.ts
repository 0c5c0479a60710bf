import type { Context } from './context.ts';
import { ApiError } from './errors.ts';
import { textOf, type Row } from './json.ts';

/** The caller's membership: there is one key, and it belongs to the first member. */
export function callerOf(context: Context): Row {
  const [member] = Object.values(context.store.world.tables.member);
  if (member === undefined) throw new ApiError('UNAUTHORIZED', 'No member');
  return member;
}

/** Remembers for the caller that he may use what he has just created: lists that only ever grow. */
export function grantToCaller(
  context: Context,
  list: 'accessedProjects' | 'accessedEnvironments' | 'accessedServices',
  id: string,
): void {
  context.store.append('member', textOf(callerOf(context), 'id'), list, id);
}
