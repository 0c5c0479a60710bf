import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { sendStatuses } from '../../../src/controller/forge/send-statuses.ts';
import { stateOf } from '../../../src/controller/page/stack-state.ts';
import { canaries, forgeBench, manifestOf, stackId } from '../../support/forge-bench.ts';
import { hostedForge } from '../../support/hosted-forge.ts';
import { openPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** What forges show of commits, with a PostgreSQL, a platform and a forge of their own. */

const missing = whyNoPostgres();
const names = ['github', 'gitlab', 'gitea'] as const;

describe.skipIf(missing !== undefined)(missing ?? 'statuses of commits', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });

  test.each(names)('on %s say that a plan waits, that it was applied, and that another commit came', async (name) => {
    const { server: forge, records, look, tell, push, head, shown } = await forgeBench(pool, name, 'approval');
    await look();
    await tell();
    const plan = (await records.waitingPlan(stackId))?.digest ?? '';
    expect(forge.statuses).toEqual([
      {
        commit: head,
        context: 'trueup/infra/trueup.yaml',
        state: 'pending',
        description: expect.stringMatching(/^Waits for approval: 1 to create, /) as string,
        url: `https://trueup.example.com/plans/${plan}`,
      },
    ]);
    const second = push({ 'infra/trueup.yaml': manifestOf('redis:7.4') });
    await look();
    await tell();
    const last = (commit: string) => {
      const found = forge.statuses.findLast((one) => one.commit === commit);
      return [found?.state, found?.description];
    };
    expect(last(head)).toEqual(['success', 'Not applied: another commit came after it.']);
    expect(last(second)).toEqual(['pending', expect.stringMatching(/^Waits for approval: 1 to create, /)]);
    const digest = (await records.waitingPlan(stackId))?.digest ?? '';
    await records.judge(digest, { who: 'alex', role: 'approver', approves: true, because: 'it is right' });
    await look();
    await tell();
    expect(last(second)).toEqual(['success', expect.stringMatching(/^Applied: 1 created/)]);
    expect(await tell()).toEqual(['pulls shop']);
    const third = push({ 'README.md': 'a readme' });
    await look();
    await tell();
    expect(last(third)).toEqual(['success', 'Nothing to do.']);
    for (const canary of canaries) expect(shown()).not.toContain(canary);
  });

  test('link to the page, whatever the settings of the worker say, and are sent again once it moved', async () => {
    const { server: forge, records, look, tell } = await forgeBench(pool, 'github');
    const links = () => forge.statuses.map(({ url }) => url?.replace(/\/stacks\/.*/, ''));
    await records.setPageAddress('https://former.example.com', { by: 'worker' });
    await look();
    await tell();
    expect(links()).toEqual(['https://trueup.example.com']);
    await records.setPageAddress('https://trueup.example.com', { by: 'page' });
    await tell();
    expect(links()).toHaveLength(1);
    await records.setPageAddress('https://new.example.com', { by: 'page' });
    await tell();
    await tell();
    expect(links()).toEqual(['https://trueup.example.com', 'https://new.example.com']);
  });

  test('say that a stack drifted, and that it failed, and nothing else of why', async () => {
    const { server: forge, look, tell, push, drift, errors } = await forgeBench(pool, 'gitea');
    await look();
    await drift({ dockerImage: 'redis:6' });
    await look();
    await tell();
    expect(forge.statuses.at(-1)).toMatchObject({
      state: 'pending',
      description: 'Drifted: 1 to update, 1 to deploy; waits for a decision.',
    });
    const broken = push({ 'infra/trueup.yaml': manifestOf('redis:7').replace('dockerImage', 'dockerImgae') });
    await look();
    expect(errors).toHaveLength(1);
    await tell();
    expect(forge.statuses.find(({ commit }) => commit === broken)).toEqual({
      commit: broken,
      context: 'trueup/infra/trueup.yaml',
      state: 'failure',
      description: 'Failed, and is tried again.',
      url: 'https://trueup.example.com/stacks/shop:infra~1trueup.yaml',
    });
  });

  test('say that a plan waits for approval in the place of one that was approved and did not fit any more', async () => {
    const { server: forge, records, look, tell, push, drift, errors } = await forgeBench(pool, 'gitea', 'approval');
    const approve = async () => {
      const digest = (await records.waitingPlan(stackId))?.digest ?? '';
      await records.judge(digest, { who: 'alex', role: 'approver', approves: true, because: 'it is right' });
    };
    await look();
    await approve();
    await look();
    const second = push({ 'infra/trueup.yaml': manifestOf('redis:7.4') });
    await look();
    await approve();
    await drift({ dockerImage: 'redis:6' });
    await look();
    await tell();
    expect(errors).toEqual([]);
    expect(forge.statuses.findLast(({ commit }) => commit === second)).toMatchObject({
      state: 'pending',
      description: expect.stringMatching(/^Waits for approval: /) as string,
    });
    const [row] = await records.shownStacks([stackId]);
    expect(row && stateOf(row)).toBe('approval');
    const because = expect.stringContaining('was changed on the platform') as string;
    expect(row).toMatchObject({ problem: null, plan: { commit: second, isApproved: null, because } });
  });

  test('are sent when the forge takes requests again, and hinder no run', async () => {
    const { server: forge, records, look, tell, emulator } = await forgeBench(pool, 'github');
    forge.fault = () => ({ status: 429, headers: { 'retry-after': '600' } });
    await look();
    expect(Object.values(emulator.world.tables.redis)).toHaveLength(1);
    expect([await tell(), await tell()]).toEqual([['pulls shop'], ['pulls shop']]);
    const row = async () => {
      const text =
        "select forge_problem as problem, forge_after > now() + interval '9 minutes' as waits from trueup_controller.source";
      return (await pool.query(text)).rows as unknown[];
    };
    expect(await row()).toEqual([{ problem: expect.stringContaining('429'), waits: true }]);
    forge.fault = () => undefined;
    await pool.query('update trueup_controller.source set forge_after = now()');
    await tell();
    expect(forge.statuses.map(({ state }) => state)).toEqual(['success']);
    expect(await row()).toEqual([{ problem: null, waits: null }]);
    expect(await records.sourcesToTell(10)).toEqual([]);
  });

  test('that the forge refuses are not sent again at once, and keep no other from being sent', async () => {
    const { server: forge, records, look, tell, push, head } = await forgeBench(pool, 'gitlab');
    forge.fault = (_method, path) => (path.endsWith(head) ? 404 : undefined);
    await look();
    await tell();
    expect([forge.statuses, await records.sourcesToTell(10)]).toEqual([[], []]);
    const next = push({ 'infra/trueup.yaml': manifestOf('redis:7.4') });
    await look();
    await tell();
    expect(forge.statuses.map(({ commit }) => commit)).toEqual([next]);
  });

  test('that a worker does not send because it stops are no problem of the forge', async () => {
    const { server: forge, look, at, tell } = await forgeBench(pool, 'gitea');
    await look();
    const stops = AbortSignal.abort(new Error('the worker stops'));
    await expect(sendStatuses(at, 'shop', stops)).rejects.toThrow('the worker stops');
    const { rows } = await pool.query(
      'select forge_problem as problem, forge_after as after from trueup_controller.source',
    );
    expect(rows).toEqual([{ problem: null, after: null }]);
    await tell();
    expect(forge.statuses).toHaveLength(1);
  });

  test('are told to another forge that the source moved to, and what the former one answered is forgotten', async () => {
    const { records, enrol, look, tell, head } = await forgeBench(pool, 'gitea');
    await look();
    await tell();
    await records.forgeAnswered('shop', 'the forge answered 401', 600);
    const other = await hostedForge('gitea', { 'infra/trueup.yaml': manifestOf('redis:7') });
    await enrol('automatic', other.server);
    expect((await records.shownSources())[0]?.forgeProblem).toBeNull();
    await tell();
    expect([other.head, other.server.statuses.map(({ commit, state }) => [commit, state])]).toEqual([
      head,
      [[head, 'success']],
    ]);
    await records.forgeAnswered('shop', 'the forge answered 401', 600);
    await enrol('automatic', other.server, 'none');
    expect((await records.shownSources())[0]?.forgeProblem).toBeNull();
  });
});
