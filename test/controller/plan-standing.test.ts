import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusOf } from '../../src/controller/forge/status-text.ts';
import { stateOf, stateWords } from '../../src/controller/page/stack-state.ts';
import { fateOf, planView } from '../../src/controller/page/views/plan.ts';
import { type Records, recordsIn } from '../../src/controller/records/all.ts';
import { migrate } from '../../src/controller/schema.ts';
import { controllerDocuments, rowsOf } from '../support/controller-rows.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** The words for a plan and its stack, on pages and at forges, in every case that the tables can hold. */

/** A plan of a stack that does not have the commit yet. */
interface Case {
  readonly policy: 'automatic' | 'approval' | 'never';
  readonly cause: 'commit' | 'drift';
  /** Why a person has to approve it, whatever the policy is. */
  readonly needs: 'nothing' | 'a person' | 'consent to data loss';
  readonly verdict: 'none' | 'approved' | 'refused';
  readonly over: 'no' | 'superseded' | 'expired';
  /** The wave of the stack has not come to it. */
  readonly isHeld: boolean;
  readonly isPaused: boolean;
}

type Row = readonly [when: (one: Case) => boolean, plan: string, stack: string, forge: string];

const isRepair = ({ cause }: Case) => cause === 'drift';
const asks = ({ policy, needs, cause }: Case) => policy === 'approval' || needs !== 'nothing' || cause === 'drift';

/** What docs/controller.md promises: the first line that fits says the words of the plan, of its stack, and at the forge. */
const table: readonly Row[] = [
  [({ over, verdict }) => over === 'expired' && verdict === 'refused', 'refused', 'to be planned', ''],
  [({ over }) => over !== 'no', '=over', 'to be planned', ''],
  [(one) => one.verdict === 'refused' && isRepair(one), 'refused', 'refused', 'its repair was refused'],
  [({ verdict }) => verdict === 'refused', 'refused', 'refused', 'Refused'],
  [(one) => one.policy === 'never' && isRepair(one), 'planned only', 'planned only', 'its policy repairs nothing'],
  [({ policy }) => policy === 'never', 'planned only', 'planned only', 'not applied by its policy'],
  [(one) => one.verdict === 'none' && isRepair(one), 'waits for approval', 'drifted', 'waits for a decision'],
  [(one) => one.verdict === 'none' && asks(one), 'waits for approval', 'waits for approval', 'Waits for approval'],
  [({ isPaused, isHeld, cause }) => isPaused && isHeld && cause === 'commit', '=pause', '', 'Waits for its wave'],
  [(one) => one.isPaused && isRepair(one), '=pause', '', 'To be repaired'],
  [({ isPaused }) => isPaused, '=pause', '', 'To be applied'],
  [
    ({ isHeld, cause }) => isHeld && cause === 'commit',
    'waits for its wave',
    'waits for its wave',
    'Waits for its wave',
  ],
  [(one) => one.verdict === 'approved' && isRepair(one), 'approved', 'approved', 'To be repaired'],
  [({ verdict }) => verdict === 'approved', 'approved', 'approved', 'To be applied'],
  [() => true, 'to be applied', 'to be planned', 'To be applied'],
];

function wordsFor(one: Case) {
  const [, plan = '', stack = '', forge = ''] = table.find(([when]) => when(one)) ?? [];
  return {
    plan: plan === '=over' ? one.over : plan === '=pause' ? 'waits for the end of the pause' : plan,
    stack: one.isPaused ? 'paused' : stack,
    forge,
  };
}

