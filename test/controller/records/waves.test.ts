import fc from 'fast-check';
import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Records, recordsIn } from '../../../src/controller/records/all.ts';
import { migrate } from '../../../src/controller/schema.ts';
import type { WaveSettings } from '../../../src/controller/waves/steps.ts';
import { openPostgres, whyNoPostgres } from '../../support/postgres-server.ts';
import { effort } from '../../support/whole.ts';
import { type Happening, type Plan, ending, histories, modelOf } from '../waves/model.ts';

/** Waves in the tables of a controller, with a PostgreSQL of their own. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'a wave', () => {
  let pool: pg.Pool;
  let records: Records;
  beforeAll(async () => {
    const opened = await openPostgres(6);
    ({ pool } = opened);
    return opened.close;
  });
  beforeEach(fresh);

  async function fresh(): Promise<void> {
    await pool.query('drop schema if exists trueup_controller cascade');
    await migrate(pool, 'trueup_controller');
    records = recordsIn(pool, 'trueup_controller');
    for (const step of [0, 1, 2, 3])
      await records.addPlatform(
        {
          id: `ring-${step}`,
          url: 'https://deploy.example.com',
          profile: null,
          keyFile: '/etc/trueup/key',
          envFile: null,
          connections: 4,
          labels: { ring: String(step) },
        },
        'alex',
      );
  }

  const sql = (text: string, values: readonly unknown[] = []) =>
    pool.query(text.replaceAll('@', 'trueup_controller.'), [...values]);
  const pathOf = (at: number) => `s${at}.yaml`;
  const idOf = (at: number) => `shops:${pathOf(at)}`;
  const worker = 'a worker';
  /** A wave whose steps have the stacks of a plan. */
  const settingsOf = ({ steps, healthyMinutes }: Plan): WaveSettings => ({
    name: 'shops',
    labels: {},
    healthyMinutes,
    steps: Array.from({ length: Math.max(...steps) + 1 }, (_, step) => ({ labels: { ring: String(step) } })),
  });
  /** `kept`: the stacks that the commit leaves as they are. */
  const push = async (commit: string, plan: Plan, kept: readonly number[] = []) => {
    for (const at of kept)
      await sql(`update @stack set reads = '{}', fingerprint = 'the same' where id = $1`, [idOf(at)]);
    const known = await records.stackFiles('shops');
    return records.sawCommit(
      { id: 'shops' },
      commit,
      plan.steps.map((_, at) => pathOf(at)),
      { waves: [settingsOf(plan)], kept: known.filter(({ path }) => kept.some((at) => pathOf(at) === path)) },
    );
  };
  /** Stacks with the labels of their steps, and a first commit that is in a wave. */
  const begun = async (plan: Plan) => {
    await records.addSource(
      {
        id: 'shops',
        url: 'https://git.example/shops.git',
        ref: 'refs/heads/main',
        platforms: plan.steps.map((step, at) => ({ platform: `ring-${step}`, paths: pathOf(at) })),
        policy: 'automatic',
        pollSeconds: 60,
        lookSeconds: 3_600,
      },
      'alex',
    );
    await push('c1', plan);
  };
  const openWave = async () => (await records.waves()).find(({ endedAt }) => endedAt === null);
  /** As a worker brings waves on. */
  const tick = async () => {
    await sql('update @wave set look_at = now()');
    return (await records.dueInWaves(100)).map(({ id }) => id);
  };
  const stackAt = async (at: number) => (await records.stack(idOf(at))) ?? expect.fail('there is no such stack');
  const begin = async (at: number, commit = 'c1') =>
    records.beginApply(await stackAt(at), { cause: 'commit', commit, worker });
  const run = async (at: number, kind: 'plan' | 'drift' | 'follow', as: string, commit = 'c1') => {
    const id = await records.beginRun({ id: idOf(at) }, { kind, cause: 'look', commit, worker });
    await records.endRun(id, { ending: as });
  };
  const applied = async (at: number, commit = 'c1') => {
    const id = await begin(at, commit);
    expect(id).toEqual(expect.any(String));
    await records.endRun(id ?? '', { ending: 'done' });
    await records.inStep(await stackAt(at), commit, 'a digest');
  };
  const pass = async (minutes: number) => {
    await sql('update @run set ended_at = ended_at - make_interval(mins => $1)', [minutes]);
    await sql('update @wave set resumed_at = resumed_at - make_interval(mins => $1)', [minutes]);
    await sql('update @wave_stack set sent_at = sent_at - make_interval(mins => $1)', [minutes]);
  };
  const events = async () =>
    (await records.events()).flatMap(({ what, who }) => (what.startsWith('wave ') ? [`${who}: ${what}`] : []));

  test('lets be applied what its model lets be applied, in random histories', { timeout: 900_000 }, async () => {
    const seen = { begun: 0, refused: 0, done: 0 };
    const history = fc.asyncProperty(histories, async ({ plan, history: happenings }) => {
      await fresh();
      await begun(plan);
      const model = modelOf(plan);
      const runs = new Map<number, string>();
      let commit = 1;
      const wantedBy = async (at: number) => (await stackAt(at)).wanted ?? '';
      const happens = async (what: Happening): Promise<void> => {
        const wave = await openWave();
        if (what.is === 'begin') runs.set(what.at, (await begin(what.at, await wantedBy(what.at))) ?? '');
        if (what.is === 'end' && what.as !== 'lost') {
          await records.endRun(runs.get(what.at) ?? '', { ending: what.as });
          if (what.as === 'done') await records.inStep(await stackAt(what.at), await wantedBy(what.at), 'a digest');
        }
        if (what.is === 'plan') await run(what.at, 'plan', what.isGood ? 'done' : 'refused', await wantedBy(what.at));
        if (what.is === 'look') {
          await run(what.at, 'drift', what.isGood ? 'in step' : 'platform', await wantedBy(what.at));
          if (what.isGood) await records.inStep(await stackAt(what.at), await wantedBy(what.at), 'a digest');
        }
        if (what.is === 'pause') {
          const until = what.isPaused ? new Date(Date.now() + 3_600_000) : undefined;
          await records.pause({ id: idOf(what.at) }, { until, who: 'alex', because: 'a test' });
        }
        if (what.is === 'leave out')
          await sql('update @stack set is_gone = $2, policy = $3 where id = $1', [
            idOf(what.at),
            what.because === 'gone',
            what.because === 'never' ? 'never' : 'automatic',
          ]);
        if (what.is === 'minutes') await pass(what.minutes);
        if (what.is === 'resume')
          expect(await records.resumeWave(wave?.id ?? '', { who: 'alex', because: 'it is repaired' })).toBe(true);
        if (what.is === 'stop')
          expect(await records.stopWave(wave?.id ?? '', { who: 'alex', because: 'wait' })).toBe(true);
        if (what.is === 'commit') {
          commit++;
          await sql(`update @stack set policy = 'automatic'`);
          await push(`c${commit}`, plan, what.kept);
        }
      };
      const paused = plan.steps.map((_, at): Happening => ({ is: 'pause', at, isPaused: false }));
      for (const what of [...happenings, ...paused, ...ending]) {
        if (what.is === 'begin' && model.refuses(what)) {
          seen.refused++;
          expect(
            await begin(what.at, await wantedBy(what.at)),
            'no apply begins that its wave does not let in',
          ).toBeUndefined();
        }
        const fitting = model.fits(what);
        if (fitting === undefined) continue;
        model.happens(fitting);
        await happens(fitting);
        if (fitting.is === 'begin') {
          seen.begun++;
          expect(runs.get(fitting.at)).not.toBe('');
        }
        await tick();
        const said = model.says();
        const [wave] = await records.waves();
        const is = wave?.ending ?? (wave?.stopped === null ? 'open' : 'stopped');
        expect({ is, step: wave?.step }).toEqual({ is: said.is, step: said.step });
        if (said.is === 'done') {
          seen.done++;
          return;
        }
      }
      expect.unreachable();
    });
    const numRuns = Number(process.env['TRUEUP_WAVES'] ?? effort({ fast: 5, full: 10, all: 40 }));
    // A history takes seconds, and shorter ones tell no more: its seed repeats it.
    await fc.assert(history, { numRuns, endOnFailure: true });
    expect([seen.begun > numRuns, seen.refused > numRuns, seen.done]).toEqual([true, true, numRuns]);
  });

  const three: Plan = { steps: [0, 1, 1, 2], healthyMinutes: 5 };
  const word = { who: 'alex', because: 'it is repaired' };

  test('opens a step when the one before it was healthy for its minutes, and sends the stacks of it once', async () => {
    await begun(three);
    expect([await tick(), await begin(1)]).toEqual([[], undefined]);
    await applied(0);
    await pass(4);
    expect([await tick(), await begin(1)]).toEqual([[], undefined]);
    await pass(1);
    expect(await tick()).toEqual([idOf(1), idOf(2)]);
    expect(await tick()).toEqual([]);
    await applied(1);
    expect(await begin(3)).toBeUndefined();
    // One whose job got lost is sent again.
    await pass(2);
    expect(await tick()).toEqual([idOf(2)]);
    await applied(2);
    await pass(5);
    expect(await tick()).toEqual([idOf(3)]);
    await applied(3);
    await tick();
    expect(await records.waves()).toMatchObject([{ ending: 'done', step: 2 }]);
    expect(await events()).toEqual([
      'trueup: wave began',
      'trueup: wave opened a step',
      'trueup: wave opened a step',
      'trueup: wave done',
    ]);
  });

  test('lets a commit that a newer one overtook be applied where it was let in before, and nowhere else', async () => {
    const plan: Plan = { steps: [0, 0, 0, 1], healthyMinutes: 5 };
    await begun(plan);
    await push('c2', plan);
    expect([await begin(0), await begin(3)]).toEqual([expect.any(String), undefined]);
    const { id = '' } = (await openWave()) ?? {};
    await records.stopWave(id, { who: 'alex', because: 'wait' });
    await push('c3', plan);
    expect(await begin(1, 'c2')).toBeUndefined();
    await push('c4', plan);
    expect([await begin(1, 'c3'), await begin(3, 'c3')]).toEqual([expect.any(String), undefined]);
  });

  test('begins at its first step that has stacks, also where it is stopped at once', async () => {
    await begun({ steps: [2], healthyMinutes: 5 });
    // Who saw the commit sent it.
    expect((await sql('select sent_at from @wave_stack where sent_at is null')).rows).toEqual([]);
    const { id = '' } = (await openWave()) ?? {};
    expect(await records.stopWave(id, { who: 'alex', because: 'wait' })).toBe(true);
    expect([await tick(), await begin(0), (await openWave())?.step]).toEqual([[], undefined, 2]);
    expect(await records.resumeWave(id, word)).toBe(true);
    expect(await tick()).toEqual([idOf(0)]);
    await applied(0);
    await tick();
    expect(await records.waves()).toMatchObject([{ ending: 'done', step: 2 }]);
  });

  test('stops with the end of the run that failed, says which, and lets end what had begun', async () => {
    await begun({ steps: [0, 0, 0, 1], healthyMinutes: 0 });
    const [first, second] = [await begin(0), await begin(1)];
    await records.endRun(first ?? '', { ending: 'partly' });
    expect(await openWave()).toMatchObject({
      stopped: { stack: idOf(0), by: null, because: 'its apply ended as partly' },
    });
    await records.endRun(second ?? '', { ending: 'lost' });
    expect([await begin(2), await begin(3)]).toEqual([undefined, undefined]);
    await applied(1);
    await applied(0);
    expect([await tick(), await begin(2)]).toEqual([[], undefined]);
    const { id = '' } = (await openWave()) ?? {};
    const wave = {
      kind: 'wave',
      subject: `wave:${id}`,
      about: { stack: idOf(0), because: 'its apply ended as partly' },
    };
    expect(await records.alarms()).toMatchObject([wave]);
    expect([await records.resumeWave(id, word), await records.resumeWave(id, word)]).toEqual([true, false]);
    expect(await records.alarms()).toEqual([]);
    expect(await tick()).toEqual([idOf(2)]);
    await applied(2);
    expect(await tick()).toEqual([idOf(3)]);
    expect(await events()).toEqual([
      'trueup: wave began',
      'trueup: wave stopped',
      'alex: wave resumed',
      'trueup: wave opened a step',
    ]);
  });

  test.each([
    ['a plan', 'plan', 'manifest', true],
    ['a look for drift', 'drift', 'platform', true],
    ['a deployment', 'follow', 'failed', true],
    ['a run that was lost', 'drift', 'lost', false],
    ['a run that was stopped', 'drift', 'stopped', false],
    ['a run without its database', 'drift', 'state', false],
    ['drift', 'drift', 'drifted', false],
  ] as const)('after its first step, by %s', async (_, kind, as, stops) => {
    await begun(three);
    await applied(0);
    await run(0, kind, as);
    expect((await openWave())?.stopped?.stack).toBe(stops ? idOf(0) : undefined);
  });

  test('is not stopped by a deployment that the commit before it began, nor by a failure in a later step', async () => {
    await begun(three);
    await run(0, 'follow', 'failed');
    await run(3, 'plan', 'manifest');
    expect(await openWave()).toMatchObject({ stopped: null, step: 0 });
  });

  test('is stopped by a failure of its next step when that opens', async () => {
    await begun({ ...three, healthyMinutes: 0 });
    await run(2, 'plan', 'manifest');
    await applied(0);
    expect(await tick()).toEqual([]);
    expect(await openWave()).toMatchObject({
      step: 1,
      stopped: { stack: idOf(2), because: 'its plan ended as manifest' },
    });
  });

  test('asks for no time where the commit changes nothing, also where the platform drifted', async () => {
    await begun(three);
    await run(0, 'drift', 'drifted');
    await run(1, 'drift', 'in step');
    expect(await tick()).toEqual([idOf(2)]);
    await applied(2);
    await tick();
    expect(await openWave()).toMatchObject({ step: 1 });
    await pass(5);
    expect(await tick()).toEqual([idOf(3)]);
  });

  test('asks for its minutes from when a look found the commit in place, not from a plan that had changes', async () => {
    await begun(three);
    await run(0, 'plan', 'manifest');
    await run(0, 'plan', 'done');
    const { id = '' } = (await openWave()) ?? {};
    expect(await records.resumeWave(id, word)).toBe(true);
    await pass(5);
    await run(0, 'drift', 'in step');
    expect([await tick(), (await openWave())?.step]).toEqual([[], 0]);
    await pass(4);
    expect([await tick(), (await openWave())?.step]).toEqual([[], 0]);
    await pass(1);
    expect([await tick(), (await openWave())?.step]).toEqual([[idOf(1), idOf(2)], 1]);
  });

  test('waits for a stack that is paused, and goes on without one that is gone or that nothing is applied to', async () => {
    await begun({ steps: [0, 1, 1, 1, 2], healthyMinutes: 0 });
    await records.pause({ id: idOf(1) }, { until: new Date(Date.now() + 60_000), who: 'kim', because: 'a sale' });
    await sql(`update @stack set is_gone = true where id = $1`, [idOf(2)]);
    await sql(`update @stack set policy = 'never' where id = $1`, [idOf(3)]);
    await applied(0);
    expect(await tick()).toEqual([]);
    expect(await openWave()).toMatchObject({ step: 1 });
    await records.pause({ id: idOf(1) }, { until: undefined, who: 'kim', because: 'over' });
    expect(await tick()).toEqual([idOf(1)]);
    await applied(1);
    expect(await tick()).toEqual([idOf(4)]);
  });

  test.each([
    ['an automatic stack, which needs none', 'automatic', false, false],
    ['an automatic stack that may lose data', 'automatic', true, true],
    ['a stack whose policy asks for one', 'approval', false, true],
  ] as const)('waits for an approval of a plan of %s', async (_, policy, isNeeded, waits) => {
    await begun({ steps: [0, 1], healthyMinutes: 0 });
    await sql('update @stack set policy = $1', [policy]);
    const document = { actions: [], diagnostics: [] } as unknown as Parameters<typeof records.keepPlan>[1]['document'];
    const plan = { commit: 'c1', cause: 'commit', document, file: `a plan, ${policy} ${isNeeded}` } as const;
    await records.keepPlan(await stackAt(0), { ...plan, isNeeded });
    await pass(2);
    expect(await tick()).toEqual(waits ? [] : [idOf(0)]);
    const { id = '' } = (await openWave()) ?? {};
    const because = waits ? 'has a plan that waits for an approval' : 'waits for a worker';
    expect(await records.wave(id)).toMatchObject({
      stacks: [{ is: waits ? 'asks' : 'waits' }, { is: 'later' }],
      waits: [{ stack: idOf(0), because }],
    });
  });

  test('is superseded by the next commit, which begins with its first step', async () => {
    await begun({ ...three, healthyMinutes: 0 });
    await applied(0);
    await tick();
    const late = await begin(1);
    expect(await push('c2', three)).toHaveLength(4);
    expect(await push('c2', three)).toEqual([]);
    await records.endRun(late ?? '', { ending: 'partly' });
    expect((await records.waves()).map(({ commit, ending: as, step }) => [commit, as, step])).toEqual([
      ['c2', null, 0],
      ['c1', 'superseded', 1],
    ]);
    expect([await begin(1, 'c2'), await begin(1, 'c1')]).toEqual([undefined, undefined]);
    expect((await openWave())?.stopped).toBeNull();
  });

  test('goes on where a commit changes none of its stacks', async () => {
    await begun(three);
    await applied(0);
    const { id = '' } = (await openWave()) ?? {};
    await records.stopWave(id, { who: 'alex', because: 'wait' });
    expect(await push('c2', three, [0, 1, 2, 3])).toEqual([]);
    expect(await records.waves()).toMatchObject([{ id, commit: 'c1', stopped: { by: 'alex' } }]);
  });

  test('hands the stacks that it was on its way to over to the next one, with what is known of them', async () => {
    await begun(three);
    await applied(0);
    await pass(4);
    expect(await push('c2', three, [0, 1, 2])).toMatchObject([{ id: idOf(3) }]);
    expect([await tick(), await begin(1), await begin(3, 'c2')]).toEqual([[], undefined, undefined]);
    await pass(1);
    expect(await tick()).toEqual([idOf(1), idOf(2)]);
    await applied(1);
    await applied(2);
    expect(await records.wave((await openWave())?.id ?? '')).toMatchObject({
      commit: 'c2',
      stacks: [
        { id: idOf(0), is: 'healthy', commit: 'c1' },
        { id: idOf(1), is: 'settles', commit: 'c1' },
        { id: idOf(2), is: 'settles', commit: 'c1' },
        { id: idOf(3), is: 'later', commit: 'c2' },
      ],
    });
    await pass(5);
    expect(await tick()).toEqual([idOf(3)]);
    await applied(3, 'c2');
    await tick();
    expect(await records.waves()).toMatchObject([{ ending: 'done' }, { ending: 'superseded' }]);
  });

  test('is stopped again by a failure that the next commit does not touch, until people have it go on', async () => {
    await begun({ ...three, healthyMinutes: 0 });
    await records.endRun((await begin(0)) ?? '', { ending: 'partly' });
    await push('c2', { ...three, healthyMinutes: 0 }, [0, 1]);
    expect(await openWave()).toMatchObject({ commit: 'c2', stopped: { stack: idOf(0) } });
    expect(await records.resumeWave((await openWave())?.id ?? '', word)).toBe(true);
    await push('c3', { ...three, healthyMinutes: 0 }, [0, 1]);
    expect(await openWave()).toMatchObject({ commit: 'c3', stopped: null, step: 0 });
    await applied(0);
    expect(await tick()).toEqual([idOf(1), idOf(2)]);
    await push('c4', { ...three, healthyMinutes: 0 }, [1, 2, 3]);
    await records.endRun((await begin(0, 'c4')) ?? '', { ending: 'partly' });
    expect(await begin(1)).toBeUndefined();
    await push('c5', { ...three, healthyMinutes: 0 }, [1, 2, 3]);
    expect(await openWave()).toMatchObject({ commit: 'c5', stopped: null, step: 0 });
  });

  test('that a person stopped stays stopped, as long as the next commit leaves stacks of it as they are', async () => {
    await begun(three);
    const { id = '' } = (await openWave()) ?? {};
    await records.stopWave(id, { who: 'alex', because: 'it breaks the carts' });
    await push('c2', three, [1, 2, 3]);
    expect(await openWave()).toMatchObject({ commit: 'c2', stopped: { by: 'alex', because: 'it breaks the carts' } });
    expect([await begin(0, 'c2'), await tick()]).toEqual([undefined, []]);
    await push('c3', three);
    expect(await openWave()).toMatchObject({ commit: 'c3', stopped: null });
  });

  test('forgets no failure because people had another wave go on', async () => {
    const ring = (at: number) => ({ ring: String(at) });
    const wave = (at: number) => ({ name: `w${at}`, labels: ring(at), healthyMinutes: 0, steps: ['rest' as const] });
    const waves = [wave(0), wave(1)];
    const paths = [0, 1, 2, 3].map(pathOf);
    await begun({ steps: [0, 0, 1, 1], healthyMinutes: 0 });
    await records.sawCommit({ id: 'shops' }, 'c2', paths, { waves });
    for (const at of [0, 2]) await records.endRun((await begin(at, 'c2')) ?? '', { ending: 'partly' });
    const open = async () => (await records.waves()).filter(({ endedAt }) => endedAt === null);
    const second = (await open()).find(({ name }) => name === 'w1');
    expect(await records.resumeWave(second?.id ?? '', word)).toBe(true);
    await sql(`update @stack set reads = '{}', fingerprint = 'the same' where id = any($1)`, [[idOf(0), idOf(2)]]);
    const kept = await records.stackFiles('shops');
    await records.sawCommit({ id: 'shops' }, 'c3', paths, { waves, kept });
    const stops = (await open()).map(({ name, stopped }) => [name, stopped?.stack]);
    expect(Object.fromEntries(stops)).toEqual({ w0: idOf(0), w1: undefined });
  });

  test('holds its stacks back also where their source gets another address', async () => {
    await begun(three);
    await push('c2', three, [0, 1, 2, 3]);
    const source = (await records.source('shops')) ?? expect.fail('there is no source');
    await records.addSource({ ...source, url: 'git@git.example:shops.git' }, 'alex');
    expect((await stackAt(3)).wanted).toBe('c1');
    expect([await begin(3), await begin(0)]).toEqual([undefined, expect.any(String)]);
    // The next commit that is seen is one for all of them.
    expect(await records.stackFiles('shops')).toEqual([]);
  });

  test.each([
    ['gets another address and is changed again', { url: 'git@git.example:shops.git' }, { pollSeconds: 30 }],
    ['loses the pattern of a stack and gets it back', { platforms: [{ platform: 'ring-0', paths: pathOf(0) }] }, {}],
  ])('holds a stack of a later step back also where their source %s', async (_, first, second) => {
    await begun(three);
    await push('c2', three, [1, 2, 3]);
    expect([(await stackAt(3)).wanted, await begin(3)]).toEqual(['c1', undefined]);
    const source = (await records.source('shops')) ?? expect.fail('there is no source');
    await records.addSource({ ...source, ...first }, 'alex');
    await records.addSource({ ...source, ...second }, 'alex');
    const { wanted } = await stackAt(3);
    expect([wanted, await begin(3, wanted ?? '')]).toEqual(['c2', undefined]);
    const wave = await records.wave((await openWave())?.id ?? '');
    expect(wave?.stacks.find(({ id }) => id === idOf(3))?.commit).toBe('c2');
  });

  test('lets nothing begin while another process stops it', async () => {
    await begun(three);
    const other = await pool.connect();
    await other.query('begin');
    await other.query('update trueup_controller.wave set stopped_at = now()');
    let isOver = false;
    const late = begin(0).finally(() => {
      isOver = true;
    });
    const waits = async () =>
      (await sql(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%wave%'`)).rows.length;
    try {
      await expect.poll(async () => isOver || (await waits()) > 0).toBe(true);
      expect(isOver, 'an apply that begins waits for who stops its wave').toBe(false);
      await other.query('commit');
    } finally {
      // What it holds would let no test after it begin.
      await other.query('rollback');
      other.release();
    }
    expect(await late, 'no apply begins in a wave that is stopped').toBeUndefined();
  });

  test('that a person stops while the next commit comes stays stopped', async () => {
    await begun(three);
    await push('c2', three);
    const other = await pool.connect();
    await other.query('begin');
    await other.query(
      `update trueup_controller.wave set stopped_at = now(), stopped_by = 'kim', stopped_because = 'a sale' where ended_at is null`,
    );
    const pushed = push('c3', three, [1, 2]);
    const waits = async () =>
      (await sql(`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%wave%'`)).rows.length;
    try {
      await expect.poll(waits).toBeGreaterThan(0);
      await other.query('commit');
    } finally {
      await other.query('rollback');
      other.release();
    }
    await pushed;
    expect(await openWave()).toMatchObject({ commit: 'c3', stopped: { by: 'kim', because: 'a sale' } });
  });

  test('says how each of its stacks stands, and what it waits for', async () => {
    await begun(three);
    await applied(0);
    await records.pause({ id: idOf(1) }, { until: new Date(Date.now() + 60_000), who: 'kim', because: 'a sale' });
    const { id = '' } = (await openWave()) ?? {};
    expect(await records.wave(id)).toMatchObject({
      name: 'shops',
      commit: 'c1',
      stacks: [
        { id: idOf(0), step: 0, is: 'settles', labels: { ring: '0' } },
        { id: idOf(1), step: 1, is: 'paused' },
        { id: idOf(2), step: 1, is: 'later' },
        { id: idOf(3), step: 2, is: 'later' },
      ],
      waits: [{ stack: idOf(0), because: 'is to be healthy for 5 minutes' }],
    });
    await pass(5);
    await tick();
    await begin(2);
    expect((await records.wave(id))?.waits).toEqual([
      { stack: idOf(1), because: 'is paused by kim: a sale' },
      { stack: idOf(2), because: 'is being applied' },
    ]);
    await run(0, 'drift', 'platform');
    expect(await records.wave(id)).toMatchObject({ stacks: [{ is: 'failed' }, {}, { is: 'runs' }, {}], waits: [] });
    await records.resumeWave(id, word);
    await sql(`update @stack set policy = 'approval', problem = 'git is away' where id = any($1)`, [
      [idOf(0), idOf(2)],
    ]);
    expect((await records.wave(id))?.waits).toEqual([
      { stack: idOf(0), because: 'its look for drift ended as platform' },
      { stack: idOf(1), because: 'is paused by kim: a sale' },
      { stack: idOf(2), because: 'is being applied' },
    ]);
    expect([await records.wave('0'), await records.wave('x'), await records.wave('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
