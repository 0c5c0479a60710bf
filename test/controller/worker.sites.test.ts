import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Records, recordsIn } from '../../src/controller/records/all.ts';
import { migrate } from '../../src/controller/schema.ts';
import type { Labels } from '../../src/controller/settings.ts';
import { startWorker } from '../../src/controller/worker.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { until } from '../support/controller-world.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** Workers with and without --only, over a PostgreSQL, a repository and two platforms: one of them is bound to labels. */

const missing = whyNoPostgres();
const [open, shop] = ['sites:open/trueup.yaml', 'sites:shop/trueup.yaml'] as const;
const paris = { site: 'paris' };

const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], { cwd, encoding: 'utf8' });
const manifest = (image: string) =>
  `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      main: { dockerImage: "${image}", databasePassword: a }\n`;

describe.skipIf(missing !== undefined)(missing ?? 'a worker', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 16 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });
  beforeEach(async () => {
    await pool.query('drop schema if exists c cascade; drop schema if exists c_queue cascade');
    await pool.query('drop schema if exists s cascade');
    await migrate(pool, 'c');
    records = recordsIn(pool, 'c');
  });

  /** A repository with a stack on each of two platforms; the second is bound to labels. */
  async function world(only: Labels) {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-sites-'));
    const repository = join(folder, 'repository');
    mkdirSync(repository);
    git(repository, 'init', '-q', '-b', 'main');
    const push = (image: string): string => {
      for (const name of ['open', 'shop']) {
        mkdirSync(join(repository, name), { recursive: true });
        writeFileSync(join(repository, name, 'trueup.yaml'), manifest(image));
      }
      git(repository, 'add', '-A');
      git(repository, 'commit', '-q', '-m', image);
      return git(repository, 'rev-parse', 'HEAD').trim();
    };
    const platforms = await Promise.all(
      ['open', 'shop'].map(async (id) => {
        const emulator = createEmulator({ apiKey: `key-of-${id}` });
        const platform = await serve(emulator);
        onTestFinished(() => platform.close());
        writeFileSync(join(folder, id), `key-of-${id}\n`, { mode: 0o600 });
        const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
        const creates = () => emulator.log.filter(({ operation }) => operation === 'redis.create').length;
        const enrol = (bound: Labels) =>
          records.addPlatform(
            {
              id,
              url: platform.url,
              profile: null,
              keyFile: join(folder, id),
              envFile: null,
              connections: 4,
              labels: { customer: id },
              only: bound,
            },
            'alex',
          );
        return { emulator, posts, creates, enrol };
      }),
    );
    const [first, second] = platforms;
    if (first === undefined || second === undefined) throw new Error('there are two');
    await first.enrol({});
    await second.enrol(only);
    const commit = push('redis:7');
    await records.addSource(
      {
        id: 'sites',
        url: repository,
        ref: 'refs/heads/main',
        platforms: ['open', 'shop'].map((id) => ({ platform: id, paths: `${id}/*` })),
        policy: 'automatic',
        pollSeconds: 1,
        lookSeconds: 3_600,
      },
      'alex',
    );
    const key = newStateKey().text();
    /** Starts a worker, and gives the jobs that it has done: each queue with its key. */
    const start = async (bound: Labels = {}) => {
      const done = new Set<string>();
      const errors: unknown[] = [];
      const worker = await startWorker({
        url: server.url(),
        pool,
        schema: 'c',
        states: { schema: 's', key },
        folder: join(folder, 'checkouts'),
        concurrency: 2,
        only: bound,
        tickMs: 100,
        onError: (error) => errors.push(error),
        onDone: ({ queue, key: of }) => void done.add(`${queue} ${of}`),
      });
      let isStopped = false;
      const stop = async (): Promise<void> => {
        if (isStopped) return;
        isStopped = true;
        await worker.stop(10_000);
      };
      onTestFinished(stop);
      return { done, errors, stop };
    };
    const isAt = async (id: string, wanted: string) => (await records.stack(id))?.applied === wanted;
    /** Has both stacks looked at again: a plan of what is applied has no changes, and sends nothing. */
    const plansNothing = async (...ids: readonly string[]): Promise<void> => {
      const looks = async (id: string) => (await records.runs(id)).filter(({ ending }) => ending === 'in step').length;
      const before = platforms.map(({ posts }) => posts());
      for (const id of ids) {
        const former = await looks(id);
        await records.runSoon({ id }, 'alex');
        await until(async () => (await looks(id)) > former);
      }
      expect(platforms.map(({ posts }) => posts())).toEqual(before);
    };
    return { commit, push, start, isAt, plansNothing, open: first, shop: second };
  }
  const applies = async (id: string) => (await records.runs(id)).filter(({ kind }) => kind === 'apply').length;
  const alarms = async () => (await records.alarms()).map(({ kind, subject, about }) => ({ kind, subject, about }));

  test('with --only takes the stacks of its platforms and nothing else, and one without takes the others', async () => {
    const { commit, start, isAt, plansNothing, shop: bound } = await world(paris);
    const [near, central] = [await start(paris), await start()];
    await until(async () => (await isAt(open, commit)) && isAt(shop, commit));
    await plansNothing(open, shop);
    const onStacks = (done: ReadonlySet<string>) => [...done].filter((job) => /^(?:stack|follow) /.test(job));
    expect(onStacks(central.done).filter((job) => job.endsWith(shop))).toEqual([]);
    expect([...near.done].filter((job) => !job.endsWith(shop))).toEqual([]);
    expect(onStacks(near.done)).not.toEqual([]);
    expect(central.done.has('look sites')).toBe(true);
    expect([bound.creates(), await applies(shop), await applies(open)]).toEqual([1, 1, 1]);
    expect(await alarms()).toEqual([]);
    expect(await records.sites()).toEqual([{ only: paris, platforms: ['shop'], stacks: 1, workers: 1 }]);
    expect((await records.figures()).workers).toEqual([
      { only: {}, count: 1 },
      { only: paris, count: 1 },
    ]);
    await near.stop();
    expect((await records.sites()).map(({ workers }) => workers)).toEqual([0]);
  });

  test('without --only leaves a stack that it does not reach: that shows, is told once, and ends with a worker there', async () => {
    const { commit, start, isAt, plansNothing, shop: bound } = await world(paris);
    await records.setReceivers([
      { name: 'json /all', kinds: ['worker'], labels: {} },
      { name: 'json /shop', kinds: ['worker'], labels: { customer: 'shop' } },
      { name: 'json /open', kinds: ['worker'], labels: { customer: 'open' } },
    ]);
    const central = await start();
    await until(() => isAt(open, commit));
    const raised = { kind: 'worker', subject: 'shop', about: { options: '--only site=paris' } };
    await until(async () => (await alarms()).length > 0);
    expect(await alarms()).toEqual([raised]);
    await plansNothing(open);
    const messages = async () =>
      (await pool.query<{ receiver: string }>('select receiver from c.message order by receiver')).rows.map(
        ({ receiver }) => receiver,
      );
    expect(await messages()).toEqual(['json /all', 'json /shop']);
    expect([...central.done].filter((job) => job.endsWith(shop))).toEqual([]);
    expect([await records.runs(shop), bound.emulator.log.length]).toEqual([[], 0]);
    expect(await records.shownStack(shop)).toMatchObject({ only: paris, isServed: false });
    expect(await records.shownStack(open)).toMatchObject({ only: {}, isServed: true });
    expect((await records.shownPlatforms()).map(({ id, isServed }) => [id, isServed])).toEqual([
      ['open', true],
      ['shop', false],
    ]);
    expect((await records.figures()).oldestDue).toBeGreaterThan(0);
    const elsewhere = await start({ site: 'rome' });
    await start(paris);
    await until(async () => (await isAt(shop, commit)) && (await alarms()).length === 0);
    await plansNothing(shop);
    expect([await messages(), [...elsewhere.done], bound.creates()]).toEqual([[], [], 1]);
    expect(await records.shownStack(shop)).toMatchObject({ isServed: true });
  });

  test('takes what waits for a platform that is moved to it, once, and loses and doubles nothing', async () => {
    const { commit, push, start, isAt, plansNothing, shop: moved } = await world(paris);
    const central = await start();
    const jobs = async (): Promise<readonly number[]> =>
      (
        await pool.query<{ priority: number }>(
          `select priority from c_queue.job where name = 'stack' and state < 'active' and singleton_key = $1`,
          [shop],
        )
      ).rows.map(({ priority }) => priority);
    const isWaitingAt = async (only: Labels) => {
      const [site, waiting] = [await records.site(only), await jobs()];
      return waiting.length === 1 && waiting[0] === site;
    };
    // A job waits for workers that do not come: the platform is bound to none any more.
    await until(() => isWaitingAt(paris));
    await moved.enrol({});
    await until(async () => (await isAt(shop, commit)) && (await jobs()).length === 0);
    await plansNothing(shop);
    expect([moved.creates(), await applies(shop)]).toEqual([1, 1]);

    // From workers without --only to others, with a new commit.
    const upstairs = { ...paris, floor: '2' };
    await moved.enrol(upstairs);
    const second = push('redis:7.4');
    await until(async () => (await isWaitingAt(upstairs)) && isAt(open, second));
    expect([await isAt(shop, second), await applies(shop)]).toEqual([false, 1]);
    central.done.clear();
    const wrong = await start(paris);
    const right = await start({ floor: '2', ...paris });
    await until(() => isAt(shop, second));
    await plansNothing(open, shop);
    expect([[...wrong.done], right.done.has(`stack ${shop}`)]).toEqual([[], true]);

    // And on to other workers, while its own have nothing to do.
    await moved.enrol(paris);
    const third = push('redis:7.4.1');
    await until(async () => (await isAt(shop, third)) && isAt(open, third));
    await plansNothing(shop);
    expect([wrong.done.has(`stack ${shop}`), [...central.done].filter((job) => job.endsWith(shop))]).toEqual([
      true,
      [],
    ]);
    expect([moved.creates(), await applies(shop), await applies(open)]).toEqual([1, 3, 3]);
  });
});
