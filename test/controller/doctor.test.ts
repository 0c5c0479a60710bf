import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorker } from '../../src/controller/worker.ts';
import { controllerDoctorDocument } from '../../src/render/document-schemas.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { documentOf, trueup } from '../cli/process.ts';
import { controllerWorld, until } from '../support/controller-world.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

const missing = whyNoPostgres();
const schema = 'trueup_controller';
const key = newStateKey().text();
const checkouts = mkdtempSync(join(tmpdir(), 'trueup-doctor-'));
chmodSync(checkouts, 0o700);

/** What the doctor finds, as `name is message`, and its exit code. */
async function examine(env: Record<string, string>, ...more: readonly string[]) {
  const ran = await trueup(['controller', 'doctor', '--folder', checkouts, '--format', 'json', ...more], { env });
  const { exitCode, checks } = controllerDoctorDocument.parse(documentOf(ran));
  expect([ran.code, ran.err]).toEqual([exitCode, '']);
  expect(ran.out).not.toMatch(/4711|trueup-key-1/);
  return {
    code: ran.code,
    wrong: checks.filter(({ is }) => is !== 'good').map(({ name, is, message }) => `${name} ${is}: ${message}`),
    good: checks.filter(({ is }) => is === 'good').map(({ name, message }) => `${name}: ${message}`),
    remedies: checks.flatMap(({ remedy }) => remedy ?? []),
  };
}

test('without an environment it says what is missing, and what waits for that', async () => {
  const { code, wrong } = await examine({});
  expect(code).toBe(1);
  expect(wrong).toEqual([
    'state key bad: TRUEUP_STATE_KEY is not set: the states of the controller have no key',
    'database bad: TRUEUP_CONTROLLER_URL is not set: the controller has no database',
    ...['version', 'tables', 'queue', 'platform', 'source'].map(
      (name) => `${name} unknown: not known: the database comes first`,
    ),
  ]);
});

test('a database that does not answer is named without its password', async () => {
  const env = { TRUEUP_CONTROLLER_URL: 'postgres://a:secret-4711@127.0.0.1:1/x', TRUEUP_STATE_KEY: key };
  const { code, wrong } = await examine(env);
  expect(code).toBe(1);
  expect(wrong[0]).toMatch(
    /^database bad: the database of the controller postgres:\/\/127.0.0.1:1\/x cannot be reached/,
  );
});

