import type { Pool } from 'pg';

/** Sends a statement, or several without values. */
export type Query = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Does work in one transaction, which is taken back where the work throws. */
export async function inTransaction<T>(pool: Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that is lost says so beside the statement that fails.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let failed: Error | undefined;
  try {
    await client.query('begin');
    const done = await work(async <Row>(text: string, values: readonly unknown[]) => {
      const { rows } = await client.query(text, [...values]);
      return rows as Row[];
    });
    await client.query('commit');
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
