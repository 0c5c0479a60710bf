import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControllerDatabase, startControllerDatabase } from '../../support/controller-pages.ts';
import { whyNoPostgres } from '../../support/postgres-server.ts';

/** Whose word the address of the page is, where the page and workers start together. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'the address of the page', () => {
  let database: ControllerDatabase;
  beforeAll(async () => {
    database = await startControllerDatabase();
  });
  afterAll(() => database.stop());

  test.each([
    ['page', 'worker'],
    ['worker', 'page'],
  ] as const)('is that of the page where the %s and the %s note the first one at once', async (...starting) => {
    const { pool, records, rows } = database;
    await rows('delete from @page_address');
    const client = await pool.connect();
    const waits = async () => (await rows(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length;
    // Both look, and neither writes, before this is over.
    await client.query('begin; lock table trueup_controller.page_address in share mode');
    const noted: Promise<void>[] = [];
    try {
      for (const by of starting) {
        noted.push(records.setPageAddress(`https://${by}.example.com`, { by }));
        await expect.poll(waits).toBe(noted.length);
      }
    } finally {
      await client.query('commit');
      client.release();
    }
    await Promise.all(noted);
    expect(await records.pageAddress()).toBe('https://page.example.com');
  });
});