const each = <T>(...values: readonly T[]) => values;
const cases: readonly Case[] = each('automatic', 'approval', 'never').flatMap((policy) =>
  each('commit', 'drift').flatMap((cause) =>
    each('nothing', 'a person', 'consent to data loss').flatMap((needs) =>
      each('none', 'approved', 'refused').flatMap((verdict) =>
        each('no', 'superseded', 'expired').flatMap((over) =>
          each(false, true).flatMap((isHeld) =>
            each(false, true).map((isPaused) => ({ policy, cause, needs, verdict, over, isHeld, isPaused }) as Case),
          ),
        ),
      ),
    ),
  ),
);

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'the words of plans', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  const digests: string[] = [];
  const idOf = (at: number) => `shops:s${at}/trueup.yaml`;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 4 });
    pool.on('error', () => undefined);
    await migrate(pool, 'c');
    records = recordsIn(pool, 'c');
    const rows = rowsOf(pool, 'c');
    const { plan } = await controllerDocuments();
    const losing = { ...plan, actions: plan.actions.filter(({ dataAtRisk }) => dataAtRisk !== undefined) };
    const keeping = { ...plan, actions: plan.actions.filter(({ dataAtRisk }) => dataAtRisk === undefined) };
    expect(losing.actions).not.toEqual([]);
    await rows.platform('north');
    await rows.source('shops');
    for (const [at, { policy, cause, needs, verdict, over, isPaused }] of cases.entries()) {
      await rows.stack({ id: idOf(at), policy, isBehind: true, ...(isPaused ? { pausedFor: 1 } : {}) });
      const digest = await rows.plan(idOf(at), needs === 'consent to data loss' ? losing : keeping, {
        cause,
        isNeeded: needs === 'a person',
        ...(over === 'no' ? {} : { as: over }),
      });
      if (verdict !== 'none') await rows.verdict(digest, 'lead@example.com', verdict === 'approved', 'so');
      digests.push(digest);
    }
    const held = cases.flatMap(({ isHeld }, at) => (isHeld ? [idOf(at)] : []));
    const free = cases.flatMap(({ isHeld }, at) => (isHeld ? [] : [idOf(at)]));
    await rows.wave('shops', 'shops', [free, held]);
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  const said = async () => {
    const now = new Date();
    const stacks = new Map((await records.shownStacks(cases.map((_case, at) => idOf(at)))).map((one) => [one.id, one]));
    const statuses = new Map((await records.dueStatuses('shops', 10_000)).map((one) => [one.stack, one]));
    const all = [];
    for (const [at, one] of cases.entries()) {
      const [stack, plan] = [stacks.get(idOf(at)), await records.shownPlan(digests[at] ?? '')];
      if (stack === undefined || plan === undefined) throw new Error('the tables lack a row');
      const view = planView({ plan, stack, now, csrf: 'x', who: 'a', mayNot: undefined });
      const [, word] = /<span class="badge \w+">(.*?)<\/span>/.exec(view.standing?.text ?? '') ?? [];
      const due = statuses.get(stack.id);
      const status = due === undefined ? '' : statusOf(due, undefined).description;
      all.push({ one, plan: word, stack: stateWords[stateOf(stack)].words, status, view, row: plan, stackRow: stack });
    }
    return all;
  };

  test('are those of the description, on the page of the plan, in the list and at the forge', async () => {
    const all = await said();
    expect(all).toHaveLength(3 * 2 * 3 * 3 * 3 * 2 * 2);
    for (const { one, plan, stack, status } of all) {
      const words = wordsFor(one);
      expect([one, plan, stack]).toEqual([one, words.plan, words.stack]);
      expect([one, status]).toEqual([one, words.forge === '' ? '' : (expect.stringContaining(words.forge) as string)]);
    }
  });

  test('lead to the wave where that is what a plan waits for, and offer an approval where one counts', async () => {
    const all = await said();
    expect(all.some(({ plan }) => plan === 'waits for its wave')).toBe(true);
    for (const { one, plan, view, row, stackRow } of all) {
      const page = JSON.stringify([view.main]);
      if (plan === 'waits for its wave') expect([one, page]).toEqual([one, expect.stringContaining('/waves/')]);
      const isAsked = row.verdicts.length === 0 && fateOf(row, stackRow, new Date()) === 'waits';
      if (isAsked) expect([one, page.includes('value=\\"approve\\"')]).toEqual([one, true]);
      if (one.policy === 'never' || one.over !== 'no' || one.verdict === 'refused')
        expect([one, page.includes('<textarea')]).toEqual([one, false]);
    }
  });

  test('count in the metrics where a person has to speak', async () => {
    const waiting = cases.filter((one) => wordsFor(one).plan === 'waits for approval').length;
    expect((await records.figures()).waitingPlans).toBe(waiting);
  });
});
