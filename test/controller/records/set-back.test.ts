import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControllerDatabase, startControllerDatabase } from '../../support/controller-pages.ts';
import { shopSource } from '../../support/controller-source.ts';
import { whyNoPostgres } from '../../support/postgres-server.ts';

/** What is due after the clock of the database was five hours ahead, and was set back. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'a clock that was set back', () => {
  let database: ControllerDatabase;
  beforeAll(async () => {
    database = await startControllerDatabase();
  });
  afterAll(() => database.stop());

  const [stack, other] = ['shop:a.yaml', 'shop:b.yaml'];
  const worker = randomUUID();
  /** Moments that are shown, or that a person or the commit of a preview named; they decide nothing that waits. */
  const shown = new Set(
    `alarm.since delivery.at event.at message.made_at message.sent_at migration.at plan.applied_at plan.expires_at plan.made_at
    plan.superseded_at progress.at proposal.asked_at run.began_at session.began_at session.expires_at source.added_at stack.gone_at
    stack.looked_at stack.paused_until status.at verdict.at wave.began_at wave.ended_at wave.step_at wave.stopped_at message.dead_at`.split(
      /\s+/,
    ),
  );

  const moments = () =>
    database.rows<{ readonly table: string; readonly column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'trueup_controller' and data_type = 'timestamp with time zone' order by 1, 2`,
    );
  /** Moves all moments of the tables: to set the clock back does the same. */
  const move = async (by: string) => {
    for (const { table, column } of await moments())
      if (table !== 'event')
        await database.rows(`update @${table} set ${column} = ${column} + $1::interval where isfinite(${column})`, by);
  };
  /** One of each that waits for its time. */
  const fill = async () => {
    const { records, rows } = database;
    const platform = { id: 'main', url: 'https://one.example.com', profile: null, keyFile: '/k', envFile: null };
    await records.addPlatform({ ...platform, connections: 4, labels: {}, only: { site: 'paris' } }, 'alex');
    await records.addSource(shopSource, 'alex');
    const waves = [{ name: 'all', labels: {}, healthyMinutes: 5, steps: [{ share: 50 }, 'rest' as const] }];
    await records.sawCommit({ id: 'shop' }, 'c1', ['a.yaml', 'b.yaml'], { waves });
    await records.beginRun({ id: stack }, { kind: 'plan', cause: 'commit', commit: 'c0', worker: 'a worker' });
    const ended = { kind: 'plan' as const, cause: 'commit', commit: 'c0', worker: 'a worker' };
    await records.endRun(await records.beginRun({ id: other }, ended), { ending: 'done' });
    const pull = { number: 1, head: 'h1', branch: 'b', base: 'main', isFork: false };
    await records.sawPulls('shop', [pull]);
    const plan = { path: '.', document: null, problem: 'no answer' };
    await records.keepPullPlans({ ...pull, source: 'shop', isAllowed: false }, [plan], { isOver: false });
    await records.propose(other, 'alex');
    await records.proposalRefused(other, 'no answer');
    await records.saidStatus({ stack, commit: 'c1', fact: 'x' }, { state: 'pending', problem: 'no answer' });
    await records.told('shop', await records.untold('shop'));
    await records.forgeAnswered('shop', 'no answer', 3_600);
    await records.setReceivers([{ name: 'chat', kinds: ['run'], labels: {} }]);
    await records.raise({ kind: 'run', subject: stack, digest: 'c1', about: {} });
    await records.beginSession('a'.repeat(64), undefined, { name: 'alex', groups: [], by: 'link' });
    await records.workerLives(worker, await records.site({ site: 'paris' }));
    await rows(`update @wave set resumed_at = now()`);
    await rows(`update @stack set swept_at = now(), made_at = now()`);
  };

  test('leaves nothing due hours later, and no worker and no run alive that is not', async () => {
    const { records, rows } = database;
    await fill();
    await move('5 hours');
    expect(await records.workerLives(worker, 0)).toEqual({ isSetBack: true });
    await records.outliveSetBack();
    expect(await records.workerLives(worker, 0)).toEqual({ isSetBack: false });
    const ahead: string[] = [];
    for (const { table, column } of await moments()) {
      const [found] = await rows<{ readonly is: boolean | null }>(
        `select bool_or(${column} > now() + interval '70 minutes') as is from @${table}`,
      );
      if (found?.is === true && !shown.has(`${table}.${column}`)) ahead.push(`${table}.${column}`);
    }
    expect(ahead).toEqual([]);
    const due = async () => ({
      stacks: (await records.dueStacks(10, undefined, await records.site({ site: 'paris' }))).length,
      sources: (await records.dueSources(10)).length,
      rests: await records.forgeRests('shop'),
      pulls: (await records.pullsToPlan(10)).length,
      receivers: (await records.dueReceivers()).length,
      waves: (await rows('select from @wave where look_at <= now()')).length,
    });
    expect(await due()).toEqual({ stacks: 2, sources: 1, rests: false, pulls: 1, receivers: 1, waves: 1 });
    // Who gives no sign of life from then on is gone after its time.
    await move('-11 minutes');
    expect(await records.sourcesToTell(10)).toEqual([{ id: 'shop' }]);
    await records.endLost();
    await records.raiseUnserved();
    expect((await records.runs(stack)).map(({ ending }) => ending)).toEqual(['lost']);
    expect((await records.alarms()).map(({ kind }) => kind).toSorted()).toEqual(['run', 'worker']);
  });

  test('that was not set back changes nothing', async () => {
    const { records, rows } = database;
    const all = async () => {
      const found = [];
      for (const { table, column } of await moments())
        found.push(await rows(`select '${table}.${column}' as of, ${column} as at from @${table} order by 2`));
      return found.flat();
    };
    await move('-5 hours');
    await records.sawNothing({ id: 'shop' });
    await records.dueStacks(10);
    await records.dueSources(10);
    await records.forgeAnswered('shop', 'no answer', 3_600);
    const before = await all();
    expect(await records.workerLives(worker, 0)).toEqual({ isSetBack: false });
    await records.outliveSetBack();
    const after = await all();
    expect(after.filter((row, at) => JSON.stringify(row) !== JSON.stringify(before[at]))).toEqual([
      { of: 'worker.seen_at', at: expect.any(Date) as unknown },
    ]);
  });
});
