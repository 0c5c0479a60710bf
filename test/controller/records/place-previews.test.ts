import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type NewSource, type Records, recordsIn } from '../../../src/controller/records/all.ts';
import type { PullRecord } from '../../../src/controller/records/pulls.ts';
import { migrate } from '../../../src/controller/schema.ts';
import { openPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** Which previews there are to be, by the source, its root files and its pull requests. */

const missing = whyNoPostgres();

const source: NewSource = {
  id: 'shop',
  url: 'https://git.example/shop.git',
  ref: 'refs/heads/main',
  platforms: [{ platform: 'first', paths: '*' }],
  policy: 'approval',
  pollSeconds: 60,
  lookSeconds: 3_600,
};
const pull = (number: number, head: string, isFork = false): Omit<PullRecord, 'source' | 'isAllowed'> => ({
  number,
  head,
  branch: `branch-${number}`,
  base: 'main',
  isFork,
});
const previews = ['a/preview.yaml'];
const one = 'shop:a/preview.yaml/1';

describe.skipIf(missing !== undefined)(missing ?? 'a preview', () => {
  let pool: pg.Pool;
  let records: Records;
  beforeAll(async () => {
    const opened = await openPostgres(4);
    ({ pool } = opened);
    return opened.close;
  });
  beforeEach(async () => {
    await pool.query('drop schema if exists trueup_controller cascade');
    await migrate(pool, 'trueup_controller');
    records = recordsIn(pool, 'trueup_controller');
    for (const id of ['first', 'second']) {
      const about = { url: `https://${id}.example`, profile: null, keyFile: '/key', envFile: null, connections: 4 };
      await records.addPlatform({ id, ...about, labels: { site: id } }, 'alex');
    }
    await records.addSource(source, 'alex');
    await records.sawCommit({ id: 'shop' }, 'c1', ['a/trueup.yaml'], { previews });
    await records.dueStacks(10);
  });

  const stackOf = (id: string) => records.stack(id);
  const ids = async () => (await records.stacks()).filter(({ isGone }) => !isGone).map(({ id }) => id);
  const isDue = async () => (await records.dueStacks(10)).map(({ id }) => id);
  /** The preview as a run reads it. */
  const read = async () => (await stackOf(one)) ?? expect.fail(`there is no stack ${one}`);
  /** A preview that is on its platform. */
  const made = async (head = 'p1', preview: { readonly forMs?: number } = {}) => {
    await records.sawPulls('shop', [pull(1, head)]);
    await pool.query(`update trueup_controller.stack set policy = 'automatic' where pull is not null`);
    const run = await records.beginApply(await read(), { cause: 'commit', commit: head, worker: 'w', preview });
    await records.endRun(run ?? '', { ending: 'done' });
    await records.deploysNothing({ id: one });
    await records.inStep(await read(), head, 'd');
    await pool.query(`update trueup_controller.stack set policy = 'approval' where pull is not null`);
    await isDue();
  };

  test('is a stack of its pull request, with the labels, the platform and the policy of its source, and is due at once', async () => {
    await records.sawPulls('shop', [pull(1, 'p1'), pull(2, 'p2', true)]);
    expect(await ids()).toEqual([one, 'shop:a/trueup.yaml']);
    const expected = { pull: 1, wanted: 'p1', platform: 'first', policy: 'approval', labels: { site: 'first' } };
    expect(await stackOf(one)).toMatchObject({ ...expected, path: 'a/preview.yaml', made: null, ends: null });
    expect(await isDue()).toEqual([one]);
    await records.sawPulls('shop', [pull(1, 'p1')]);
    expect(await isDue()).toEqual([]);
    await records.sawPulls('shop', [pull(1, 'p1b')]);
    expect([await isDue(), (await stackOf(one))?.wanted]).toEqual([[one], 'p1b']);
    await records.addSource({ ...source, previewPolicy: 'automatic', labels: { tier: 'x' } }, 'alex');
    expect(await stackOf(one)).toMatchObject({ policy: 'automatic', labels: { site: 'first', tier: 'x' } });
    expect(await stackOf('shop:a/trueup.yaml')).toMatchObject({ policy: 'approval', pull: null });
  });

  test('is touched by no commit of the branch, and is in none of its waves', async () => {
    await records.sawPulls('shop', [pull(1, 'c2')]);
    const wave = { name: 'all', labels: {}, healthyMinutes: 0, steps: ['rest' as const] };
    await records.sawCommit({ id: 'shop' }, 'c2', ['a/trueup.yaml'], { previews, waves: [wave] });
    expect(await stackOf(one)).toMatchObject({ wanted: 'c2', isGone: false, ends: null });
    const { rows } = await pool.query('select stack from trueup_controller.wave_stack');
    expect(rows).toEqual([{ stack: 'shop:a/trueup.yaml' }]);
  });

  test.each([
    ['its pull request is closed', () => records.sawPulls('shop', [], [1])],
    ['its file describes previews no more', () => records.sawCommit({ id: 'shop' }, 'c2', ['a/preview.yaml'], {})],
    [
      'its file is on another platform',
      () => records.addSource({ ...source, platforms: [{ platform: 'second', paths: '*' }] }, 'alex'),
    ],
    [
      'its file is on none',
      () => records.addSource({ ...source, platforms: [{ platform: 'first', paths: 'b/*' }] }, 'alex'),
    ],
  ])('is to be removed where %s, by its own platform', async (_, change) => {
    await made();
    await change();
    expect(await stackOf(one)).toMatchObject({ ends: 'closed', made: 'p1', platform: 'first', isGone: false });
    expect(await isDue()).toContain(one);
    expect(await records.beginApply(await read(), { cause: 'commit', commit: 'p1', worker: 'w' })).toBeUndefined();
    expect(await records.beginRemoval({ id: one }, { commit: 'p1', worker: 'w' })).toMatchObject({ is: 'begun' });
    expect(await records.previewRemoved(await read())).toBe(true);
    expect(await stackOf(one)).toMatchObject({ isGone: true, made: null, applied: null, digest: null });
  });

  test('is to be removed where a person takes back its commit, and what runs for it is stopped', async () => {
    await records.sawPulls('shop', [pull(1, 'p1', true)]);
    expect(await records.allowPull({ source: 'shop', number: 1, head: 'p1' }, { who: 'alex', because: 'read' })).toBe(
      true,
    );
    await pool.query(`update trueup_controller.stack set policy = 'automatic' where pull is not null`);
    const run = await records.beginApply(await read(), { cause: 'commit', commit: 'p1', worker: 'w' });
    // A later push is not allowed yet, and the preview has the commit that was.
    await records.sawPulls('shop', [pull(1, 'p2', true)]);
    const word = { who: 'alex', because: 'it was a mistake' };
    expect(await records.takePullBack({ source: 'shop', number: 1, head: 'p2' }, word)).toBe(false);
    expect(await records.takePullBack({ source: 'shop', number: 1, head: 'p1' }, word)).toBe(true);
    expect(await records.beat(run ?? '')).toEqual({ isStopped: true });
    expect(await stackOf(one)).toMatchObject({ ends: 'closed', made: 'p1', isPaused: false });
    await records.endRun(run ?? '', { ending: 'stopped' });
    expect(await isDue()).toContain(one);
    expect(await records.beginRemoval({ id: one }, { commit: 'p1', worker: 'w' })).toMatchObject({ is: 'begun' });
  });

  test('is named where its source is removed: nothing removes it then', async () => {
    await made();
    expect(await records.removeSource('shop', 'alex')).toEqual({ previews: [one] });
  });

  test('stays where a look lacks its pull request, and says nothing of it', async () => {
    await made();
    await records.sawPulls('shop', []);
    expect(await stackOf(one)).toMatchObject({ ends: null, isGone: false });
    expect(await records.openPulls('shop')).toEqual([1]);
  });

  test('that is wanted again goes on, also where its removal began, and on another platform once it is gone', async () => {
    await made();
    await records.sawPulls('shop', [], [1]);
    await records.sawPulls('shop', [pull(1, 'p1')]);
    expect(await stackOf(one)).toMatchObject({ ends: null, made: 'p1', applied: 'p1' });
    await records.sawPulls('shop', [], [1]);
    expect(await records.beginRemoval({ id: one }, { commit: 'p1', worker: 'w' })).toMatchObject({ is: 'begun' });
    await records.sawPulls('shop', [pull(1, 'p1')]);
    expect(await records.previewRemoved(await read())).toBe(false);
    expect(await stackOf(one)).toMatchObject({ ends: null, isGone: false, made: null, applied: null, wanted: 'p1' });
    await records.addSource({ ...source, platforms: [{ platform: 'second', paths: '*' }] }, 'alex');
    expect(await stackOf(one)).toMatchObject({ ends: 'closed', platform: 'first' });
    expect(await records.previewRemoved(await read())).toBe(true);
    await records.sawPulls('shop', [pull(1, 'p1')]);
    expect(await stackOf(one)).toMatchObject({ ends: null, isGone: false, platform: 'second' });
  });

  test('counts its time from the first apply of its commit, and is over without one more look', async () => {
    await made('p1', { forMs: 3_600_000 });
    const age = (text: string) =>
      pool.query(`update trueup_controller.stack set made_at = now() - $1::interval where pull is not null`, [text]);
    await age('59 minutes');
    await records.endOverdue();
    expect((await stackOf(one))?.ends).toBeNull();
    await records.inStep(await read(), 'p1', 'd');
    await age('60 minutes');
    await records.endOverdue();
    expect((await stackOf(one))?.ends).toBe('over');
    await records.sawPulls('shop', [pull(1, 'p1')]);
    expect((await stackOf(one))?.ends).toBe('over');
    await records.sawPulls('shop', [pull(1, 'p2')]);
    expect(await stackOf(one)).toMatchObject({ ends: null, made: 'p1' });
    await records.inStep(await read(), 'p2', 'd');
    await records.endOverdue();
    expect(await stackOf(one)).toMatchObject({ ends: null, made: 'p2' });
  });

  test('that was made of another commit since its removal began stays, with the plan that waits for it', async () => {
    await made();
    await records.sawPulls('shop', [], [1]);
    const removing = await read();
    await made('p2');
    const document = { actions: [], dataAtRisk: [] } as never;
    const plan = await records.keepPlan(await read(), { commit: 'p2', cause: 'drift', document, file: 'a plan' });
    expect(await records.previewRemoved(removing)).toBe(false);
    expect(await read()).toMatchObject({ made: 'p2', applied: 'p2', isGone: false });
    expect((await records.waitingPlan(one))?.digest).toBe(plan);
  });

  test('that is gone is brought on by no run that ends late, and counts to no limit', async () => {
    await made();
    const late = await read();
    await records.sawPulls('shop', [], [1]);
    expect(await records.previewRemoved(late)).toBe(true);
    expect(await records.inStep({ ...late, applied: null, digest: null }, 'p1', 'd')).toEqual({ wantsOther: true });
    expect(await read()).toMatchObject({ isGone: true, made: null, applied: null });
  });

  test('stays as long as the commit says that was applied, and not as one that nobody approved', async () => {
    await made('p1', { forMs: 3_600_000 });
    const document = { actions: [], dataAtRisk: [] } as never;
    await records.sawPulls('shop', [pull(1, 'p2')]);
    await records.keepPlan(await read(), { commit: 'p2', cause: 'commit', document, file: 'a plan' });
    const lasts = async () =>
      (await pool.query('select lasts_seconds from trueup_controller.stack where pull = 1')).rows;
    expect(await lasts()).toEqual([{ lasts_seconds: 3_600 }]);
    await made('p2', { forMs: 60_000 });
    expect(await lasts()).toEqual([{ lasts_seconds: 60 }]);
    await made('p3');
    expect(await lasts()).toEqual([{ lasts_seconds: null }]);
  });

  test.each([
    ['its pull request is closed', () => records.sawPulls('shop', [], [1])],
    [
      'its time is over',
      async () => {
        await pool.query(`update trueup_controller.stack set made_at = now() - interval '2 hours' where pull = 1`);
        await records.endOverdue();
      },
    ],
  ])('asks for no approval once %s', async (_, end) => {
    await made('p1', { forMs: 3_600_000 });
    await records.sawPulls('shop', [pull(1, 'p2')]);
    const document = { actions: [], dataAtRisk: [] } as never;
    const plan = await records.keepPlan(await read(), { commit: 'p2', cause: 'commit', document, file: 'a plan' });
    expect((await records.alarms()).map(({ kind }) => kind)).toEqual(['approval']);
    await end();
    expect([await records.waitingPlan(one), await records.alarms()]).toEqual([undefined, []]);
    const verdict = { who: 'alex', role: 'approver', approves: true, because: 'it is right' };
    expect(await records.judge(plan ?? '', verdict)).toBe(false);
    await made('p3');
    expect(await read()).toMatchObject({ ends: null, applied: 'p3' });
  });

  test('ends with all that was known of pull requests, where its source has another address', async () => {
    await made();
    await records.sawPulls('shop', [pull(1, 'p1'), pull(2, 'f1', true)]);
    const word = { who: 'alex', because: 'I have read it' };
    expect(await records.allowPull({ source: 'shop', number: 2, head: 'f1' }, word)).toBe(true);
    await records.addSource({ ...source, labels: { tier: 'x' } }, 'alex');
    expect(await records.openPulls('shop')).toEqual([1, 2]);
    const url = 'https://git.example/other.git';
    await records.addSource({ ...source, url }, 'alex');
    expect([await records.openPulls('shop'), await read()]).toMatchObject([[], { ends: 'closed', made: 'p1' }]);
    await records.sawPulls('shop', [pull(2, 'f1', true)]);
    expect([await records.pull('shop', 2), await stackOf('shop:a/preview.yaml/2')]).toMatchObject([
      { isAllowed: false },
      { ends: 'closed' },
    ]);
  });

  test('is not removed while it is paused, nor by a policy that lets nothing be written', async () => {
    await made();
    await records.sawPulls('shop', [], [1]);
    const word = { who: 'alex', because: 'a look' };
    await records.pause({ id: one }, { until: new Date(Date.now() + 60_000), ...word });
    expect(await records.beginRemoval({ id: one }, { commit: 'p1', worker: 'w' })).toEqual({ is: 'not due' });
    await records.pause({ id: one }, { until: undefined, ...word });
    await pool.query(`update trueup_controller.stack set policy = 'never' where pull is not null`);
    expect(await records.beginRemoval({ id: one }, { commit: 'p1', worker: 'w' })).toEqual({ is: 'never' });
  });

  test('of a source that an earlier version knew is made when its files are looked at again', async () => {
    await pool.query('update trueup_controller.source set previews = null');
    await records.sawPulls('shop', [pull(1, 'p1')]);
    expect([(await records.source('shop'))?.previews, await stackOf(one)]).toEqual([null, undefined]);
    await records.sawCommit({ id: 'shop' }, 'c1', ['a/trueup.yaml'], { previews });
    expect(await stackOf(one)).toMatchObject({ wanted: 'p1' });
  });
});
