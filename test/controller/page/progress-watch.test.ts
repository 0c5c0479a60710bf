import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchesWith } from '../../../src/controller/page/live.ts';
import { watchProgress } from '../../../src/controller/page/progress-watch.ts';
import { recordsIn } from '../../../src/controller/records/all.ts';
import type { ActionProgress } from '../../../src/controller/records/progress.ts';
import { migrate } from '../../../src/controller/schema.ts';
import type { PlanDocument } from '../../../src/render/document-schemas.ts';
import { rowsOf } from '../../support/controller-rows.ts';
import { hostilePlan } from '../../support/hostile-documents.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** A run of 1,000 actions that many watch: what is read for all of them, and what each is sent. */

const nobody = () => Promise.resolve(undefined);

test('all who watch one thing share a look, and others have their own', async () => {
  let [clock, looks] = [0, 0];
  const watches = watchesWith(() => clock);
  const begin = () => () => Promise.resolve({ version: ++looks, whole: () => ({}), change: undefined });
  const fifty = Array.from({ length: 50 }, () => watches.join('7', begin));
  const versions = async () => new Set(await Promise.all(fifty.map(async ({ look }) => (await look())?.version)));
  expect([await versions(), looks]).toEqual([new Set([1]), 1]);
  clock += 500;
  expect([await versions(), looks]).toEqual([new Set([1]), 1]);
  clock += 500;
  expect([await versions(), looks]).toEqual([new Set([2]), 2]);
  await watches.join('8', begin).look();
  expect(looks).toBe(3);
  for (const { leave } of fifty) leave();
  // Who comes after all have left begins anew.
  expect(await watches.join('7', () => nobody).look()).toBeUndefined();
});

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'a watch of a run', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  const statements: string[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 2 });
    pool.on('error', () => undefined);
    await migrate(pool, 'c');
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  const stack = 'shops:north/trueup.yaml';
  const planned: PlanDocument = {
    ...hostilePlan([]),
    actions: Array.from({ length: 1_000 }, (_, at) => ({
      address: `production.redis.cache-${at}`,
      kind: 'redis',
      action: 'create',
      requests: 1,
      needsConsent: false,
      changes: [],
      notes: [],
    })),
  };
  const stage = (at: number, event: ActionProgress['event'], seconds = 1): ActionProgress => ({
    address: `production.redis.cache-${at}`,
    action: 'create',
    event,
    seconds,
  });
  const counting = () =>
    new Proxy(pool, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'query') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        return (text: string, values: unknown[]) => {
          statements.push(text);
          return target.query(text, values);
        };
      },
    });

  test('reads the plan once, then one statement for each look, and gives what changed alone', async () => {
    const rows = rowsOf(pool, 'c');
    await rows.platform('north');
    await rows.source('shops');
    await rows.stack({ id: stack, isBehind: true });
    await rows.run(stack, { kind: 'plan', ending: 'done', document: planned });
    const id = await rows.run(stack, { kind: 'apply' });
    const records = recordsIn(counting(), 'c');
    const run = await records.shownRun(id);
    if (run === undefined) throw new Error('there is no run');
    const look = watchProgress(records, run);
    statements.length = 0;
    const first = await look();
    expect(first).toMatchObject({ version: 1, change: undefined });
    const whole = JSON.stringify(first?.whole());
    expect(whole).toContain('0 of 1000 actions done.');
    expect(whole.match(/<li id=/g)).toHaveLength(1_000);
    expect((await look())?.version).toBe(1);

    await records.noteProgress(id, [stage(0, 'done')]);
    const second = await look();
    expect(second?.version).toBe(2);
    const row = '<li id="p1" class="done">';
    expect(second?.change).toEqual({
      words: '1 of 1000 actions done.',
      over: 1,
      rows: [['p1', expect.stringContaining(row) as string]],
    });
    // What did not change since is the same for who missed it.
    const third = await look();
    expect([third?.version, third?.change]).toEqual([2, second?.change]);
    expect(JSON.stringify(third?.whole())).toContain(JSON.stringify(row).slice(1, -1));

    await records.noteProgress(id, [stage(0, 'done'), stage(1, 'failed'), stage(2, 'started', 60)]);
    const fourth = (await look())?.change as { readonly words: string; readonly rows: readonly (readonly string[])[] };
    expect(fourth.words).toBe('2 of 1000 actions done, 1 running, 1 failed.');
    expect(fourth.rows.map(([at]) => at)).toEqual(['p2', 'p3']);
    expect(fourth.rows[1]?.[1]).toMatch(/creating for (?:60s|1m)/);

    const looks = statements.filter((text) => text.includes('c.progress') && text.includes('select progress.at::text'));
    const notes = statements.filter((text) => text.includes('insert into'));
    expect([looks.length, notes.length, statements.length]).toEqual([5, 2, 7]);
    expect(statements.join('\n')).not.toMatch(/c\.plan\b/);
    await records.endRun(id, { ending: 'done' });
    expect(await look()).toBeUndefined();
  });
});
