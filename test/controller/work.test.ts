import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pgBossVersion } from '../../src/controller/queue.ts';
import { recordsIn } from '../../src/controller/records/all.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { documentOf, finish, program, start, trueup, trueupProcess } from '../cli/process.ts';
import { controllerWorld, until } from '../support/controller-world.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** Workers and the tables, by the commands, as processes over a PostgreSQL, a repository and a platform of their own. */

const missing = whyNoPostgres();
const schema = 'trueup_controller';
const key = newStateKey().text();

test('a key is another one each time, and has the form of a key of states', async () => {
  const made = await Promise.all([trueup(['controller', 'key']), trueup(['controller', 'key', '--format', 'json'])]);
  const [text = '', json = ''] = made.map(({ out }) => out);
  expect(text).toMatch(/^trueup-key-1-[\w-]{48}\n$/);
  expect(JSON.parse(json)).toEqual({
    format: 'trueup/controller-key',
    version: 1,
    key: expect.stringMatching(/^trueup-key-1-[\w-]{48}$/),
  });
  expect(json).not.toContain(text.trim());
});

test.each([
  [{}, 'TRUEUP_CONTROLLER_URL is not set: the controller has no database'],
  [{ TRUEUP_CONTROLLER_URL: 'mysql://a' }, 'TRUEUP_CONTROLLER_URL is not postgres://user:password@host/database'],
  [{ TRUEUP_CONTROLLER_URL: 'postgres://a:secret-4711@127.0.0.1:1/x' }, 'TRUEUP_STATE_KEY is not set'],
  [{ TRUEUP_CONTROLLER_URL: 'postgres://a@b/x', TRUEUP_STATE_KEY: 'short-4711' }, 'TRUEUP_STATE_KEY is no key of a'],
  [{ TRUEUP_CONTROLLER_URL: 'postgres://a@b/x', TRUEUP_CONTROLLER_URL_FILE: '/x' }, 'are both set'],
  [
    { TRUEUP_CONTROLLER_URL_FILE: '${CREDENTIALS_DIRECTORY}/url' },
    'names CREDENTIALS_DIRECTORY, which the environment',
  ],
  [
    { TRUEUP_CONTROLLER_URL: 'postgres://a:secret-4711@127.0.0.1:1/x', TRUEUP_STATE_KEY: key },
    'the database of the controller postgres://127.0.0.1:1/x cannot be reached (connect ECONNREFUSED 127.0.0.1:1)',
  ],
])('a worker does not start with an environment that is wrong: %#', async (env, message) => {
  const ran = await trueup(['controller', 'work'], { env });
  expect([ran.code === 0, ran.out]).toEqual([false, '']);
  expect(ran.err).toContain(message);
  expect(ran.err).not.toMatch(/4711|trueup-key-1-/);
});

test('a worker with --only takes no settings: waves and messages are for the others', async () => {
  const ran = await trueup(['controller', 'work', '--only', 'site=paris', '--settings', 'controller.yaml']);
  expect([ran.code, ran.out]).toEqual([1, '']);
  expect(ran.err).toContain('--settings is for workers without --only');
});

test('without pg-boss each of them says how to install it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-alone-'));
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(dirname(program()), '..', name), join(folder, name), { recursive: true });
  for (const command of ['work', 'migrate']) {
    const words = [join(folder, 'bin/trueup.js'), 'controller', command];
    const env = { TRUEUP_CONTROLLER_URL: 'postgres://a@127.0.0.1:1/x', TRUEUP_STATE_KEY: key };
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
    expect(status).toBe(1);
    expect(stderr).toContain('The controller needs the package pg-boss, which is not installed');
    expect(stderr).toContain(`npm install pg-boss@${pgBossVersion}`);
  }
});

