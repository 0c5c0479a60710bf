import type { Pool } from 'pg';
import type { Queries } from '../queue.ts';
import { type Query, answered, inTransaction, pastDeadlocks } from '../transaction.ts';

/** The tables of a controller in their schema; in statements `@` stands for it. */
export interface Database {
  readonly rows: <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  readonly row: <Row>(text: string, values?: readonly unknown[]) => Promise<Row | undefined>;
  /** `send` takes statements of others as they are. */
  readonly transaction: <T>(work: (query: Query, send: Query) => Promise<T>) => Promise<T>;
  /**
   * Does work for rows that it takes, each in one transaction with its work, until there is none or there were so many: where the
   * work fails, its row is as if it was never taken.
   */
  readonly takeEach: <Row>(
    most: number,
    take: { readonly text: string; readonly values?: readonly unknown[] },
    work: (row: Row, client: Queries) => Promise<void>,
  ) => Promise<readonly Row[]>;
  /** What changes a plan, a stack's commit or what it may do waits for its row: each sees what the one before it did. */
  readonly onStack: <T>(id: string, work: (query: Query) => Promise<T>) => Promise<T>;
}

/** Opens a schema, which `migrate` made. Sends nothing yet. */
export function databaseIn(pool: Pool, schema: string): Database {
  const named = (text: string): string => text.replaceAll('@', `${schema}.`);
  const rows = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    (await pastDeadlocks(() => answered(pool.query(named(text), [...values])))).rows as Row[];
  const transaction = <T>(work: (query: Query, send: Query) => Promise<T>): Promise<T> =>
    inTransaction(pool, (send) => work((text, values) => send(named(text), values), send));
  return {
    rows,
    row: async <Row>(text: string, values: readonly unknown[] = []) => (await rows<Row>(text, values))[0],
    transaction,
    takeEach: async <Row>(
      most: number,
      { text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] },
      work: (row: Row, client: Queries) => Promise<void>,
    ) => {
      const taken: Row[] = [];
      while (taken.length < most) {
        const row = await inTransaction(pool, async (query) => {
          const [found] = await query<Row>(named(text), values);
          const client = {
            query: async (sent: string, given: unknown[] = []) => ({ rows: [...(await query(sent, given))] }),
          };
          if (found !== undefined) await work(found, client);
          return found;
        });
        if (row === undefined) break;
        taken.push(row);
      }
      return taken;
    },
    onStack: (id, work) =>
      transaction(async (query) => {
        await query('select from @stack where id = $1 for no key update', [id]);
        return work(query);
      }),
  };
}

/** What is done for a row that is due, on the client of the transaction that takes it. */
export type ForDue<Row> = (row: Row, client: Queries) => Promise<void>;

/** Of a plan: it was neither applied nor superseded. */
export const isOpen = 'superseded_at is null and applied_at is null';

/** A text without the one character that PostgreSQL does not take. */
export function plain(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** A document in JSON, without that character and without halves of surrogate pairs: `jsonb` takes neither, also not in keys. */
export function jsonOf(document: object): string {
  // JSON has both as escapes. A backslash is one of two, and none of theirs.
  return JSON.stringify(document).replaceAll(/(\\\\)|\\u(?:0000|d[89a-f][\da-f]{2})/g, (_, other) => other ?? '\ufffd');
}
