import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Records } from '../../src/controller/records/all.ts';
import { migrate } from '../../src/controller/schema.ts';
import { type ControllerDatabase, startControllerDatabase } from '../support/controller-pages.ts';
import { shopSource } from '../support/controller-source.ts';
import { whyNoPostgres } from '../support/postgres-server.ts';

/** Processes that lock the same rows in different orders: PostgreSQL ends one of them, and it begins again. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'two processes that wait for each other', () => {
  let database: ControllerDatabase;
  let records: Records;
  beforeAll(async () => {
    database = await startControllerDatabase();
    ({ records } = database);
  });
  afterAll(() => database.stop());

  const { id } = shopSource;
  const waves = [{ name: 'all', labels: {}, healthyMinutes: 5, steps: [{ share: 50 }, 'rest' as const] }];
  const numbers = [1, 2, 3];
  const pull = (number: number) => ({ number, head: 'h1', branch: 'x', base: 'main', isFork: false });
  const files = ['1.yaml', '2.yaml', '3.yaml'];
  const run = { kind: 'plan' as const, cause: 'commit', commit: 'c1', worker: 'a worker' };
  const ahead = `now() + interval '5 hours'`;
  const past = `now() - interval '1 hour'`;

  /** Three stacks in a wave, and three previews. */
  beforeEach(async () => {
    await database.rows('drop schema trueup_controller cascade');
    await migrate(database.pool, 'trueup_controller');
    for (const name of ['main', 'old']) {
      const platform = { id: name, url: `https://${name}.example.com`, profile: null, keyFile: '/k', envFile: null };
      await records.addPlatform({ ...platform, connections: 4 }, 'alex');
    }
    await records.addSource(shopSource, 'alex');
    await records.sawCommit({ id }, 'c1', files, { waves, previews: ['p.yaml'] });
    await records.sawPulls(id, numbers.map(pull));
  });

  /** Writes rows of a table again: they lie in this order then, which is not that of their keys, and the one in the middle is held. */
  const lay = async (table: string, key: string, keys: readonly string[], set: string) => {
    for (const one of keys) await database.rows(`update @${table} set ${set} where ${key} = $1`, one);
    // With so few rows PostgreSQL reads all of them, as they lie.
    await database.rows(`analyze @${table}`);
    return `@${table} where ${key} = '${keys[1]}'`;
  };
  const of = (start: string) => [`${start}2`, `${start}3`, `${start}1`];
  const previews = of('shop:p.yaml/');
  const stacks = ['shop:2.yaml', 'shop:3.yaml', 'shop:1.yaml'];
  const sees = () => records.sawPulls(id, numbers.map(pull));
  const setBack = () => records.outliveSetBack();

  /** How many transactions PostgreSQL ended because they waited for each other. */
  const deadlocks = async () => {
    const text = 'select deadlocks::int from pg_stat_database where datname = current_database()';
    const [found] = await database.rows<{ readonly deadlocks: number }>(text);
    return found?.deadlocks ?? expect.fail('PostgreSQL counts no deadlocks');
  };

  interface Case {
    /** Gives the row that the first one waits for at first. */
    readonly prepare: () => Promise<string>;
    readonly first: () => Promise<unknown>;
    readonly second: () => Promise<unknown>;
  }
  const cases: Readonly<Record<string, Case>> = {
    'the loss of runs and an apply': {
      prepare: async () => {
        for (const stack of stacks) await records.beginRun({ id: stack }, run);
        return lay('run', 'stack', stacks, `beat_at = ${past}`);
      },
      first: () => records.endLost(),
      second: async () => {
        const stack = (await records.stack(stacks[0] ?? '')) ?? expect.fail('there is no stack');
        return records.beginApply(stack, { ...run, cause: 'look' });
      },
    },
    'previews whose time is over and pull requests': {
      prepare: () => lay('stack', 'id', previews, `made = 'h1', made_at = ${past}, lasts_seconds = 60`),
      first: () => records.endOverdue(),
      second: sees,
    },
    'previews that wait for the place of one that was removed and pull requests': {
      prepare: () => lay('stack', 'id', previews, `problem = 'there are too many'`),
      first: () => records.previewRemoved({ id: previews[0] ?? '', made: null }),
      second: sees,
    },
    'the end of a platform and pull requests': {
      prepare: () => lay('stack', 'id', stacks, `platform = 'old', is_gone = true, gone_at = now()`),
      first: () => records.removePlatform('old', 'alex'),
      second: sees,
    },
    'the end of pull requests and a clock that was set back': {
      prepare: () => lay('pull', 'number', ['2', '3', '1'], `plan_after = ${ahead}`),
      first: () => records.sawPulls(id, [], numbers),
      second: setBack,
    },
    'waves and a clock that was set back': {
      prepare: () => lay('wave_stack', 'stack', stacks, `sent_at = ${ahead}`),
      first: () => records.resumeWave('1', { who: 'ann', because: 'go' }),
      second: setBack,
    },
    'runs that are old and a clock that was set back': {
      prepare: async () => {
        const stack = stacks[0] ?? '';
        await database.rows(
          `insert into @run (stack, kind, cause, commit, worker, ended_at, ending)
          select $1, 'plan', 'look', 'c1', 'w', case when n <= 3 then ${ahead} else now() end, 'done' from generate_series(1, 53) as n`,
          stack,
        );
        await database.rows(`update @stack set swept_at = now() - interval '2 hours' where id = $1`, stack);
        return lay('run', 'id', ['2', '3', '1'], `worker = 'a worker'`);
      },
      first: () => records.removeOld(1),
      second: setBack,
    },
  };
  test.each(Object.entries(cases))('%s', async (name, { prepare, first, second }) => {
    if (name.startsWith('waves')) await records.stopWave('1', { who: 'ann', because: 'wait' });
    const held = await prepare();
    const before = await deadlocks();
    const waits = async () =>
      (await database.rows(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length;
    const client = await database.pool.connect();
    const begun: Promise<unknown>[] = [];
    await client.query('begin');
    await client.query(`select from ${held} for update`.replaceAll('@', 'trueup_controller.'));
    try {
      begun.push(first());
      await expect.poll(waits, { timeout: 5_000 }).toBe(1);
      begun.push(second());
      await expect.poll(waits, { timeout: 5_000 }).toBe(2);
    } finally {
      await client.query('commit');
      client.release();
    }
    const ends = await Promise.allSettled(begun);
    expect(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : 'done'))).toEqual(['done', 'done']);
    await expect.poll(deadlocks, { timeout: 5_000 }).toBeGreaterThan(before);
  });
});
