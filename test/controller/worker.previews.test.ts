import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { forgeBench } from '../support/forge-bench.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** A preview whose workers are killed as processes: while they create it, and while they remove it. */

const missing = whyNoPostgres();
const manifest = `trueup: 1
project: prj_1
environment: pr
preview: { for: 3d }
redis:
  one: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }
  two: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }
  three: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }
`;

describe.skipIf(missing !== undefined)(missing ?? 'a worker', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  const workers = new Set<ChildProcess>();
  const kill = async (worker: ChildProcess): Promise<void> => {
    workers.delete(worker);
    worker.kill('SIGKILL');
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
  };
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 5 });
    pool.on('error', () => undefined);
  });
  afterEach(async () => {
    await Promise.all([...workers].map(kill));
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  test(
    'that is killed is followed by one that ends its work, and nothing is sent twice',
    { timeout: 900_000 },
    async () => {
      const { server: forge, at, records, push, emulator } = await forgeBench(pool, 'gitea');
      const checkouts = mkdtempSync(join(tmpdir(), 'trueup-preview-workers-'));
      const start = async (): Promise<ChildProcess> => {
        const worker = spawn(process.execPath, ['--import', 'tsx', 'test/support/controller-worker.ts'], {
          env: {
            ...process.env,
            TRUEUP_TEST_DATABASE: server.url(),
            TRUEUP_TEST_FOLDER: checkouts,
            TRUEUP_TEST_KEY: at.states.key,
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        workers.add(worker);
        await Promise.race([
          once(worker.stdout, 'data'),
          once(worker, 'exit').then(() => Promise.reject(new Error('a worker did not start'))),
        ]);
        return worker;
      };
      const soon = { timeout: 400_000, interval: 20 };
      push({ 'infra/preview.yaml': manifest });
      await pool.query('update trueup_controller.source set poll_seconds = 1');
      const first = await start();
      await expect.poll(() => records.stacks(), soon).toMatchObject([{ applied: expect.any(String) as string }]);
      const { redis, environment } = emulator.world.tables;
      const others = (): string => JSON.stringify([Object.values(redis), Object.values(environment)]);
      const before = others();
      const environments = Object.values(environment).length;
      const creates = () => emulator.log.filter(({ operation }) => operation === 'redis.create').length;
      push({ 'README.md': 'a\n' }, 'change');
      const id = `shop:infra/preview.yaml/${forge.propose({ branch: 'change' })}`;
      await expect.poll(creates, soon).toBeGreaterThan(1);
      await kill(first);
      const second = await start();
      const stack = () => records.stack(id);
      await expect.poll(stack, soon).toMatchObject({ applied: expect.any(String) as string, problem: null });
      expect([creates(), Object.values(redis).length, Object.values(environment).length]).toEqual([
        4,
        4,
        environments + 1,
      ]);
      const { applied } = (await stack()) ?? {};
      const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
      const written = posts();
      const looks = async () =>
        (await records.runs(id)).filter(({ kind, ending }) => kind === 'drift' && ending === 'in step');
      await pool.query('update trueup_controller.stack set look_at = now()');
      await expect.poll(async () => (await looks()).length, soon).toBeGreaterThan(0);
      expect([posts(), (await stack())?.made]).toEqual([written, applied]);
      for (const pull of forge.requests.values()) pull.isOpen = false;
      await expect.poll(posts, soon).toBeGreaterThan(written);
      await kill(second);
      await start();
      await expect.poll(stack, soon).toMatchObject({ isGone: true, made: null });
      expect(others()).toBe(before);
      const removals = emulator.log.flatMap(({ operation, status, input }) =>
        status === 200 && /^(?:redis|environment)\.(?:remove|delete)$/.test(operation ?? '')
          ? [JSON.stringify(input)]
          : [],
      );
      expect(removals.length).toBeGreaterThan(0);
      expect(new Set(removals).size).toBe(removals.length);
    },
  );
});
