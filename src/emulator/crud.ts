import { callersOrganization } from './caller.ts';
import type { Context, Handler } from './context.ts';
import { ApiError, type ErrorCode, notFound } from './error-answers.ts';
import { omit, type Row } from './json-rows.ts';
import { suffixedAppName } from './made-up-names.ts';
import { tables, type TableName } from './tables.ts';

/** What the operations of a group do with the rows of its table, where the platform has no way of its own. */
export interface Rows {
  /**
   * The row that an input names.
   *
   * @throws {ApiError} NOT_FOUND
   */
  readonly find: (context: Pick<Context, 'store'>, input: Row) => Row;
  /** Adds a row with what the platform makes up: its id, the time, an appName, and always the organization of the caller. */
  readonly add: (context: Context, values: Row) => Row;
  /** Writes the members that are sent, and answers the row. */
  readonly update: Handler;
  /** Deletes the row with what belongs to it, and answers it. */
  readonly remove: Handler;
}

/** The rows of a table; the title is the name of one in messages. Never throws. */
export function rowsOf(table: TableName, title: string): Rows {
  const { key, columns } = tables[table];
  const find: Rows['find'] = ({ store }, input) => {
    const row = store.find(table, input[key]);
    if (row === undefined) throw notFound(title);
    return row;
  };
  return {
    find,
    add(context, values) {
      const id = context.newId();
      return context.store.insert(table, {
        createdAt: context.now(),
        ...('appName' in columns ? { appName: suffixedAppName(table, id) } : {}),
        ...values,
        [key]: id,
        ...('organizationId' in columns ? { organizationId: callersOrganization(context) } : {}),
      });
    },
    update: (context, input) => context.store.update(table, find(context, input)[key], omit(input, [key])),
    remove: (context, input) => context.store.remove(table, find(context, input)[key]),
  };
}

/**
 * The members of an input without those that are not written.
 *
 * @throws {ApiError} with this code and message where none is left.
 */
export function valuesToSet(
  input: Row,
  besides: readonly string[],
  [code, message]: readonly [ErrorCode, string] = ['INTERNAL_SERVER_ERROR', 'No values to set'],
): Row {
  const values = omit(input, besides);
  if (Object.keys(values).length === 0) throw new ApiError(code, message);
  return values;
}