describe.skipIf(missing !== undefined)(missing ?? 'over PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  const running = new Set<ChildProcess>();
  const closing: { close: () => Promise<void> }[] = [];

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 3 });
    pool.on('error', () => undefined);
  });
  afterEach(async () => {
    for (const child of running) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    running.clear();
  });
  afterAll(async () => {
    await Promise.all(closing.map((one) => one.close()));
    await pool.end();
    server.stop();
  });

  const environment = () => ({ TRUEUP_CONTROLLER_URL: server.url(), TRUEUP_STATE_KEY: key });

  /** Starts a worker, and waits until it works. */
  async function startWorker(...more: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-command-'));
    const args = ['controller', 'work', '--folder', join(folder, 'checkouts'), '--format', 'json', ...more];
    const child = start(args, { env: environment() });
    running.add(child);
    const ended = finish(child);
    await Promise.race([
      once(child.stdout, 'data'),
      ended.then(({ err }) => Promise.reject(new Error(`it ended: ${err}`))),
    ]);
    return { child, ended };
  }

  test('tables are made, and made once; those of a newer version are refused, and older ones unless they may be changed', async () => {
    const env = environment();
    const first = documentOf(await trueupProcess(['controller', 'migrate', '--format', 'json'], { env }));
    expect(first).toMatchObject({
      format: 'trueup/controller-migration',
      migrations: expect.arrayContaining(['events']),
    });
    const again = await trueupProcess(['controller', 'migrate'], { env });
    expect(again).toEqual({ code: 0, out: 'The tables are up to date.\n', err: '' });

    await pool.query(`delete from ${schema}.migration where name = 'events'`);
    const older = await trueupProcess(['controller', 'work', '--no-migrate'], { env });
    expect(older.code).toBe(1);
    expect(older.err).toContain(`the tables in ${schema} are of an older Trueup: they lack events`);
    await pool.query(`insert into ${schema}.migration (name) values ('events'), ('moons')`);
    for (const command of ['work', 'migrate']) {
      const newer = await trueupProcess(['controller', command], { env });
      expect(newer.code).toBe(1);
      expect(newer.err).toContain(`the tables in ${schema} are of a newer Trueup, which has moons`);
      expect(newer.err).toContain('restore the copy of the tables from before the upgrade');
    }
    await pool.query(`delete from ${schema}.migration where name = 'moons'`);
  });

  test('a user without rights is told what the database refuses', async () => {
    await pool.query(`create role guest login password 'guest-4711'`);
    const url = new URL(server.url());
    [url.username, url.password] = ['guest', 'guest-4711'];
    const env = { TRUEUP_CONTROLLER_URL: String(url), TRUEUP_STATE_KEY: key };
    const ran = await trueupProcess(['controller', 'migrate'], { env });
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('the database refuses: permission denied for');
    expect(ran.err).not.toContain('4711');
  });

  test('a worker applies a commit, then plans nothing, and ends at SIGTERM with a log without secrets', async () => {
    const world = await controllerWorld();
    closing.push(world);
    const { url, keyFile, repository, push } = world;
    const records = recordsIn(pool, schema);
    await trueupProcess(['controller', 'migrate'], { env: environment() });
    await records.addPlatform({ id: 'main', url, profile: null, keyFile, envFile: null, connections: 4 }, 'a test');
    const commit = push('redis:7');
    await records.addSource(
      {
        id: 'shop',
        url: repository,
        ref: 'refs/heads/main',
        platforms: [{ platform: 'main', paths: '**' }],
        policy: 'automatic',
        pollSeconds: 1,
        lookSeconds: 3_600,
      },
      'a test',
    );
    const { child, ended } = await startWorker('--log', 'json');
    await until(async () => (await records.stack('shop:trueup.yaml'))?.applied === commit);
    const writes = world.writes();
    expect(writes).toBeGreaterThan(0);
    await pool.query(`update ${schema}.stack set look_at = now()`);
    await until(async () =>
      (await records.runs('shop:trueup.yaml')).some(({ kind, ending }) => kind === 'drift' && ending === 'in step'),
    );
    expect(world.writes()).toBe(writes);
    child.kill('SIGTERM');
    const { code, out, err } = await ended;
    expect([code, JSON.parse(out)]).toEqual([0, { format: 'trueup/controller', version: 1, works: true }]);
    const lines = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const events = lines.map(({ event, queue, key: of }) =>
      [event, queue, of].filter((one) => one !== undefined).join(' '),
    );
    expect(events).toEqual(
      expect.arrayContaining(['started', 'done look shop', 'done stack shop:trueup.yaml', 'stopping', 'stopped']),
    );
    expect(err).not.toContain(key);
    expect(err).not.toContain(server.password);
  });

  test('a worker with --only says the labels of its platforms, and that none has them', async () => {
    const { child, ended } = await startWorker('--only', 'site=nowhere');
    child.kill('SIGTERM');
    const { code, err } = await ended;
    expect([code, err]).toEqual([0, expect.stringContaining(' only="site=nowhere"')]);
    expect(err).toContain(
      'no platform is enrolled with --only site=nowhere: this worker has nothing to do until one is',
    );
  });
});
