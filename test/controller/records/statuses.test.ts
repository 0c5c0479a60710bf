import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Records, recordsIn } from '../../../src/controller/records/all.ts';
import { migrate } from '../../../src/controller/schema.ts';
import { controllerDocuments } from '../../support/controller-rows.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** Which sources have something to tell their forges, by marks of what changed. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'what a forge may not know', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 4 });
    pool.on('error', () => undefined);
    await migrate(pool, 'c');
    records = recordsIn(pool, 'c');
    const platform = { id: 'main', url: 'https://one.example.com', profile: null, keyFile: '/k', envFile: null };
    await records.addPlatform({ ...platform, connections: 4 }, 'alex');
    const of = (id: string, forge: 'github' | 'none') =>
      records.addSource(
        {
          id,
          url: 'https://git.example/shop.git',
          ref: 'refs/heads/main',
          platforms: [{ platform: 'main', paths: '*' }],
          policy: 'approval',
          pollSeconds: 60,
          lookSeconds: 3_600,
          forge,
          ...(forge === 'none' ? {} : { forgeTokenFile: '/t' }),
        },
        'alex',
      );
    await of('shop', 'github');
    await of('bare', 'none');
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  const sql = async (text: string) => (await pool.query(text.replaceAll('@', 'c.'))).rows as Record<string, unknown>[];
  const toTell = async () => (await records.sourcesToTell(10)).map(({ id }) => id);
  /** What a job does, while something else may happen before it says that all was told. */
  const tell = async (meanwhile?: () => Promise<unknown>): Promise<number> => {
    const changes = await records.untold('shop');
    const due = await records.dueStatuses('shop', 50);
    for (const one of due) await records.saidStatus(one, { state: 'pending' });
    await meanwhile?.();
    await records.told('shop', changes);
    return due.length;
  };
  const id = 'shop:infra/trueup.yaml';
  const see = (commit: string, paths = ['infra/trueup.yaml']) => records.sawCommit({ id: 'shop' }, commit, paths);

  test('is marked by everything that changes what is true, and by nothing else', async () => {
    const { plan } = await controllerDocuments();
    await see('c1');
    await records.sawCommit({ id: 'bare' }, 'c1', ['infra/trueup.yaml']);
    expect(await toTell()).toEqual(['shop']);
    await tell();
    expect(await toTell()).toEqual([]);
    const keep = async (commit: string, file: string) =>
      records.keepPlan(await stack(), { commit, cause: 'commit', document: { ...plan, compared: file.length }, file });
    const judge = async (approves: boolean) => {
      const digest = (await records.waitingPlan(id))?.digest ?? '';
      await records.judge(digest, {
        who: approves ? 'ann' : 'kim',
        role: 'approver',
        approves,
        because: 'so',
        allowsDataLoss: true,
      });
    };
    const stack = async () => (await records.stack(id)) ?? expect.fail('there is no stack');
    const apply = async () => {
      const digest = (await records.waitingPlan(id))?.digest;
      const run = await records.beginApply(await stack(), { cause: 'commit', commit: 'c1', worker: 'w', plan: digest });
      await records.endRun(run ?? '', { ending: 'done' });
      await records.endPlan(digest ?? '', 'applied');
      await records.inStep(await stack(), 'c1', 'a digest');
    };
    const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['a plan', () => keep('c1', 'one')],
      ['an approval', () => judge(true)],
      ['an apply', apply],
      ['a failure', () => records.stackFailed(id, { problem: 'no', commit: 'c1', ending: 'failed' })],
      ['its end', async () => records.inStep(await stack(), 'c1', 'another digest')],
      ['a new commit', () => see('c2')],
      ['its plan', () => keep('c2', 'other')],
      ['a refusal', () => judge(false)],
      ['the end of a stack', () => see('c3', [])],
    ];
    for (const [what, change] of changes) {
      await change();
      expect([what, await toTell()]).toEqual([what, ['shop']]);
      const told = await tell();
      expect([what, told > 0, await toTell()]).toEqual([what, true, []]);
      expect(await records.dueStatuses('shop', 50)).toEqual([]);
    }
    await records.pause({ id }, { until: undefined, who: 'ann', because: 'over' });
    const look = await records.beginRun({ id }, { kind: 'drift', cause: 'look', commit: 'c3', worker: 'w' });
    await records.endRun(look, { ending: 'in step' });
    await records.stackFailed('bare:infra/trueup.yaml', { problem: 'no', commit: 'c1', ending: 'failed' });
    expect([await toTell(), await sql('select from @untold')]).toEqual([[], []]);
  });

  test('is never the end of an apply that failed, once the stack is in step', async () => {
    const { result } = await controllerDocuments();
    await see('d1');
    const stack = async () => (await records.stack(id)) ?? expect.fail('there is no stack');
    await sql(`update @stack set policy = 'automatic'`);
    const run = await records.beginApply(await stack(), { cause: 'commit', commit: 'd1', worker: 'w' });
    await records.endRun(run ?? '', { ending: 'partly', document: { ...result, ending: 'partly' } });
    await records.stackFailed(id, { problem: 'no', commit: 'd1', ending: 'partly' });
    // A person did the rest by hand.
    await records.inStep(await stack(), 'd1', 'a digest');
    const due = await records.dueStatuses('shop', 50);
    expect(due.filter(({ commit }) => commit === 'd1')).toMatchObject([{ is: 'applied', document: null }]);
    await sql(`update @stack set policy = 'approval'`);
    await see('d2', []);
    await tell();
  });

  test('is no plan of a pull request where the source names no forge or no token', async () => {
    const pull = { number: 1, head: 'h1', branch: 'b', base: 'main', isFork: false };
    for (const source of ['shop', 'bare']) await records.sawPulls(source, [pull]);
    expect(await records.pullsToPlan(10)).toEqual([{ source: 'shop', number: 1 }]);
    for (const source of ['shop', 'bare']) await records.sawPulls(source, [], [1]);
  });

  test('that changes while it is told is told next', async () => {
    await see('c4');
    await tell(() => records.stackFailed(id, { problem: 'no', commit: 'c4', ending: 'failed' }));
    expect(await toTell()).toEqual(['shop']);
    expect([await tell(), await toTell()]).toEqual([1, []]);
  });

  test('that nobody could see yet when it was told is told next', async () => {
    await tell();
    const client = await pool.connect();
    await client.query('begin');
    await client.query(`update c.stack set problem = null where id = $1`, [id]);
    expect(await tell()).toBe(0);
    await client.query('commit');
    client.release();
    expect(await toTell()).toEqual(['shop']);
    await tell();
    expect(await toTell()).toEqual([]);
  });

  test('is looked for without any mark each ten minutes, and by no look at stacks', async () => {
    await sql(`update @source set compared_at = now() - interval '11 minutes'`);
    expect(await toTell()).toEqual(['shop']);
    await tell();
    const statements: string[] = [];
    const listening = new Proxy(pool, {
      get: (target, name) =>
        name === 'query'
          ? (text: string, values: unknown[]) => (statements.push(text), target.query(text, values))
          : (Reflect.get(target, name) as unknown),
    });
    await recordsIn(listening, 'c').sourcesToTell(10);
    expect(statements).toHaveLength(1);
    expect(statements[0]).not.toMatch(/c\.(?:stack|plan|run|status)\b/);
  });

  test('is one mark while the forge takes nothing, and is told when it does', async () => {
    await tell();
    for (const problem of ['one', 'two', 'three']) {
      await records.stackFailed(id, { problem, commit: 'c4', ending: 'failed' });
      await records.inStep((await records.stack(id)) ?? expect.fail('there is no stack'), 'c4', problem);
      await records.forgeAnswered('shop', 'the forge answered 401', 600);
    }
    expect([await sql('select from @untold'), await toTell()]).toEqual([[{}], []]);
    await records.forgeAnswered('shop');
    expect([await toTell(), await tell(), await toTell()]).toEqual([['shop'], 1, []]);
  });

  test.each([
    ['a new address of the page', () => records.setPageAddress('https://new.example.com', { by: 'page' })],
    ['a clock that was set back', () => records.outliveSetBack()],
  ])('and %s wait for each other in one order only', async (_, change) => {
    await records.setPageAddress('https://former.example.com', { by: 'page' });
    // A status of a former commit comes before that of the present one.
    await sql('delete from @status');
    await sql(`insert into @status (stack, commit, fact, state, again_at)
      select '${id}', commit, 'x', 'success', now() + interval '5 hours' from unnest(array['c0', 'c4']) as commit`);
    const waits = async () => (await sql(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length;
    const client = await pool.connect();
    const begun: Promise<unknown>[] = [];
    await client.query(`begin; select from c.status where commit = 'c0' for update`);
    try {
      begun.push(change());
      await expect.poll(waits).toBe(1);
      begun.push(records.saidStatus({ stack: id, commit: 'c4', fact: 'y' }, { state: 'success' }));
      await expect.poll(waits).toBe(2);
    } finally {
      await client.query('commit');
      client.release();
    }
    expect((await Promise.allSettled(begun)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await sql('select commit, fact from @status')).toEqual([{ commit: 'c4', fact: 'y' }]);
  });

  describe('and a clock that was set back wait for each other in one order only:', () => {
    const two = {
      id: 'two',
      url: 'https://git.example/two.git',
      ref: 'refs/heads/main',
      platforms: [{ platform: 'second', paths: '*' }],
      policy: 'approval' as const,
      pollSeconds: 60,
      lookSeconds: 3_600,
      forge: 'github' as const,
      forgeTokenFile: '/t',
    };
    // They lie in another order than that of their keys.
    const ofTable = [
      [
        'status',
        `(stack, commit, fact, state, again_at) select 'two:' || stack, commit, 'x', 'success', now() + interval '5 hours'
          from unnest(array['b.yaml', 'a.yaml', 'a.yaml'], array['c0', 'c4', 'c0']) as of (stack, commit)`,
        `commit = 'c0'`,
      ],
      [
        'proposal',
        `(stack, who, again_at) select 'two:' || stack, 'ann', now() + interval '5 hours'
          from unnest(array['b.yaml', 'a.yaml']) as stack`,
        'true',
      ],
    ] as const;
    const changes: readonly (readonly [what: string, change: () => Promise<unknown>])[] = [
      ['another forge of the source', () => records.addSource({ ...two, forge: 'gitlab' }, 'alex')],
      ['the end of the source', () => records.removeSource('two', 'alex')],
    ];
    test.each(ofTable.flatMap((of) => changes.map((change) => [...change, ...of] as const)))(
      '%s',
      async (_, change, table, rows, first) => {
        const platform = { id: 'second', url: 'https://two.example.com', profile: null, keyFile: '/k', envFile: null };
        await records.addPlatform({ ...platform, connections: 4 }, 'alex');
        await records.addSource(two, 'alex');
        await records.sawCommit({ id: 'two' }, 'c0', ['a.yaml', 'b.yaml']);
        await sql(`delete from @${table}`);
        await sql(`insert into @${table} ${rows}`);
        const waits = async () => (await sql(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length;
        const client = await pool.connect();
        const begun: Promise<unknown>[] = [];
        await client.query(`begin; select from c.${table} where stack = 'two:a.yaml' and ${first} for update`);
        try {
          begun.push(records.outliveSetBack());
          await expect.poll(waits).toBe(1);
          begun.push(change());
          await expect.poll(waits).toBe(2);
        } finally {
          await client.query('commit');
          client.release();
        }
        expect((await Promise.allSettled(begun)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
        expect(await sql(`select from @${table}`)).toEqual([]);
        await records.removeSource('two', 'alex');
      },
    );
  });
});
