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

/** Does work in one transaction, which is taken back where the work throws. */
export async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
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
