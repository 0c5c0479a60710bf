import { callerOf } from './caller.ts';
import type { Context, Handler } from './context.ts';
import { notFound } from './error-answers.ts';
import { omit, type Row } from './json-rows.ts';
import { tables, type TableName } from './tables.ts';

/** What the operations of a group do with the rows of its table, where the platform has no way of its own. */
export interface Rows {
  /**
   * The row that an input names.
   *
   * @throws {ApiError} NOT_FOUND
   */
  readonly find: (context: Pick<Context, 'store'>, input: Row) => Row;
  /** Writes the members that are sent, and answers the row. */
  readonly update: Handler;
  /** Deletes the row with what belongs to it, and answers it. */
  readonly remove: Handler;
  /** The rows of the caller's organization, oldest change first. */
  readonly ofOrganization: (context: Context) => Row[];
}

/** The rows of a table; the title is the name of one in messages. Never throws. */
export function rowsOf(table: TableName, title: string): Rows {
  const { key } = tables[table];
  const find: Rows['find'] = ({ store }, input) => {
    const row = store.find(table, input[key]);
    if (row === undefined) throw notFound(title);
    return row;
  };
  return {
    find,
    update: (context, input) => context.store.update(table, find(context, input)[key], omit(input, [key])),
    remove: (context, input) => context.store.remove(table, find(context, input)[key]),
    ofOrganization: (context) => context.store.children(table, 'organizationId', callerOf(context)['organizationId']),
  };
}
