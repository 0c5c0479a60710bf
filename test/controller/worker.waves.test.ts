import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WireRequest } from '../../src/api/wire.ts';
import { stepsOf } from '../../src/controller/waves/steps.ts';
import { startWorker } from '../../src/controller/worker.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { failure } from '../../src/emulator/faults/fault-answers.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** A worker that brings a commit to twenty stacks in three steps. */

const missing = whyNoPostgres();
const names = Array.from({ length: 20 }, (_, at) => `s${String(at).padStart(2, '0')}`);
const settings = {
  name: 'shops',
  labels: {},
  healthyMinutes: 0.02,
  steps: [{ labels: { ring: 'canary' } }, { share: 50 }, 'rest'],
} as const;
const idOf = (name: string) => `shops:${name}/trueup.yaml`;
const manifestOf = (name: string) =>
  `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      ${name}: { dockerImage: "redis:7", databasePassword: a }\n`;

describe.skipIf(missing !== undefined)(missing ?? 'a worker with waves', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 10 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  test(
    'applies nothing after a failure in the first step, and all stacks once that is repaired',
    { timeout: 300_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'trueup-waves-'));
      const repository = join(folder, 'repository');
      const git = (...words: readonly string[]) =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
          cwd: repository,
          encoding: 'utf8',
        });
      for (const name of names) {
        mkdirSync(join(repository, name), { recursive: true });
        writeFileSync(join(repository, name, 'trueup.yaml'), manifestOf(name));
      }
      git('init', '-q', '-b', 'main');
      git('add', '-A');
      git('commit', '-q', '-m', 'all');
      const commit = git('rev-parse', 'HEAD').trim();
      const ringOf = (name: string) => (name < 's02' ? 'canary' : 'all');
      const stacks = names.map((name) => ({ id: idOf(name), labels: { ring: ringOf(name) } }));
      const [canaries = [], second = [], rest = []] = stepsOf(settings, stacks, commit);
      const broken = names.find((name) => idOf(name) === canaries[0]) ?? '';

      writeFileSync(join(folder, 'key'), 'a-key\n');
      const emulator = createEmulator({ apiKey: 'a-key' });
      // The platform fails to create one of the canaries, and may have done so for all that is known, until it is repaired.
      let isRepaired = false;
      const isRefused = ({ path, body }: WireRequest): boolean =>
        !isRepaired && path === '/api/redis.create' && body?.includes(`"${broken}"`) === true;
      const deliver = (request: WireRequest) =>
        isRefused(request) ? Promise.resolve(failure(400)) : emulator.send(request);
      const platform = await serve(emulator, { faults: { send: deliver, deliver } });
      const rowsOf = () => Object.values(emulator.world.tables.redis);
      const worker = await startWorker({
        url: server.url(),
        pool,
        schema: 'trueup_controller',
        states: { schema: 'trueup', key: newStateKey().text() },
        folder: join(folder, 'mirrors'),
        concurrency: 4,
        tickMs: 200,
        waves: [settings],
        onError: () => undefined,
      });
      const { records } = worker;
      for (const ring of ['canary', 'all'])
        await records.addPlatform(
          {
            id: ring,
            url: platform.url,
            profile: null,
            keyFile: join(folder, 'key'),
            envFile: null,
            connections: 8,
            labels: { ring },
          },
          'alex',
        );
      await records.addSource(
        {
          id: 'shops',
          url: repository,
          ref: 'refs/heads/main',
          platforms: [
            { platform: 'canary', paths: 's00/*' },
            { platform: 'canary', paths: 's01/*' },
            { platform: 'all', paths: '*' },
          ],
          policy: 'automatic',
          pollSeconds: 1,
          lookSeconds: 3_600,
        },
        'alex',
      );
      const wave = async () => (await records.waves())[0];
      const planned = async () =>
        (await Promise.all(stacks.map(({ id }) => records.waitingPlan(id)))).filter(Boolean).length;

      await expect
        .poll(async () => (await wave())?.stopped, { timeout: 60_000 })
        .toMatchObject({
          stack: canaries[0],
          by: null,
          because: 'its apply ended as partly',
        });
      // All others are planned, for people to read; nothing but the canaries is applied.
      await expect.poll(planned, { timeout: 60_000 }).toBeGreaterThanOrEqual(second.length + rest.length);
      await expect
        .poll(async () => (await records.stacks()).filter(({ applied }) => applied === commit).map(({ id }) => id))
        .toEqual(canaries.slice(1));
      expect(rowsOf()).toHaveLength(canaries.length - 1);

      // What had begun is brought to its end also while the wave is stopped.
      isRepaired = true;
      const isApplied = async () => (await records.stack(idOf(broken)))?.applied;
      await expect.poll(isApplied, { timeout: 120_000 }).toBe(commit);
      const { id = '' } = (await wave()) ?? {};
      expect(await records.resumeWave(id, { who: 'alex', because: 'the platform is repaired' })).toBe(true);
      await expect.poll(async () => (await wave())?.ending, { timeout: 120_000 }).toBe('done');
      expect((await records.stacks()).map(({ applied }) => applied)).toEqual(names.map(() => commit));
      const { rows: applies } = await pool.query<{ stack: string; id: string }>(
        `select stack, id from trueup_controller.run where kind = 'apply' and ending = 'done' order by id`,
      );
      const step = ({ stack }: { readonly stack: string }) =>
        [canaries, second, rest].findIndex((one) => one.includes(stack));
      expect(applies.map(step)).toEqual([...canaries.map(() => 0), ...second.map(() => 1), ...rest.map(() => 2)]);

      // Nothing is left to do.
      const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
      const before = posts();
      await pool.query('update trueup_controller.stack set look_at = now()');
      const looks = async () =>
        (await Promise.all(stacks.map(({ id }) => records.runs(id))))
          .flat()
          .filter(({ kind, ending }) => kind === 'drift' && ending === 'in step').length;
      await expect.poll(looks, { timeout: 60_000 }).toBeGreaterThanOrEqual(names.length);
      expect([posts(), await planned()]).toEqual([before, 0]);
      await worker.stop(5_000);
      await platform.close();
    },
  );

  test('lets no commit past its waves that a worker without settings polls', { timeout: 120_000 }, async () => {
    await pool.query(
      'drop schema if exists trueup_controller cascade; drop schema if exists trueup_controller_queue cascade',
    );
    const folder = mkdtempSync(join(tmpdir(), 'trueup-waves-'));
    const repository = join(folder, 'repository');
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-C', repository, ...words]);
    for (const name of names.slice(0, 2)) {
      mkdirSync(join(repository, name), { recursive: true });
      writeFileSync(join(repository, name, 'trueup.yaml'), manifestOf(name));
    }
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'all');
    const start = (waves?: readonly (typeof settings)[], address?: string) =>
      startWorker({
        url: server.url(),
        pool,
        schema: 'trueup_controller',
        states: { schema: 'trueup', key: newStateKey().text() },
        folder: join(folder, 'mirrors'),
        concurrency: 1,
        tickMs: 100,
        waves,
        address,
        onError: () => undefined,
      });
    await (await start([settings], 'https://trueup.example.com')).stop(5_000);
    const { records, stop } = await start();
    expect(await records.pageAddress()).toBe('https://trueup.example.com');
    const keyFile = join(folder, 'key');
    const about = { profile: null, keyFile, envFile: null, connections: 8 };
    await records.addPlatform({ id: 'all', url: 'http://127.0.0.1:9', ...about, labels: { ring: 'canary' } }, 'alex');
    const platforms = [{ platform: 'all', paths: '*' }];
    const polls = { policy: 'automatic', pollSeconds: 60, lookSeconds: 3_600 } as const;
    await records.addSource({ id: 'shops', url: repository, ref: 'refs/heads/main', platforms, ...polls }, 'alex');
    await expect.poll(async () => (await records.stacks()).length, { timeout: 60_000 }).toBe(2);
    expect(await records.waves()).toMatchObject([{ name: 'shops', source: 'shops' }]);
    await stop(5_000);
    // The settings of who has some are the last word, also where they have no wave any more.
    await (await start([])).stop(5_000);
    expect(await records.waveSettings()).toEqual([]);
  });
});
