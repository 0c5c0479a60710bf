import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { metrics } from '../../../src/controller/page/metrics.ts';
import { createServer } from '../../../src/controller/page/server.ts';
import { type Queue, createQueue } from '../../../src/controller/queue.ts';
import { type Records, recordsIn } from '../../../src/controller/records/all.ts';
import { migrate } from '../../../src/controller/schema.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** What monitoring reads, with a PostgreSQL and a queue of its own. */

const missing = whyNoPostgres();
const tokens = [
  { name: 'prometheus', token: 'a-token-of-forty-characters-for-programs', role: 'viewer' as const },
  {
    name: 'acme',
    token: 'another-token-that-sees-stacks-of-acme-only',
    role: 'admin' as const,
    labels: { customer: 'acme' },
  },
];

describe.skipIf(missing !== undefined)(missing ?? 'monitoring', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  let queue: Queue;
  let app: FastifyInstance;
  const errors: unknown[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 5 });
    pool.on('error', () => undefined);
    await migrate(pool, 'c');
    records = recordsIn(pool, 'c');
    queue = await createQueue({ url: server.url(), schema: 'c_queue', onError: () => undefined });
    await queue.start();
    const proxy = {
      from: ['10.0.0.0/8'],
      user: 'x-user',
      groups: 'x-groups',
      secretHeader: 'x-secret',
      secret: 'x'.repeat(40),
    };
    const onError = (error: unknown) => void errors.push(error);
    const parts = [metrics({ queue, tokens, onError })];
    app = createServer({
      address: 'https://trueup.example.com',
      records,
      signIn: { proxy },
      roles: [],
      tokens,
      parts,
      onError,
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await app.close();
    await queue.stop(0);
    await pool.end();
    server.stop();
  });
  beforeEach(async () => {
    await pool.query('truncate c.alarm, c.receiver, c.platform, c.source, c.run, c.plan cascade');
  });

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const { port } = app.server.address() as AddressInfo;
      const sent = request({ host: '127.0.0.1', port, path, headers: { host: 'localhost', ...headers } }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      });
      sent.on('error', reject).end();
    });
  const source = async (id: string, paths: readonly string[], pollSeconds = 60) => {
    await records.addPlatform(
      { id: 'p', url: 'https://a.example', profile: null, keyFile: '/k', envFile: null, connections: 4 },
      'alex',
    );
    const platforms = [{ platform: 'p', paths: '*' }];
    await records.addSource(
      { id, url: '/r', ref: 'refs/heads/main', platforms, policy: 'approval', pollSeconds, lookSeconds: 60 },
      'alex',
    );
    if (paths.length > 0) await records.sawCommit({ id }, 'a'.repeat(40), paths);
  };
  /** The lines of some metrics, without their prefix. */
  const lines = async (...names: readonly string[]) =>
    (await get('/metrics')).text
      .split('\n')
      .filter((line) => names.some((name) => line.startsWith(`trueup_controller_${name}`)))
      .map((line) => line.replace('trueup_controller_', ''));

  test('has two series for each stack and source, and a fixed number of others', async () => {
    const series = async () => (await get('/metrics')).text.split('\n').filter((line) => /^\w/.test(line)).length;
    await source('one', ['a.yaml']);
    const before = await series();
    await source('two', ['a.yaml', 'b.yaml', 'c.yaml']);
    expect((await series()) - before).toBe(2 + 3 * 2);
  });

  test('shows drift, failures, waiting plans and runs as they are in the tables', async () => {
    await source('shop', ['a.yaml', 'quoted".yaml']);
    const commit = 'a'.repeat(40);
    const document = { actions: [] } as never;
    const kept = (await records.stack('shop:a.yaml')) ?? expect.fail('there is no stack');
    await records.keepPlan(kept, { commit, cause: 'drift', document, file: 'plan' });
    await records.stackFailed('shop:quoted".yaml', { problem: 'x', commit, ending: 'refused' });
    const run = await records.beginRun({ id: 'shop:a.yaml' }, { kind: 'plan', cause: 'commit', commit, worker: 'w' });
    expect(await lines('runs', 'stack_', 'plans')).toEqual([
      'runs_active 1',
      'stack_drift{stack="shop:a.yaml"} 1',
      'stack_drift{stack="shop:quoted\\".yaml"} 0',
      'stack_failed{stack="shop:a.yaml"} 0',
      'stack_failed{stack="shop:quoted\\".yaml"} 1',
      'plans_waiting 1',
    ]);
    await records.endRun(run, { ending: 'done' });
    const stack = (await records.stack('shop:a.yaml')) ?? expect.fail('there is no stack');
    await records.inStep(stack, commit, 'digest');
    expect(await lines('runs', 'stack_drift{stack="shop:a.yaml"}', 'plans')).toEqual([
      'runs{kind="plan",ending="done"} 1',
      'runs_active 0',
      'stack_drift{stack="shop:a.yaml"} 0',
      'plans_waiting 0',
    ]);
  });

  test('shows a poll that stopped, and a stack that nothing takes', async () => {
    await source('fresh', ['a.yaml']);
    await source('never', []);
    await pool.query(`update c.source set added_at = now() - interval '6 minutes' where id = 'never'`);
    await pool.query(`update c.stack set look_at = now() + interval '1 hour'`);
    expect(await lines('source_polls', 'source_polled_seconds{source="never"', 'oldest')).toEqual([
      'oldest_due_stack_seconds 0',
      'source_polls_stopped{source="fresh"} 0',
      'source_polls_stopped{source="never"} 1',
    ]);
    await pool.query(`update c.source set polled_at = now() - interval '301 seconds' where id = 'fresh'`);
    await pool.query(`update c.stack set look_at = now() - interval '100 seconds'`);
    const [due, polled, ...stopped] = await lines('oldest', 'source_');
    expect(Number(due?.split(' ')[1])).toBeGreaterThanOrEqual(100);
    expect(Number(polled?.split(' ')[1])).toBeGreaterThanOrEqual(301);
    expect(stopped).toContain('source_polls_stopped{source="fresh"} 1');
    // A paused stack is not late.
    await records.pause({ id: 'fresh:a.yaml' }, { until: new Date(Date.now() + 3_600_000), who: 'alex', because: 'x' });
    expect(await lines('oldest')).toEqual(['oldest_due_stack_seconds 0']);
  });

  test('shows workers by the labels that they name, also where none is alive', async () => {
    expect(await lines('workers')).toEqual(['workers{only=""} 0']);
    const about = { id: 'p', url: 'https://a.example', profile: null, keyFile: '/k', envFile: null, connections: 4 };
    await records.addPlatform({ ...about, only: { site: 'paris', floor: '2' } }, 'alex');
    expect(await lines('workers')).toEqual(['workers{only=""} 0', 'workers{only="floor=2, site=paris"} 0']);
    const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
    for (const id of ids) await records.workerLives(id, await records.site({ site: 'paris', floor: '2' }));
    expect((await lines('workers'))[1]).toBe('workers{only="floor=2, site=paris"} 2');
    await pool.query(`update c.worker set seen_at = now() - interval '31 seconds' where id = $1`, [ids[0]]);
    expect((await lines('workers'))[1]).toBe('workers{only="floor=2, site=paris"} 1');
    await records.workerLives(ids[0], 0);
    await records.workerEnds(ids[1]);
    expect((await lines('workers'))[1]).toBe('workers{only="floor=2, site=paris"} 1');
    await pool.query('delete from c.worker');
  });

  test('shows jobs of each queue by their state, and messages', async () => {
    expect(await lines('queue_jobs{queue="tell"', 'messages')).toEqual([
      'queue_jobs{queue="tell",state="waiting"} 0',
      'queue_jobs{queue="tell",state="active"} 0',
      'queue_jobs{queue="tell",state="dead"} 0',
      'messages{state="waiting"} 0',
      'messages{state="dead"} 0',
    ]);
    await records.setReceivers([{ name: 'json /f', kinds: ['wave'], labels: {} }]);
    await records.raise({ kind: 'wave', subject: 'w', digest: 'x', about: {} });
    expect(await lines('messages')).toEqual(['messages{state="waiting"} 1', 'messages{state="dead"} 0']);
  });

  test.each([
    ['this machine', {}, 200],
    [
      'a token that sees everything',
      { host: 'trueup.example.com', authorization: `Bearer ${tokens[0]?.token ?? ''}` },
      200,
    ],
    ['another name of the page', { host: 'trueup.example.com' }, 401],
    ['a proxy with X-Forwarded-For', { 'x-forwarded-for': '203.0.113.7' }, 401],
    ['a proxy with Forwarded', { forwarded: 'for=203.0.113.7' }, 401],
    ['a proxy with Via', { via: '1.1 proxy' }, 401],
    ['a token of some stacks', { authorization: `Bearer ${tokens[1]?.token ?? ''}` }, 401],
    ['a wrong token', { authorization: 'Bearer guess' }, 401],
  ])('answers %s with its status', async (_who, headers, status) => {
    const answer = await get('/metrics', headers);
    expect(answer.status).toBe(status);
    expect(answer.text.includes('trueup_controller')).toBe(status === 200);
  });

  test('says that the process lives and that it can work, and nothing else', async () => {
    expect(await get('/healthz', { host: 'trueup.example.com' })).toEqual({ status: 200, text: 'ok\n' });
    await expect.poll(async () => (await get('/readyz')).text, { timeout: 30_000 }).toBe('ready\n');
    // The clock of this machine may be hours ahead of that of the database.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 3_600_000 });
    expect((await get('/readyz')).text).toBe('ready\n');
    vi.useRealTimers();
    const [last] = (
      await pool.query<{ name: string }>('delete from c.migration where name = $1 returning name', ['events'])
    ).rows;
    expect(await get('/readyz')).toEqual({ status: 503, text: 'not ready\n' });
    await pool.query('insert into c.migration (name) values ($1)', [last?.name]);
    await expect.poll(async () => (await get('/readyz')).status).toBe(200);
    server.crash();
    expect(await get('/readyz')).toEqual({ status: 503, text: 'not ready\n' });
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    server.start();
    await expect.poll(async () => (await get('/readyz')).status, { timeout: 30_000 }).toBe(200);
    expect(errors.length).toBeGreaterThan(0);
  });
});