describe.skipIf(missing !== undefined)(missing ?? 'over PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let world: Awaited<ReturnType<typeof controllerWorld>>;

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 8 });
    pool.on('error', () => undefined);
    world = await controllerWorld();
  });
  afterAll(async () => {
    await world.close();
    await pool.end();
    server.stop();
  });
  const env = () => ({ TRUEUP_CONTROLLER_URL: server.url(), TRUEUP_STATE_KEY: key });
  const enrol = (...args: readonly string[]) =>
    trueup(['controller', 'enrol', '--folder', checkouts, ...args], { env: env() });

  test('a new database lacks the tables', async () => {
    const { code, wrong, good } = await examine(env());
    expect(code).toBe(0);
    expect(wrong[0]).toMatch(/^tables warning: they lack platforms, /);
    expect(wrong[1]).toBe('platform unknown: not known: the tables come first');
    expect(good).toEqual([
      'database: it answers',
      expect.stringMatching(/^version: PostgreSQL \d+/),
      'rights: trueup may create schemas',
      expect.stringMatching(/^connections: \d+ are free$/),
      'clock: this machine and the database agree',
      'queue: pg-boss 12.38.0',
      'queue: no worker has made its tables yet',
    ]);
  });

  test('all is well after a run, and then each thing that goes wrong is found', async () => {
    const commit = world.push('redis:7');
    await enrol('--platform', 'paris', '--url', world.url, '--key-file', world.keyFile);
    const source = ['--source', 'shop', '--git', world.repository, '--platform', 'paris'];
    await enrol(...source, '--policy', 'automatic');
    expect((await examine(env())).wrong).toEqual(['poll warning: shop: no worker has read it yet']);
    const worker = await startWorker({
      url: server.url(),
      pool,
      schema,
      states: { schema: 'trueup', key },
      folder: checkouts,
      concurrency: 2,
      tickMs: 200,
      onError: () => undefined,
    });
    await until(async () => (await worker.records.stack('shop:trueup.yaml'))?.applied === commit);
    const writes = world.writes();
    await worker.stop(10_000);
    const well = await examine(env());
    expect([well.code, well.wrong]).toEqual([0, []]);
    expect(well.good).toEqual(
      expect.arrayContaining([
        'tables: up to date',
        'state key: it fits the state of shop:trueup.yaml',
        `platform: paris: ${world.url} answers, and accepts the key`,
        expect.stringMatching(/^source: shop: git reads [0-9a-f]{12}, with one root file$/),
      ]),
    );
    expect(world.writes()).toBe(writes);

    const otherKey = { ...env(), TRUEUP_STATE_KEY: newStateKey().text() };
    expect((await examine(otherKey)).wrong).toEqual([expect.stringMatching(/^state key bad: the state .* key/)]);

    chmodSync(world.keyFile, 0o644);
    const open = await examine(env());
    expect([open.code, open.wrong]).toEqual([
      0,
      [`file warning: the key of paris: every user of this machine can read ${world.keyFile}`],
    ]);
    expect(open.remedies).toEqual([`Run chmod 600 ${world.keyFile}.`]);
    writeFileSync(world.keyFile, 'wrong-key\n');
    chmodSync(world.keyFile, 0o600);
    expect((await examine(env())).wrong).toEqual([
      expect.stringContaining('platform bad: paris, key: the platform rejects the API key (401)'),
    ]);
    writeFileSync(world.keyFile, '');
    const empty = await examine(env());
    expect([empty.code, empty.wrong]).toEqual([
      1,
      [
        `file bad: the key of paris: ${world.keyFile} is empty`,
        'platform unknown: paris: not known, because its key comes first',
      ],
    ]);
    writeFileSync(world.keyFile, 'a-key-4711\n');

    await pool.query(`update ${schema}.source set polled_at = now() - interval '2 hours', url = '/nowhere'`);
    expect((await examine(env())).wrong).toEqual([
      expect.stringMatching(/^source bad: shop: cannot read the source shop: git says:/),
      'poll bad: shop: workers read it last 120 min ago, and should every 60 s',
    ]);
    await pool.query(`update ${schema}.source set polled_at = now(), url = $1, previews = '{preview.yaml}'`, [
      world.repository,
    ]);
    const previews = await examine(env());
    expect([previews.code, previews.wrong, previews.remedies]).toEqual([
      0,
      ['source warning: shop: the source names no forge, and makes no preview by the root file preview.yaml'],
      ['Enrol the source again with --forge and --forge-token-file.'],
    ]);
    await pool.query(`update ${schema}.source set previews = '{}'`);

    const bound = ['--platform', 'paris', '--url', world.url, '--key-file', world.keyFile, '--only', 'site=paris'];
    expect((await enrol(...bound)).code).toBe(0);
    const central = await examine(env());
    expect([central.code, central.wrong]).toEqual([
      1,
      [
        'worker bad: paris: no worker with --only site=paris is alive, and 1 stack has none',
        'platform unknown: paris: not known: workers with --only site=paris reach it',
      ],
    ]);
    expect(central.remedies).toEqual([
      'Start one that reaches the platform: trueup controller work --only site=paris',
      'Run trueup controller doctor --only site=paris where such a worker runs.',
    ]);
    await pool.query(
      `insert into ${schema}.worker (id, site) select gen_random_uuid(), id from ${schema}.site where id <> 0`,
    );
    expect((await examine(env())).wrong).toEqual([central.wrong[1]]);
    const near = await examine(env(), '--only', 'site=paris');
    expect([near.code, near.wrong]).toEqual([0, []]);
    expect(near.good).toEqual(
      expect.arrayContaining([
        'worker: paris: 1 worker with --only site=paris',
        `platform: paris: ${world.url} answers, and accepts the key`,
        expect.stringMatching(/^source: shop: git reads/),
      ]),
    );
    expect((await examine(env(), '--only', 'site=rome')).wrong).toEqual([
      'platform warning: none is enrolled with --only site=rome',
    ]);
    expect((await enrol(...bound.slice(0, 6))).code).toBe(0);

    await pool.query(`insert into ${schema}.receiver (name, kinds, labels) values ('slack /run/url', '{run}', '{}')`);
    const message = `insert into ${schema}.message (receiver, kind, subject, about, problem, dead_at)`;
    await pool.query(`${message} values ('slack /run/url', 'run', 'shop', '{}', 'it answers 404', now())`);
    const untold = await examine(env());
    expect([untold.code, untold.wrong]).toEqual([
      0,
      ['messages warning: slack /run/url did not take 1 message in twelve attempts; the last problem: it answers 404'],
    ]);
    await pool.query(`delete from ${schema}.receiver`);

    // One of the jobs that ended, however many there are by now.
    await pool.query(`update ${schema}_queue.job set state = 'created', name = 'stack_dead'
      where id = (select id from ${schema}_queue.job where name = 'stack' limit 1)`);
    expect((await examine(env())).wrong).toEqual([
      expect.stringMatching(/^dead jobs bad: \d+ of stack failed too often/),
    ]);
    await pool.query(`insert into ${schema}.migration (name) values ('moons')`);
    const newer = await examine(env());
    expect(newer.code).toBe(1);
    expect(newer.wrong).toContain('tables bad: they are of a newer Trueup, which has moons');
  });

  test('a user who may not create schemas is named', async () => {
    await pool.query(`create role guest login password 'guest-4711'`);
    await pool.query(`grant usage on schema ${schema} to guest`);
    await pool.query(`grant select on all tables in schema ${schema} to guest`);
    const url = new URL(server.url());
    [url.username, url.password] = ['guest', 'guest-4711'];
    await pool.query(`grant usage on schema ${schema}_queue to guest`);
    await pool.query(`grant select on all tables in schema ${schema}_queue to guest`);
    const { code, wrong, remedies } = await examine({ ...env(), TRUEUP_CONTROLLER_URL: String(url) });
    expect(code).toBe(1);
    expect(wrong).toContain('rights bad: guest may not create schemas in this database');
    expect(remedies).toContain('Run as its owner: grant create on database NAME to "guest";');
  });
});
