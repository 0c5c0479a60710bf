import type { Pool } from 'pg';

/** Sends a statement, or several without values. */
export type Query = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** What the database threw: its own errors, and those of connections to it. */
const thrown = new WeakSet();

/** Whether an error is of the database, and says nothing of what it was asked for. Never throws. */
export function isOfDatabase(error: unknown): boolean {
  return error instanceof Error && thrown.has(error);
}

/** The answer of the database. @throws what `isOfDatabase` knows from then on */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error) thrown.add(error);
    throw error;
  }
}

/** Most attempts of what deadlocks end. */
const maxAttempts = 5;

/**
 * Does work of one statement or transaction. Does it again where PostgreSQL ended it by a deadlock: it and another process waited for
 * each other, and nothing of it was done. No order of locks rules that out, as one statement locks its rows, and those that a deletion
 * takes along, in the order of its plan.
 */
export async function pastDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40P01';
}

/** Does work in one transaction, which is taken back where the work throws; after a deadlock it does the work again. */
export function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  return pastDeadlocks(() => inOneTransaction(pool, work));
}

async function inOneTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await answered(pool.connect());
  // A connection that is lost says so beside the statement that fails.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let failed: Error | undefined;
  try {
    await answered(client.query('begin'));
    const done = await work(async <Row>(text: string, values: readonly unknown[]) => {
      const { rows } = await answered(client.query(text, [...values]));
      return rows as Row[];
    });
    await answered(client.query('commit'));
    return done;
  } catch (error) {
    failed = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', ignore);
    // Where it failed the connection is closed, which takes the transaction back.
    client.release(failed);
  }
}
