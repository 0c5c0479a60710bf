import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Queue, createQueue, pgBossVersion } from '../../src/controller/queue.ts';
import { bundled } from '../support/bundled.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { proxyTo, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/**
 * What the controller needs of its queue; the table before each update of pg-boss. The timers are those of the queue: the tests
 * wait at the same time, each in a schema of its own.
 */

const root = resolve(import.meta.dirname, '../..');
const missing = whyNoPostgres();

/** A promise that a test settles. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((done) => (open = done));
  return { open, opened };
}

const aborted = (signal: AbortSignal) => new Promise((done) => signal.addEventListener('abort', done));
const pause = (ms: number) => new Promise((done) => void setTimeout(done, ms));

describe.skipIf(missing !== undefined).concurrent(missing ?? 'with a PostgreSQL of its own', () => {
  let server: PostgresServer;
  let admin: pg.Client;
  const left: Queue[] = [];
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Client({ connectionString: server.url() });
    await admin.connect();
  });
  afterAll(async () => {
    await Promise.all(left.map((queue) => queue.stop(0)));
    await admin.end();
    server.stop();
  });

  /** A queue with what its handlers began, and the errors that it told. */
  async function opened({ retries = 100, port = server.port, schema = `queue_${++schemas}` } = {}) {
    const began: string[] = [];
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const queue = await createQueue({ url: server.url(port), schema, onError, retries });
    await queue.start();
    left.push(queue);
    const work = (
      options: { readonly concurrency: number; readonly groupConcurrency?: number; readonly site?: number },
      handler: (key: string, signal: AbortSignal) => Promise<void> | void = () => undefined,
    ) =>
      queue.work('stack', options, async (key, signal) => {
        began.push(key);
        await handler(key, signal);
      });
    /** Jobs that wait or run, and dead ones, as they are now. */
    const jobs = async () => {
      const { rows } = await admin.query<{ open: number; dead: number }>(
        `select count(*) filter (where name = 'stack' and state <= 'active')::int as open,
          count(*) filter (where name = 'stack_dead')::int as dead from ${schema}.job`,
      );
      return rows[0];
    };
    return { queue, schema, began, errors, work, jobs };
  }

  test('other keys go on while one is busy, and all run', async ({ expect }) => {
    const { queue, began, work } = await opened();
    const busy = gate();
    await work({ concurrency: 2 }, (key) => (key === 'busy' ? busy.opened : undefined));
    await queue.send('stack', 'busy');
    await expect.poll(() => began).toEqual(['busy']);
    await queue.send('stack', 'busy');
    const others = Array.from({ length: 30 }, (_, at) => `other ${at}`);
    for (const key of others) await queue.send('stack', key);
    await expect.poll(() => began.length).toBe(31);
    expect(began.slice(1).toSorted()).toEqual(others.toSorted());
    // They are as old as the last look of pg-boss, which a busy machine delays.
    await expect
      .poll(async () => (await queue.counts()).stack, { timeout: 60_000 })
      .toEqual({ waiting: 1, active: 1, dead: 0 });
    busy.open();
    await expect.poll(() => began.at(-1)).toBe('busy');
  });

  test('a hundred sends to a busy key are one more run', async ({ expect }) => {
    const { queue, began, work, jobs } = await opened();
    const busy = gate();
    await work({ concurrency: 3 }, () => busy.opened);
    await queue.send('stack', 'one');
    await expect.poll(() => began).toEqual(['one']);
    for (let ten = 0; ten < 10; ten++) await Promise.all(Array.from({ length: 10 }, () => queue.send('stack', 'one')));
    await expect.poll(jobs).toEqual({ open: 2, dead: 0 });
    busy.open();
    await expect.poll(jobs).toEqual({ open: 0, dead: 0 });
    expect(began).toEqual(['one', 'one']);
  });

  test('a group has few at a time, and holds up no other', async ({ expect }) => {
    const { queue, began, work } = await opened();
    const busy = gate();
    await work({ concurrency: 6, groupConcurrency: 2 }, (key) => (key.startsWith('p') ? busy.opened : undefined));
    for (const [at, key] of ['p1', 'p2'].entries()) {
      await queue.send('stack', key, { group: 'p' });
      await expect.poll(() => began.length).toBe(at + 1);
    }
    for (const key of ['p3', 'p4', 'p5']) await queue.send('stack', key, { group: 'p' });
    await queue.send('stack', 'q1', { group: 'q' });
    await queue.send('stack', 'none');
    await expect.poll(() => began.toSorted()).toEqual(['none', 'p1', 'p2', 'q1']);
    busy.open();
    await expect.poll(() => began.length).toBe(7);
  });

  test('a job of a site is for its workers alone, waits for them, and moves with what is sent next', async ({
    expect,
  }) => {
    const here = await opened();
    const there = await opened({ schema: here.schema });
    const { queue } = here;
    await queue.send('stack', 'waits', { site: 7 });
    await queue.send('stack', 'moves', { site: 7 });
    await queue.send('stack', 'later', { site: 7, afterSeconds: 600 });
    await here.work({ concurrency: 2 });
    await queue.send('stack', 'own');
    await expect.poll(() => here.began).toEqual(['own']);
    await queue.send('stack', 'moves');
    await queue.send('stack', 'later');
    await expect.poll(() => here.began.toSorted()).toEqual(['later', 'moves', 'own']);
    await expect.poll(here.jobs).toEqual({ open: 1, dead: 0 });
    await there.work({ concurrency: 2, site: 7 });
    await expect.poll(() => there.began).toEqual(['waits']);
    await expect.poll(here.jobs).toEqual({ open: 0, dead: 0 });
    expect(here.began).toHaveLength(3);
  });

  test('a key that runs at one site and is sent to another runs there afterwards, never at the same time', async ({
    expect,
  }) => {
    const here = await opened();
    const there = await opened({ schema: here.schema });
    const busy = gate();
    await here.work({ concurrency: 1 }, () => busy.opened);
    await there.work({ concurrency: 1, site: 7 });
    await here.queue.send('stack', 'one');
    await expect.poll(() => here.began).toEqual(['one']);
    await here.queue.send('stack', 'one', { site: 7 });
    await here.queue.send('stack', 'beside', { site: 7 });
    await expect.poll(() => there.began).toContain('beside');
    expect(there.began).toEqual(['beside']);
    busy.open();
    await expect.poll(() => there.began).toEqual(['beside', 'one']);
    await expect.poll(here.jobs).toEqual({ open: 0, dead: 0 });
  });

  test('what fails too often is dead, and a later send of its key is done all the same', async ({ expect }) => {
    const { queue, schema, began, errors, work } = await opened({ retries: 1 });
    let isBroken = true;
    await work({ concurrency: 1 }, () => {
      if (isBroken) throw new Error('the key is canary-4711');
    });
    await queue.send('stack', 'one');
    await expect.poll(async () => (await queue.counts()).stack).toEqual({ waiting: 0, active: 0, dead: 1 });
    expect(began).toEqual(['one', 'one']);
    expect(errors.map(String)).toEqual(Array.from({ length: 2 }, () => 'Error: the key is canary-4711'));
    const { rows } = await admin.query(`select jobs::text as text from ${schema}.job jobs`);
    expect(JSON.stringify(rows)).toContain('one');
    expect(JSON.stringify(rows)).not.toContain('canary');
    isBroken = false;
    await queue.send('stack', 'one');
    await expect.poll(() => began.length).toBe(3);
  });

  test('a key that fails while a former failure of it waits is tried again once, and is not dead', async ({
    expect,
  }) => {
    const { queue, began, work, jobs } = await opened();
    const busy = gate();
    await work({ concurrency: 1 }, async () => {
      await busy.opened;
      if (began.length < 3) throw new Error('not yet');
    });
    await queue.send('stack', 'one');
    await expect.poll(() => began.length).toBe(1);
    await queue.send('stack', 'one');
    busy.open();
    await expect.poll(() => began.length).toBe(3);
    await expect.poll(jobs).toEqual({ open: 0, dead: 0 });
    expect(began.length).toBe(3);
  });

  test('what is to be done now does not wait for what was to be done later', async ({ expect }) => {
    const { queue, began, work } = await opened();
    await work({ concurrency: 1 });
    await queue.send('stack', 'one', { afterSeconds: 600 });
    await queue.send('stack', 'other');
    await expect.poll(() => began).toEqual(['other']);
    await queue.send('stack', 'one');
    await queue.send('stack', 'one', { afterSeconds: 600 });
    await expect.poll(() => began).toEqual(['other', 'one']);
    await queue.send('stack', 'soon', { afterSeconds: 1 });
    await expect.poll(() => began.at(-1)).toBe('soon');
  });

  test('a job of a transaction is there once that commits, and never after a rollback', async ({ expect }) => {
    const { queue, began, work } = await opened();
    await work({ concurrency: 1 });
    const client = new pg.Client({ connectionString: server.url() });
    await client.connect();
    for (const [key, end] of [
      ['undone', 'rollback'],
      ['done', 'commit'],
    ] as const) {
      await client.query('begin');
      await queue.send('stack', key, { db: client });
      await queue.send('stack', `beside ${key}`);
      await expect.poll(() => began.at(-1)).toBe(`beside ${key}`);
      await client.query(end);
    }
    await expect.poll(() => began).toEqual(['beside undone', 'beside done', 'done']);
    await client.end();
  });

  test('two that start at once share a schema; one that stops lets end what ends, and the other begins the rest', async ({
    expect,
  }) => {
    const schema = 'queue_of_two';
    const [first, second] = await Promise.all([opened({ schema }), opened({ schema })]);
    const told: string[] = [];
    const goesOn = gate();
    await first.work({ concurrency: 3 }, async (key, signal) => {
      if (key === 'short') await goesOn.opened;
      else if (key === 'deaf') await new Promise(() => undefined);
      else await aborted(signal);
      told.push(`${key} ${signal.aborted ? 'was told' : 'ended'}`);
    });
    for (const key of ['short', 'long', 'deaf']) await first.queue.send('stack', key);
    await expect.poll(() => first.began.length).toBe(3);
    const stopped = first.queue.stop(1_000);
    goesOn.open();
    await stopped;
    expect(told).toEqual(['short ended', 'long was told']);
    expect(first.errors.map(String)).toEqual(['Error: the worker stops']);
    await second.work({ concurrency: 3 });
    await expect.poll(() => second.began.toSorted()).toEqual(['deaf', 'long']);
    await expect.poll(second.jobs).toEqual({ open: 0, dead: 0 });
    expect(second.began).toHaveLength(2);
  });

  test('a worker whose job is gone is told', async ({ expect }) => {
    const { queue, schema, began, errors, work } = await opened();
    await work({ concurrency: 1 }, async (_key, signal) => {
      await aborted(signal);
    });
    await queue.send('stack', 'one');
    await expect.poll(() => began).toEqual(['one']);
    await admin.query(`delete from ${schema}.job where name = 'stack'`);
    await expect.poll(() => errors.map(String).join('')).toContain('no longer active');
  });

  test('what a killed process had is begun again within 45 s', async ({ expect }) => {
    const [program] = bundled(['test/controller/queue-worker.ts']);
    const { queue, schema, began, work } = await opened();
    const child = spawn(process.execPath, [program, server.url(), schema], { stdio: ['ignore', 'pipe', 'inherit'] });
    await queue.send('stack', 'one');
    const [text] = (await once(child.stdout, 'data')) as [Buffer];
    expect(text.toString()).toBe('began one\n');
    await work({ concurrency: 1 });
    child.kill('SIGKILL');
    const from = performance.now();
    await once(child, 'close');
    await expect.poll(() => began).toEqual(['one']);
    expect(performance.now() - from).toBeLessThan(45_000);
  });

  test('what a clock wrote that was five hours ahead is begun soon after it was set back', async ({ expect }) => {
    const { queue, schema, began, work } = await opened();
    const ahead = `now() + interval '5 hours'`;
    for (const key of ['waits', 'ran']) await queue.send('stack', key);
    await expect.poll(() => queue.unsupervisedFor(), { timeout: 30_000 }).toEqual(expect.any(Number));
    await admin.query(`update ${schema}.job set start_after = ${ahead} where singleton_key = 'waits'`);
    await admin.query(`update ${schema}.job set state = 'active', started_on = ${ahead}, heartbeat_on = ${ahead}
      where singleton_key = 'ran'`);
    await admin.query(
      `update ${schema}.queue set monitor_on = ${ahead}, monitor_claim_on = ${ahead}, maintain_on = ${ahead}`,
    );
    await work({ concurrency: 1 });
    await pause(3_000);
    expect(began).toEqual([]);
    await queue.outliveSetBack();
    await expect.poll(() => began, { timeout: 45_000 }).toEqual(['waits', 'ran']);
    expect(await queue.unsupervisedFor()).toBeLessThan(60);
  });

  test.for(['cut', 'before'] as const)(
    'a connection that is lost for some seconds (%s) loses no job',
    async (fault, { expect }) => {
      const proxy = await proxyTo(server.port);
      const far = await opened({ port: proxy.port });
      const near = await opened({ schema: far.schema });
      const busy = gate();
      await far.work({ concurrency: 2 }, (key) => (key === 'busy' ? busy.opened : undefined));
      await near.queue.send('stack', 'busy');
      await expect.poll(() => far.began).toEqual(['busy']);
      proxy.fault = () => fault;
      await near.queue.send('stack', 'meanwhile');
      await expect(far.queue.send('stack', 'unsent')).rejects.toThrow();
      busy.open(); // it cannot say that it is done: it is done again
      await pause(3_000);
      proxy.fault = undefined;
      // At least once: what was begun while the answer was lost is begun again, too.
      const times = (key: string) => far.began.filter((one) => one === key).length;
      await expect.poll(() => times('busy')).toBeGreaterThan(1);
      await expect.poll(() => times('meanwhile')).toBeGreaterThan(0);
      await far.queue.send('stack', 'sent');
      await expect.poll(() => times('sent')).toBeGreaterThan(0);
      expect(far.errors.length).toBeGreaterThan(0);
      // The log prints their messages, and one that comes again once a minute.
      expect(far.errors.filter((error) => !(error instanceof Error) || error.message.includes('Worker:'))).toEqual([]);
      await far.queue.stop(0);
      await proxy.close();
    },
  );
});

test('pg-boss is the version that is tested here, and whoever runs the controller installs it', () => {
  const { devDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'devDependencies' | 'peerDependencies',
    Record<string, string>
  >;
  expect(devDependencies['pg-boss']).toBe(pgBossVersion);
  expect(peerDependencies).toEqual({ 'pg-boss': pgBossVersion });
  const file = join(mkdtempSync(join(tmpdir(), 'trueup-without-')), 'queue.mjs');
  const entry = join(root, 'src/controller/queue.ts');
  buildSync({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['pg-boss'],
  });
  const code = `import(${JSON.stringify(file)}).then(({ createQueue }) => createQueue({})).catch((error) =>
    console.log(JSON.stringify([error.failure, ...error.diagnostics])));`;
  const [failure, told] = JSON.parse(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' })) as unknown[];
  expect(failure).toBe('usage');
  expect(told).toMatchObject({ remedy: expect.stringContaining(`npm install pg-boss@${pgBossVersion}`) as string });
});
