import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startWorker } from '../../../src/controller/worker.ts';
import { forgeBench, manifestOf, stackId } from '../../support/forge-bench.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** What a worker tells a forge by itself, over its queue. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'a worker', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 8 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  test('writes a status, plans a pull request, and opens one for drift', { timeout: 120_000 }, async () => {
    const { server: forge, records, at, push, drift, emulator } = await forgeBench(pool, 'gitea');
    push({ 'infra/trueup.yaml': manifestOf('redis:7.2') }, 'change');
    const number = forge.propose({ branch: 'change' });
    const errors: unknown[] = [];
    const worker = await startWorker({
      url: server.url(),
      pool,
      schema: 'trueup_controller',
      states: at.states,
      folder: mkdtempSync(join(tmpdir(), 'trueup-worker-')),
      concurrency: 2,
      onError: (error) => errors.push(error),
      address: 'https://trueup.example.com',
      tickMs: 100,
    });
    onTestFinished(() => worker.stop(5_000));
    const soon = { timeout: 60_000, interval: 100 };
    await expect.poll(() => forge.statuses.at(-1)?.state, soon).toBe('success');
    await expect.poll(() => forge.comments.get(number)?.[0]?.body, soon).toContain('redis:7.2');
    expect(Object.values(emulator.world.tables.redis)).toHaveLength(1);
    await drift({ dockerImage: 'redis:7.4' });
    await records.propose(stackId, 'alex');
    await expect.poll(() => forge.requests.get(2)?.title, soon).toBe('Adopt the drift of infra/trueup.yaml');
    await expect.poll(() => worker.queue.counts().then(({ forge: { dead } }) => dead), soon).toBe(0);
    expect(errors).toEqual([]);
  });
});
