import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Worker, startWorker } from '../../src/controller/worker.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { controllerWorld } from '../support/controller-world.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** A copy of the database of a controller, restored as docs/controller.md says. */

const missing = whyNoPostgres();
/** A program of the newest PostgreSQL here. */
function programOf(name: string): string {
  const folder = '/usr/lib/postgresql';
  const [newest = ''] = readdirSync(folder).toSorted((a, b) => Number(b) - Number(a));
  const path = join(folder, newest, 'bin', name);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  return path;
}

describe.skipIf(missing !== undefined)(missing ?? 'a copy of the database', () => {
  const key = newStateKey().text();
  let server: PostgresServer;
  let world: Awaited<ReturnType<typeof controllerWorld>>;
  const open: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    world = await controllerWorld();
  });
  afterAll(async () => {
    for (const close of open) await close();
    await world.close();
    server.stop();
  });

  const writes = () => world.emulator.log.flatMap(({ method, operation }) => (method === 'POST' ? [operation] : []));

  /** Starts a worker on a database, with checkouts of its own. */
  async function workOn(url: string): Promise<Worker & { readonly end: () => Promise<void> }> {
    const pool = new pg.Pool({ connectionString: url, max: 8 });
    const worker = await startWorker({
      url,
      pool,
      schema: 'trueup_controller',
      states: { schema: 'trueup', key },
      folder: mkdtempSync(join(world.folder, 'checkouts-')),
      concurrency: 2,
      tickMs: 200,
      onError: () => undefined,
    });
    let isOver = false;
    const end = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      await worker.stop(5_000);
      await pool.end();
    };
    open.push(end);
    return { ...worker, end };
  }

  test('goes on where it was made, and creates nothing that was created since', async () => {
    const copy = join(world.folder, 'before.dump');
    const first = await workOn(server.url());
    const stack = 'shop:trueup.yaml';
    const limit = { timeout: 60_000, interval: 200 };
    await first.records.addPlatform(
      { id: 'main', url: world.url, profile: null, keyFile: world.keyFile, envFile: null, connections: 4 },
      'alex',
    );
    const commit = world.push('redis:7.2');
    await first.records.addSource(
      {
        id: 'shop',
        url: world.repository,
        ref: 'refs/heads/main',
        platforms: [{ platform: 'main', paths: '*' }],
        policy: 'automatic',
        pollSeconds: 1,
        lookSeconds: 10,
      },
      'alex',
    );
    await expect.poll(async () => (await first.records.stack(stack))?.applied, limit).toBe(commit);
    execFileSync(programOf('pg_dump'), ['--format=custom', `--file=${copy}`, server.url()]);
    const later = world.push('redis:7.4');
    await expect.poll(async () => (await first.records.stack(stack))?.applied, limit).toBe(later);
    await first.end();
    const back = [
      'drop schema trueup_controller, trueup_controller_queue cascade',
      'create schema trueup_controller',
      'create schema trueup_controller_queue',
    ];

    const pool = new pg.Pool({ connectionString: server.url(), max: 1 });
    await pool.query('create database restored');
    await pool.end();
    const restored = new URL(server.url());
    restored.pathname = '/restored';
    execFileSync(programOf('pg_restore'), [`--dbname=${restored.href}`, copy]);
    const before = writes().length;
    const second = await workOn(restored.href);
    await expect.poll(async () => (await second.records.stack(stack))?.applied, limit).toBe(later);
    // The platform has the later commit. That it was deployed, the copy does not know: that is sent once more, and nothing else.
    expect(writes().slice(before)).toEqual(['redis.changeStatus', 'redis.deploy']);
    expect(Object.keys(world.emulator.world.tables.redis)).toHaveLength(1);
    const runs = async () => (await second.records.runs(stack)).filter(({ ending }) => ending === 'in step').length;
    const looks = await runs();
    await expect.poll(runs, limit).toBeGreaterThan(looks);
    expect(writes()).toHaveLength(before + 2);
    expect(await second.records.waitingPlan(stack)).toBeUndefined();
    await second.end();

    // Only the tables of the controller go back, as after an upgrade: its states know what the platform has.
    execFileSync(programOf('psql'), [server.url(), '--quiet', ...back.flatMap((one) => ['--command', one])], {
      stdio: 'pipe',
    });
    const schemas = ['--schema=trueup_controller', '--schema=trueup_controller_queue'];
    execFileSync(programOf('pg_restore'), ['--exit-on-error', ...schemas, `--dbname=${server.url()}`, copy]);
    const third = await workOn(server.url());
    expect((await third.records.stack(stack))?.applied).toBe(commit);
    await expect.poll(async () => (await third.records.stack(stack))?.applied, limit).toBe(later);
    expect(writes()).toHaveLength(before + 2);
  });
});
