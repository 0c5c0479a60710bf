import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Checkouts } from '../../src/controller/checkouts.ts';
import { type Policy, type Records, recordsIn } from '../../src/controller/records.ts';
import { type Running, runStack } from '../../src/controller/run-stack.ts';
import { migrate } from '../../src/controller/schema.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { open, planDocument, platformAt, stateAt } from '../../src/index.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { edit } from '../support/drifting.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** How a worker brings a stack on, with a PostgreSQL and a platform of its own; git is a folder for each commit. */

const missing = whyNoPostgres();
const manifest = (image: string, more = '') =>
  `trueup: 1\nplatform: { url: "https://elsewhere.example" }\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      main: { dockerImage: "${image}", databasePassword: "\${secret:DB}" }\n${more}`;

describe.skipIf(missing !== undefined)(missing ?? 'a stack', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let platform: Awaited<ReturnType<typeof serve>>;
  let emulator: ReturnType<typeof createEmulator>;
  let running: Running;
  let records: Records;
  const commits = new Map<string, string>();
  const signal = new AbortController().signal;
  const states = { schema: 'trueup', key: newStateKey().text() };

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 5 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  /** A platform, a source with a stack on it, and what a worker has. */
  beforeEach(async () => {
    await pool.query('drop schema if exists trueup_controller cascade; drop schema if exists trueup cascade');
    commits.clear();
    emulator = createEmulator({ apiKey: 'a-key' });
    platform = await serve(emulator);
    const folder = mkdtempSync(join(tmpdir(), 'trueup-controller-'));
    writeFileSync(join(folder, 'key'), 'a-key\n');
    writeFileSync(join(folder, 'env'), 'TRUEUP_SECRET_DB=canary-of-a-stack\n');
    expect(await migrate(pool, 'trueup_controller')).toEqual([1]);
    expect(await migrate(pool, 'trueup_controller')).toEqual([]);
    records = recordsIn(pool, 'trueup_controller');
    await records.addPlatform({
      id: 'main',
      url: platform.url,
      profile: null,
      keyFile: join(folder, 'key'),
      envFile: join(folder, 'env'),
      connections: 4,
    });
    const checkouts: Checkouts = {
      fetch: () => Promise.reject(new Error('not here')),
      rootFiles: () => Promise.reject(new Error('not here')),
      at: (_source, commit, work) => {
        const place = mkdtempSync(join(folder, 'commit-'));
        mkdirSync(join(place, 'infra'));
        writeFileSync(join(place, 'infra/trueup.yaml'), commits.get(commit) ?? '');
        return work(place);
      },
    };
    running = { records, checkouts, pool, states, worker: 'a worker', platforms: new Map() };
    return () => platform.close();
  });

  const id = 'shop:infra/trueup.yaml';
  const enrolled = async (policy: Policy) =>
    records.addSource({
      id: 'shop',
      url: 'https://git.example/shop.git',
      ref: 'refs/heads/main',
      platform: 'main',
      policy,
      pollSeconds: 60,
      lookSeconds: 3_600,
    });
  const push = async (commit: string, text: string) => {
    commits.set(commit, text);
    return records.sawCommit({ id: 'shop' }, commit, ['infra/trueup.yaml']);
  };
  const run = () => runStack(running, id, signal);
  const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
  const kinds = async () => (await records.runs(id)).map(({ kind, ending }) => `${kind} ${ending ?? ''}`);
  const approve = async (digest = '', approves = true) =>
    records.judge(digest, { who: 'alex', role: 'approver', approves, because: 'it is right' });
  const edited = async (image: string) => {
    const [row] = Object.values(emulator.world.tables.redis);
    await edit({ emulator, apiKey: 'a-key' }, 'redis.update', { redisId: row?.redisId, dockerImage: image });
  };
  /** Whether a plan of the commit, made beside the controller, would change something. */
  const hasChanges = async (commit: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-beside-'));
    writeFileSync(join(folder, 'trueup.yaml'), commits.get(commit) ?? '');
    const project = await open(folder, {
      env: { TRUEUP_SECRET_DB: 'canary-of-a-stack' },
      platform: platformAt({ url: platform.url, apiKey: 'a-key' }),
      state: stateAt({ pool, schema: 'trueup', name: id, key: states.key }),
    });
    const made = planDocument(await project.plan());
    await project.close();
    return made.hasChanges;
  };

  test('that is applied by itself is in step after one run, and a commit that wants the same sends nothing', async () => {
    await enrolled('automatic');
    expect(await push('c1', manifest('redis:7'))).toEqual([{ id, platform: 'main' }]);
    expect(await run()).toEqual({ is: 'over' });
    expect(await records.stack(id)).toMatchObject({ wanted: 'c1', applied: 'c1' });
    expect(await hasChanges('c1')).toBe(false);
    const before = posts();
    expect(await push('c2', manifest('redis:7'))).toHaveLength(1);
    expect(await push('c2', manifest('redis:7'))).toHaveLength(0);
    await run();
    expect(await records.stack(id)).toMatchObject({ applied: 'c2' });
    expect([posts(), await kinds()]).toEqual([before, ['plan done', 'apply done', 'drift in step']]);
  });

  test('is applied after an approval of the very plan that was shown, and not of another one', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    const first = await records.waitingPlan(id);
    expect([first?.commit, first?.isApproved, posts()]).toEqual(['c1', undefined, 0]);
    await run();
    expect((await records.waitingPlan(id))?.digest).toBe(first?.digest);
    await push('c2', manifest('redis:7.4'));
    await run();
    const second = await records.waitingPlan(id);
    expect(second?.digest).not.toBe(first?.digest);
    expect([await approve(first?.digest), await approve(second?.digest), await approve(second?.digest)]).toEqual([
      false,
      true,
      false,
    ]);
    await run();
    expect(await records.stack(id)).toMatchObject({ applied: 'c2' });
    expect([await records.waitingPlan(id), await hasChanges('c2')]).toEqual([undefined, false]);
    expect(await records.events()).toEqual([{ who: 'alex', what: 'approved', subject: id }]);
  });

  test('is not applied where one person refuses, or where the platform changed after the approval', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    await approve((await records.waitingPlan(id))?.digest, false);
    await run();
    expect(posts()).toBe(0);
    await push('c2', manifest('redis:7.2'));
    await run();
    await approve((await records.waitingPlan(id))?.digest);
    await run();
    await push('c3', manifest('redis:7.4'));
    await run();
    const stale = (await records.waitingPlan(id))?.digest;
    await approve(stale);
    await edited('redis:6');
    const before = posts();
    await run();
    const fresh = await records.waitingPlan(id);
    expect([fresh?.digest === stale, fresh?.isApproved, posts()]).toEqual([false, undefined, before]);
    expect(await records.stack(id)).toMatchObject({ wanted: 'c3', applied: 'c2' });
  });

  test('whose platform drifted waits for an approval of the repair, whatever its policy', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    await run();
    await edited('redis:7.2');
    const before = posts();
    await run();
    const repair = await records.waitingPlan(id);
    expect([repair?.cause, posts()]).toEqual(['drift', before]);
    await approve(repair?.digest);
    await run();
    expect([await records.waitingPlan(id), await hasChanges('c1')]).toEqual([undefined, false]);
    await run();
    expect(await kinds()).toEqual(['plan done', 'apply done', 'drift drifted', 'apply done', 'drift in step']);
    await edited('redis:7.2');
    await run();
    await edited('redis:7');
    await run();
    expect(await records.waitingPlan(id)).toBeUndefined();
  });

  test('is done again later where another run has the lock, and not at all while it is paused', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    const folder = mkdtempSync(join(tmpdir(), 'trueup-beside-'));
    writeFileSync(join(folder, 'trueup.yaml'), commits.get('c1') ?? '');
    const other = await open(folder, {
      env: { TRUEUP_SECRET_DB: 'canary-of-a-stack' },
      platform: platformAt({ url: platform.url, apiKey: 'a-key' }),
      state: stateAt({ pool, schema: 'trueup', name: id, key: states.key }),
    });
    const ended = await other.session({ purpose: 'by hand' }, () => run());
    expect(ended).toMatchObject({ is: 'again' });
    expect(ended.is === 'again' && ended.afterSeconds).toBeGreaterThan(0);
    await other.close();
    await records.pause({ id }, { until: new Date(Date.now() + 60_000), who: 'alex', because: 'a migration' });
    await run();
    expect(posts()).toBe(0);
    await records.pause({ id }, { until: undefined, who: 'alex', because: 'done' });
    await run();
    expect(await hasChanges('c1')).toBe(false);
    expect((await records.events()).map(({ what }) => what)).toEqual(['paused', 'resumed']);
  });

  test('that fails says why, in its row and to the queue, and never a secret', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7', '      other: { dockerImgae: x }\n'));
    await expect(run()).rejects.toThrow('dockerImgae');
    await push('c2', manifest('redis:7'));
    await edit({ emulator, apiKey: 'a-key' }, 'redis.create', {
      name: 'main',
      environmentId: 'env_prj_1',
      databasePassword: 'by-hand',
      dockerImage: 'redis:7',
    });
    const before = posts();
    await expect(run()).rejects.toThrow();
    expect([posts(), await kinds()]).toEqual([before, ['plan done', 'apply refused']]);
    const tables = ['platform', 'source', 'stack', 'plan', 'verdict', 'run', 'event'];
    const texts = await Promise.all(
      tables.map(async (table) => JSON.stringify((await pool.query(`select * from trueup_controller.${table}`)).rows)),
    );
    expect(texts.join('\n')).not.toMatch(/canary|a-key"|by-hand/);
  });

  test('has events that nobody can change', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await records.pause({ id }, { until: undefined, who: 'alex', because: 'a test' });
    for (const statement of ['update', 'delete', 'truncate'] as const) {
      const text = { update: `update @ set who = 'x'`, delete: 'delete from @', truncate: 'truncate @' }[statement];
      await expect(pool.query(text.replace('@', 'trueup_controller.event'))).rejects.toThrow('never changed');
    }
  });
});
