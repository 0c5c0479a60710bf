import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Records, recordsIn } from '../../../src/controller/records/all.ts';
import type { RunBegin } from '../../../src/controller/records/all.ts';
import { migrate } from '../../../src/controller/schema.ts';
import { openPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** What a controller keeps of the past of its stacks. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'of the past', () => {
  let pool: pg.Pool;
  let records: Records;
  const stack = { id: 'shops:trueup.yaml' };

  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });
  beforeEach(async () => {
    await pool.query('drop schema if exists trueup_controller cascade');
    await migrate(pool, 'trueup_controller');
    records = recordsIn(pool, 'trueup_controller');
    const platform = { id: 'main', url: 'https://main.example.com', profile: null, keyFile: '/key', envFile: null };
    await records.addPlatform({ ...platform, connections: 4 }, 'alex');
    await records.addSource(
      {
        id: 'shops',
        url: 'https://git.example.com/shops.git',
        ref: 'refs/heads/main',
        platforms: [{ platform: 'main', paths: '*' }],
        policy: 'approval',
        pollSeconds: 60,
        lookSeconds: 3_600,
      },
      'alex',
    );
    await records.sawCommit({ id: 'shops' }, 'c1', ['trueup.yaml']);
  });

  const ran = async (kind: RunBegin['kind'], ending: string, document?: object) => {
    const id = await records.beginRun(stack, { kind, cause: 'look', commit: 'c1', worker: 'a worker' });
    await records.endRun(id, { ending, document: document as never });
    return id;
  };
  const kept = async () =>
    (await pool.query<{ id: string }>('select id from trueup_controller.run order by id')).rows.map(({ id }) => id);
  const older = (table: string, column: string, days: number) =>
    pool.query(`update trueup_controller.${table} set ${column} = ${column} - make_interval(days => $1)`, [days]);
  const sweep = async () => {
    await pool.query(`update trueup_controller.stack set swept_at = now() - interval '2 hours'`);
    return records.removeOld(10);
  };

  test('the newest runs stay, those that may have changed something for a while, and what drifted last', async () => {
    const apply = await ran('apply', 'done');
    const drift = await ran('drift', 'drifted', { findings: ['a'] });
    const plan = await ran('plan', 'done');
    for (let look = 0; look < 50; look++) await ran('drift', 'drifted', { findings: ['a'], requests: { reads: look } });
    expect([await sweep(), (await kept()).length]).toEqual([1, 52]);
    expect(await kept()).toEqual(expect.arrayContaining([apply, drift]));
    expect(await kept()).not.toContain(plan);
    await older('run', 'ended_at', 91);
    await sweep();
    expect([(await kept()).length, (await kept()).includes(apply)]).toEqual([51, false]);
    expect(await records.removeOld(10)).toBe(0);
  });

  test('looks that find the same keep one document', async () => {
    const documents = async () =>
      (await pool.query('select document from trueup_controller.run order by id')).rows as unknown[];
    const [a, b] = [{ findings: ['a'] }, { findings: ['b'] }];
    for (const found of [{ ...a, requests: { reads: 1 } }, { ...a, requests: { reads: 2 } }, b, a])
      await ran('drift', 'drifted', found);
    expect(await documents()).toEqual([
      { document: { ...a, requests: { reads: 1 } } },
      { document: null },
      { document: b },
      { document: a },
    ]);
    await ran('plan', 'done', a);
    expect((await documents()).at(-1)).toEqual({ document: a });
  });

  test('plans and stacks that are over go after a while, and a plan that waits stays', async () => {
    const planned = (...actions: readonly string[]) => ({ actions: actions.map((action) => ({ action })) }) as never;
    const about = { commit: 'c1', cause: 'drift', document: planned() } as const;
    const read = (await records.stack(stack.id)) ?? expect.fail('there is no stack');
    const first = await records.keepPlan(read, { ...about, file: 'first' });
    await records.endPlan(first ?? '', 'applied');
    await records.keepPlan(read, { ...about, document: planned('create'), file: 'second' });
    const third = await records.keepPlan(read, { ...about, document: planned('delete'), file: 'third' });
    const plans = async () =>
      (await pool.query<{ digest: string }>('select digest from trueup_controller.plan')).rows.map(
        ({ digest }) => digest,
      );
    await older('plan', 'applied_at', 89);
    await older('plan', 'superseded_at', 31);
    await sweep();
    expect(new Set(await plans())).toEqual(new Set([first, third]));
    await older('plan', 'applied_at', 2);
    await sweep();
    expect(await plans()).toEqual([third]);
    await records.sawCommit({ id: 'shops' }, 'c2', []);
    await older('stack', 'gone_at', 89);
    await sweep();
    expect(await records.stack(stack.id)).toMatchObject({ isGone: true });
    await older('stack', 'gone_at', 2);
    await sweep();
    expect([await records.stack(stack.id), await plans()]).toEqual([undefined, []]);
  });
});
