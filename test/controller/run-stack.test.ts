import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WireRequest } from '../../src/api/wire.ts';
import type { Checkouts } from '../../src/controller/checkouts.ts';
import { type Policy, type Records, recordsIn } from '../../src/controller/records/all.ts';
import { fingerprintIn } from '../../src/controller/fingerprint.ts';
import { followStack } from '../../src/controller/follow-stack.ts';
import { type Ending, type Running, runStack } from '../../src/controller/run-stack.ts';
import { migrate } from '../../src/controller/schema.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { open, planDocument, platformAt, stateAt } from '../../src/index.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { edit } from '../support/drifting.ts';
import { generator } from '../support/random-stages.ts';
import { effort } from '../support/whole.ts';
import { openPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** How a worker brings a stack on, with a PostgreSQL and a platform of its own; git is a folder for each commit. */

const missing = whyNoPostgres();
const manifest = (image: string, more = '') =>
  `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      main: { dockerImage: "${image}", databasePassword: "\${secret:DB}" }\n${more}`;

/** It wants none of what the other one does. */
const nothing = 'trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis: {}\n';

describe.skipIf(missing !== undefined)(missing ?? 'a stack', () => {
  let pool: pg.Pool;
  let platform: Awaited<ReturnType<typeof serve>>;
  let emulator: ReturnType<typeof createEmulator>;
  let running: Running;
  let records: Records;
  /** Hears of each request that the platform obeyed, before its answer. */
  let onRequest: (request: WireRequest) => void;
  const commits = new Map<string, string>();
  const signal = new AbortController().signal;
  const states = { schema: 'trueup', key: newStateKey().text() };

  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });

  /** A platform, a source with a stack on it, and what a worker has. */
  beforeEach(async () => {
    await pool.query('drop schema if exists trueup_controller cascade; drop schema if exists trueup cascade');
    commits.clear();
    emulator = createEmulator({ apiKey: 'a-key' });
    onRequest = () => undefined;
    const deliver = async (request: WireRequest) => {
      const answer = await emulator.send(request);
      onRequest(request);
      return answer;
    };
    platform = await serve(emulator, { faults: { send: deliver, deliver } });
    const folder = mkdtempSync(join(tmpdir(), 'trueup-controller-'));
    writeFileSync(join(folder, 'key'), 'a-key\n');
    writeFileSync(join(folder, 'env'), 'TRUEUP_SECRET_DB=canary-of-a-stack\n');
    expect(await migrate(pool, 'trueup_controller')).toContain('events');
    expect(await migrate(pool, 'trueup_controller')).toEqual([]);
    records = recordsIn(pool, 'trueup_controller');
    await records.addPlatform(
      {
        id: 'main',
        url: platform.url,
        profile: null,
        keyFile: join(folder, 'key'),
        envFile: join(folder, 'env'),
        connections: 4,
      },
      'alex',
    );
    const checkouts: Checkouts = {
      fetch: () => Promise.reject(new Error('not here')),
      previewFiles: () => Promise.reject(new Error('not here')),
      rootFiles: () => Promise.reject(new Error('not here')),
      authors: () => Promise.reject(new Error('not here')),
      fingerprint: async (_source, commit) => fingerprintOf(commit),
      at: (_source, commit, work) => {
        const place = mkdtempSync(join(folder, 'commit-'));
        mkdirSync(join(place, 'infra'));
        writeFileSync(join(place, 'infra/trueup.yaml'), commits.get(commit) ?? '');
        return work(place, fingerprintOf(commit));
      },
    };
    const onError = (error: unknown) => expect.fail(String(error));
    const here = { only: {}, site: 0 };
    running = { records, checkouts, pool, states, worker: 'a worker', ...here, platforms: new Map(), onError };
    return () => platform.close();
  });

  const id = 'shop:infra/trueup.yaml';
  const enrolled = async (policy: Policy) =>
    records.addSource(
      {
        id: 'shop',
        url: 'https://git.example/shop.git',
        ref: 'refs/heads/main',
        platforms: [{ platform: 'main', paths: 'infra/*' }],
        policy,
        pollSeconds: 60,
        lookSeconds: 3_600,
      },
      'alex',
    );
  const push = async (commit: string, text: string) => {
    commits.set(commit, text);
    return records.sawCommit({ id: 'shop' }, commit, ['infra/trueup.yaml']);
  };
  const fingerprintOf = (commit: string) =>
    fingerprintIn([{ path: 'infra/trueup.yaml', id: commits.get(commit) ?? '', isLink: false }]);
  /** A commit as a worker sees it: a stack whose files are as they were wants no other one. */
  const pushAsWorker = async (commit: string, text: string) => {
    commits.set(commit, text);
    const stacks = await records.stackFiles('shop');
    const kept = stacks.filter((stack) => fingerprintOf(commit)(stack) === stack.fingerprint);
    return records.sawCommit({ id: 'shop' }, commit, ['infra/trueup.yaml'], { kept });
  };
  /** Runs the stack, and what comes of it at once, such as the end of its deployments. */
  const runWith = async (worker: Running, until = signal): Promise<Ending> => {
    let ended = await runStack(worker, id, until);
    while (ended.is === 'again' && ended.afterSeconds === 0)
      ended = await (ended.as === 'follow' ? followStack : runStack)(worker, id, until);
    return ended;
  };
  const run = () => runWith(running);
  const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
  const kinds = async () => (await records.runs(id)).map(({ kind, ending }) => `${kind} ${ending ?? ''}`);
  /** The stack as a run reads it when it begins. */
  const asRead = async () => (await records.stack(id)) ?? expect.fail('there is no stack');
  const approve = async (digest = '', approves = true, allowsDataLoss = false) =>
    records.judge(digest, { who: 'alex', role: 'approver', approves, because: 'it is right', allowsDataLoss });
  const verdictsAndPauses = async () => (await records.events()).filter(({ subject }) => subject === id);
  const edited = async (image: string, at = 0) => {
    const row = Object.values(emulator.world.tables.redis)[at];
    if (row === undefined) return;
    await edit({ emulator, apiKey: 'a-key' }, 'redis.update', { redisId: row.redisId, dockerImage: image });
  };
  /** Whether a plan of the commit, made beside the controller, would change something. */
  const hasChanges = async (commit: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-beside-'));
    writeFileSync(join(folder, 'trueup.yaml'), commits.get(commit) ?? '');
    const project = await open(folder, {
      env: { TRUEUP_SECRET_DB: 'canary-of-a-stack', TRUEUP_URL: platform.url },
      platform: platformAt({ url: platform.url, apiKey: 'a-key' }),
      state: stateAt({ pool, schema: 'trueup', name: id, key: states.key }),
    });
    const made = planDocument(await project.plan());
    await project.close();
    return made.hasChanges;
  };

  test('that is applied by itself is in step after one run, and a commit that wants the same sends nothing', async () => {
    await enrolled('automatic');
    expect(await push('c1', manifest('redis:7'))).toEqual([{ id, platform: 'main', site: 0 }]);
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
    expect(await verdictsAndPauses()).toMatchObject([{ who: 'alex', what: 'approved', subject: id }]);
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
    const because = expect.any(String) as string;
    expect(await records.shownStack(id)).toMatchObject({ problem: null, plan: { because } });
  });

  test.each([
    ['expired', () => pool.query('update trueup_controller.plan set expires_at = now()')],
    ['does something else after a change by hand', () => edited('redis:7.1')],
  ])('stays refused when its plan %s, also under another policy, until its files change', async (_, happens) => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    await run();
    await enrolled('approval');
    await push('c2', manifest('redis:7.2'));
    await run();
    const refused = (await records.waitingPlan(id))?.digest;
    expect(await approve(refused, false)).toBe(true);
    await enrolled('automatic');
    await happens();
    const before = posts();
    await run();
    await run();
    const next = await records.waitingPlan(id);
    expect([posts() - before, next?.digest === refused, next?.isApproved]).toEqual([0, false, false]);
    expect(await asRead()).toMatchObject({ wanted: 'c2', applied: 'c1' });
    expect(await records.alarms()).toEqual([]);
    await push('c3', manifest('redis:7.4'));
    await run();
    expect([(await asRead()).applied, await hasChanges('c3')]).toEqual(['c3', false]);
  });

  test('tells who waits for approvals of a plan that a new policy has wait, and not of one that is refused', async () => {
    const waiting = async () => (await records.alarms()).map(({ kind }) => kind);
    await enrolled('never');
    await push('c1', manifest('redis:7'));
    await run();
    expect(await waiting()).toEqual([]);
    await enrolled('approval');
    await run();
    await run();
    expect([(await records.waitingPlan(id))?.isApproved, await waiting()]).toEqual([undefined, ['approval']]);
    await approve((await records.waitingPlan(id))?.digest, false);
    await run();
    expect(await waiting()).toEqual([]);
  });

  test('keeps its plan and its approval while commits leave its files as they are, and applies them at the newest', async () => {
    await enrolled('approval');
    const text = manifest('redis:7');
    await push('c1', text);
    await run();
    const plan = await records.waitingPlan(id);
    expect(await pushAsWorker('c2', text)).toEqual([]);
    expect(await approve(plan?.digest)).toBe(true);
    expect(await pushAsWorker('c3', text)).toEqual([]);
    // Git may give no older commit than the newest one.
    commits.delete('c1');
    commits.delete('c2');
    await run();
    expect(await records.stack(id)).toMatchObject({ wanted: 'c1', applied: 'c1', problem: null });
    expect([await kinds(), await hasChanges('c3')]).toEqual([['plan done', 'apply done'], false]);
    expect(await pushAsWorker('c4', manifest('redis:7.4'))).toHaveLength(1);
    await run();
    expect(await records.waitingPlan(id)).toMatchObject({ commit: 'c4', isApproved: undefined });
  });

  test('wants the commit that it is read at, where it reads other files there than when that commit came', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    const before = await records.waitingPlan(id);
    expect(await pushAsWorker('c2', manifest('redis:7'))).toEqual([]);
    await approve(before?.digest);
    // As if a variable, and no commit, had it read another file.
    commits.set('c2', manifest('redis:7.4'));
    await run();
    expect(await records.stack(id)).toMatchObject({ wanted: 'c2', applied: null });
    const after = await records.waitingPlan(id);
    expect([after?.commit, after?.isApproved, posts()]).toEqual(['c2', undefined, 0]);
    await approve(after?.digest);
    await run();
    expect(await records.stack(id)).toMatchObject({ wanted: 'c2', applied: 'c2' });
    expect(await hasChanges('c2')).toBe(false);
  });

  test('is approved by none of those who wrote commits that it has and that no apply had', async () => {
    await enrolled('approval');
    const by = async (commit: string, name: string, text: string) => {
      commits.set(commit, text);
      const authors = [{ name, email: `${name}@example.com` }];
      await records.sawCommit({ id: 'shop' }, commit, ['infra/trueup.yaml'], { authors });
      await run();
    };
    await by('c1', 'ann', manifest('redis:7'));
    await by('c2', 'kim', `# a comment\n${manifest('redis:7')}`);
    const judged = async (who: string) => {
      const { digest = '' } = (await records.waitingPlan(id)) ?? {};
      const verdict = { who: `${who}@example.com`, role: 'approver', approves: true, because: 'right', fourEyes: true };
      return records.judge(digest, verdict);
    };
    await expect(judged('ann')).rejects.toThrow('wrote the commit of this plan');
    await expect(judged('kim')).rejects.toThrow('wrote the commit of this plan');
    expect(await judged('bo')).toBe(true);
    await run();
    expect(await hasChanges('c2')).toBe(false);
    await by('c3', 'kim', manifest('redis:7.4'));
    expect(await judged('ann')).toBe(true);
  });

  test('that failed is looked at again with the next commit, also where that leaves its files as they are', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    await run();
    await records.stackFailed(id, { problem: 'the platform is away', commit: 'c1', ending: 'platform' });
    expect(await pushAsWorker('c2', manifest('redis:7'))).toEqual([{ id, platform: 'main', site: 0 }]);
    await run();
    expect(await records.stack(id)).toMatchObject({ wanted: 'c1', applied: 'c1', problem: null });
    expect(await pushAsWorker('c3', manifest('redis:7'))).toEqual([]);
    expect(await hasChanges('c3')).toBe(false);
  });

  test('is placed on another platform, or by another policy, without another commit', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    const plan = await records.waitingPlan(id);
    await pushAsWorker('c2', manifest('redis:7'));
    await enrolled('automatic');
    expect(await records.stack(id)).toMatchObject({ wanted: 'c1', policy: 'automatic' });
    expect((await records.waitingPlan(id))?.digest).toBe(plan?.digest);
    await run();
    expect(await records.stack(id)).toMatchObject({ wanted: 'c1', applied: 'c1' });
    expect(await hasChanges('c2')).toBe(false);
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
      env: { TRUEUP_SECRET_DB: 'canary-of-a-stack', TRUEUP_URL: platform.url },
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
    expect((await verdictsAndPauses()).map(({ what }) => what)).toEqual(['paused', 'resumed']);
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
    await run();
    expect([posts(), await kinds()]).toEqual([before, ['plan manifest', 'plan done']]);
    const tables = ['platform', 'source', 'stack', 'plan', 'verdict', 'run', 'event'];
    const texts = await Promise.all(
      tables.map(async (table) => JSON.stringify((await pool.query(`select * from trueup_controller.${table}`)).rows)),
    );
    expect(texts.join('\n')).not.toMatch(/canary|a-key"|by-hand/);
  });

  test('whose manifest names another platform is refused, and nothing is sent', async () => {
    await enrolled('automatic');
    const other = await serve(createEmulator({ apiKey: 'a-key' }));
    await push('c1', `platform: { url: "${other.url}" }\n${manifest('redis:7')}`);
    const requests = emulator.log.length;
    await expect(run()).rejects.toThrow(`infra/trueup.yaml names the platform ${other.url}, and its stack is on main`);
    await push('c2', `platform: emulator\n${manifest('redis:7')}`);
    await expect(run()).rejects.toThrow('names the platform emulator');
    expect((await records.stack(id))?.problem).toContain('-> Remove platform: from the manifest');
    const shown = await Promise.all(
      (await records.shownRuns(id, 2)).map(async (one) => (await records.shownRun(one.id))?.failure),
    );
    expect(shown).toEqual([
      expect.stringContaining('names the platform emulator'),
      expect.stringContaining(`names the platform ${other.url}`),
    ]);
    expect(emulator.log).toHaveLength(requests);
    await push('c3', `platform: { url: "${platform.url}/" }\n${manifest('redis:7')}`);
    await run();
    expect(await hasChanges('c3')).toBe(false);
    await other.close();
  });

  test('has its plans applied by nobody where the policy is never, also after an approval; a new policy holds at once', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    await approve((await records.waitingPlan(id))?.digest);
    await enrolled('never');
    await run();
    expect([posts(), (await records.stack(id))?.policy]).toEqual([0, 'never']);
    await enrolled('approval');
    await run();
    expect(await hasChanges('c1')).toBe(false);
  });

  test('that drifted further since the repair was approved is not repaired by its policy either', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    await run();
    await edited('redis:7.2');
    await run();
    await approve((await records.waitingPlan(id))?.digest);
    await edited('redis:7.4');
    const before = posts();
    await run();
    expect(posts()).toBe(before);
    expect(await records.waitingPlan(id)).toMatchObject({ cause: 'drift', isApproved: undefined });
  });

  test('loses its approval by another commit, also one that was taken back, and by a refusal of who approved', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    await approve((await records.waitingPlan(id))?.digest);
    await push('c2', manifest('redis:7.2'));
    await push('c1', manifest('redis:7'));
    await run();
    const again = await records.waitingPlan(id);
    expect([again?.isApproved, posts()]).toEqual([undefined, 0]);
    expect([await approve(again?.digest), await approve(again?.digest, false)]).toEqual([true, true]);
    expect(await approve(again?.digest)).toBe(false);
    await run();
    expect(posts()).toBe(0);
  });

  test('keeps what is known of a newer commit where a run of the former one ends late', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    const old = await records.waitingPlan(id);
    await push('c2', manifest('redis:7.2'));
    await run();
    const kept = (await records.waitingPlan(id))?.digest;
    await approve(kept);
    if (old === undefined) throw new Error('no plan waits');
    await records.keepPlan(await asRead(), { ...old, file: `${old.file} ` });
    const read = { ...(await asRead()), digest: 'of a former state' };
    expect(await records.inStep(read, 'c1', 'a digest')).toEqual({ wantsOther: true });
    expect(await records.waitingPlan(id)).toMatchObject({ digest: kept, isApproved: true });
    expect(await records.stack(id)).toMatchObject({ applied: null, digest: null });
  });

  test.each(['opened', 'planned', 'about to be applied'] as const)(
    'is brought on by its policy, however fast commits come: the next one is there while this one is %s',
    async (is) => {
      await enrolled('automatic');
      let pushed = 0;
      const pushNext = () => push(`c${++pushed}`, manifest(`redis:7.${pushed}`));
      const { checkouts } = running;
      const busy = {
        opened: {
          checkouts: {
            ...checkouts,
            at: (...words: Parameters<Checkouts['at']>) => pushNext().then(() => checkouts.at(...words)) as never,
          },
        },
        planned: {
          records: {
            ...records,
            endRun: (...words: Parameters<Records['endRun']>) => pushNext().then(() => records.endRun(...words)),
          },
        },
        'about to be applied': {
          records: {
            ...records,
            beginApply: (...words: Parameters<Records['beginApply']>) =>
              pushNext().then(() => records.beginApply(...words)),
          },
        },
      }[is];
      await pushNext();
      for (let round = 0; round < 4; round++) {
        const { wanted } = await asRead();
        expect(await runStack({ ...running, ...busy }, id, signal)).toEqual({
          is: 'again',
          as: 'stack',
          afterSeconds: 0,
        });
        expect(await records.stack(id)).toMatchObject({ applied: wanted });
      }
      await run();
      expect(await records.stack(id)).toMatchObject({ applied: `c${pushed}`, wanted: `c${pushed}`, problem: null });
      expect(await hasChanges(`c${pushed}`)).toBe(false);
    },
  );

  test('shows the last plan to who approves, however fast commits come, and lets nobody approve one of a former commit', async () => {
    await enrolled('approval');
    let pushed = 0;
    const pushNext = () => push(`c${++pushed}`, manifest(`redis:7.${pushed}`));
    const endRun: Records['endRun'] = (...words) => pushNext().then(() => records.endRun(...words));
    await pushNext();
    const shown = new Set<string>();
    for (let round = 1; round < 4; round++) {
      await runWith({ ...running, records: { ...records, endRun } });
      const former = await records.formerPlan(id);
      expect([former?.commit, await records.waitingPlan(id)]).toEqual([`c${round}`, undefined]);
      expect(await approve(former?.digest)).toBe(false);
      shown.add(former?.digest ?? '');
    }
    const { rows } = await pool.query('select from trueup_controller.plan');
    expect([shown.size, rows.length, posts()]).toEqual([3, 1, 0]);
    await run();
    const waiting = await records.waitingPlan(id);
    expect([waiting?.commit, await records.formerPlan(id)]).toEqual(['c4', undefined]);
    await approve(waiting?.digest);
    await run();
    expect(await hasChanges('c4')).toBe(false);
  });

  test('is brought back by its policy where a commit failed half-way and the next one takes it back', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    await run();
    await push('c2', manifest('redis:7.2'));
    // The worker ends after its apply wrote, before it could say so.
    const cut = { ...records, endRun: () => Promise.reject(new Error('PostgreSQL is away')) };
    await runWith({ ...running, records: { ...cut, endRun: records.endRun, inStep: cut.endRun } }).catch(
      () => undefined,
    );
    await push('c3', manifest('redis:7'));
    await run();
    expect([await records.waitingPlan(id), await hasChanges('c3')]).toEqual([undefined, false]);
  });

  test('is due at once after an approval, and is not sent by each poll while it fails or is paused', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7', '      other: { dockerImgae: x }\n'));
    expect(await records.sawNothing({ id: 'shop' })).toHaveLength(1);
    await expect(run()).rejects.toThrow('dockerImgae');
    expect(await records.sawNothing({ id: 'shop' })).toEqual([]);
    await push('c2', manifest('redis:7'));
    await records.pause({ id }, { until: new Date(Date.now() + 60_000), who: 'alex', because: 'a migration' });
    expect(await records.sawNothing({ id: 'shop' })).toEqual([]);
    await records.pause({ id }, { until: undefined, who: 'alex', because: 'done' });
    expect(await records.sawNothing({ id: 'shop' })).toHaveLength(1);
    await records.stackProblem(id, 'the platform is away');
    await run();
    const problems = async () => (await pool.query('select problem from trueup_controller.stack')).rows as unknown[];
    expect(await problems()).toEqual([{ problem: null }]);
    await records.dueStacks(10);
    expect(await records.dueStacks(10)).toEqual([]);
    await approve((await records.waitingPlan(id))?.digest);
    expect(await records.dueStacks(10)).toEqual([{ id, platform: 'main', site: 0 }]);
  });

  test('that is approved while it is paused is due when the pause is over, also where nobody resumes it', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    await records.pause({ id }, { until: { seconds: 3_600 }, who: 'alex', because: 'a migration' });
    await approve((await records.waitingPlan(id))?.digest);
    const isDue = async () => (await records.dueStacks(10)).map((stack) => stack.id);
    expect(await isDue()).toEqual([]);
    await pool.query('update trueup_controller.stack set paused_until = now()');
    expect([await isDue(), await isDue()]).toEqual([[id], []]);
    await run();
    expect([await records.waitingPlan(id), await hasChanges('c1')]).toEqual([undefined, false]);
  });

  test('has a name that no stack of another source can have', async () => {
    await expect(
      records.addSource(
        {
          id: 'shop:infra',
          url: 'https://git.example/other.git',
          ref: 'refs/heads/main',
          platforms: [{ platform: 'main', paths: '*' }],
          policy: 'never',
          pollSeconds: 60,
          lookSeconds: 3_600,
        },
        'alex',
      ),
    ).rejects.toThrow('shop:infra');
  });

  test.each<Policy>(['approval', 'automatic'])(
    'loses data only by an approval that says so, where its policy is %s',
    async (policy) => {
      await enrolled('automatic');
      await push('c1', manifest('redis:7'));
      await run();
      await enrolled(policy);
      await push('c2', nothing);
      await run();
      const risky = await records.waitingPlan(id);
      expect([risky?.losing, risky?.document.summary]).toEqual([
        ['production.redis.main'],
        expect.objectContaining({ delete: 1 }),
      ]);
      await expect(approve(risky?.digest)).rejects.toThrow('this plan puts data of production.redis.main at risk');
      const before = posts();
      await run();
      expect([posts(), (await records.waitingPlan(id))?.digest]).toEqual([before, risky?.digest]);
      expect(await approve(risky?.digest, true, true)).toBe(true);
      await run();
      expect(Object.values(emulator.world.tables.redis)).toHaveLength(0);
      expect([await records.waitingPlan(id), await hasChanges('c2')]).toEqual([undefined, false]);
      expect((await verdictsAndPauses()).at(-1)?.about).toMatchObject({ allowsDataLoss: true });
    },
  );

  test('that adopts an object waits for an approval, also where its policy is automatic', async () => {
    await enrolled('automatic');
    await edit({ emulator, apiKey: 'a-key' }, 'redis.create', {
      name: 'main',
      environmentId: 'env_prj_1',
      databasePassword: 'by-hand',
      dockerImage: 'redis:7',
    });
    await push('c1', manifest('redis:7'));
    const before = posts();
    await run();
    await run();
    const waiting = await records.waitingPlan(id);
    expect([waiting?.losing, waiting?.isApproved, posts()]).toEqual([[], undefined, before]);
    await approve(waiting?.digest);
    await run();
    expect([Object.keys(emulator.world.tables.redis).length, await hasChanges('c1')]).toEqual([1, false]);
  });

  test('is approved by nobody who wrote its commit, where four eyes are to see it', async () => {
    await enrolled('approval');
    commits.set('c1', manifest('redis:7'));
    const authors = [
      { name: 'Alex Doe', email: '4711+alex@users.noreply.example.com' },
      { name: 'Kim Roe', email: 'kim@example.com' },
    ];
    await records.sawCommit({ id: 'shop' }, 'c1', ['infra/trueup.yaml'], { authors });
    await run();
    const waiting = await records.waitingPlan(id);
    expect(waiting?.authors).toEqual(authors);
    const says = (who: string, approves = true) =>
      records.judge(waiting?.digest ?? '', { who, role: 'approver', approves, because: 'x', fourEyes: true });
    for (const who of ['alex', 'Alex Doe', 'ALEX@example.com', 'kim@example.com', 'kim'])
      await expect(says(who)).rejects.toThrow(`${who} wrote the commit`);
    expect([await says('robin'), (await records.waitingPlan(id))?.isApproved]).toEqual([true, true]);
    expect([await says('kim', false), (await records.waitingPlan(id))?.isApproved]).toEqual([true, false]);
  });

  /** A platform whose deployments take a while, in place of the other one. */
  const deploysSlowly = async (deployDelayMs: number) => {
    await platform.close();
    emulator = createEmulator({ apiKey: 'a-key', deployDelayMs });
    platform = await serve(emulator);
    const main = await records.platform('main');
    if (main !== undefined) await records.addPlatform({ ...main, url: platform.url }, 'alex');
  };
  const application = (image: string) =>
    `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    application:\n      web: { source: { type: docker, image: "${image}" } }\n`;

  test('has its run end with its writes; it is in step when another one saw its deployments through', async () => {
    await deploysSlowly(1_500);
    await enrolled('automatic');
    await push('c1', application('web:1'));
    const next = { is: 'again', as: 'follow', afterSeconds: 0 };
    expect(await runStack(running, id, signal)).toEqual(next);
    expect([(await records.stack(id))?.applied, await records.sawNothing({ id: 'shop' })]).toEqual([null, []]);
    expect(await runStack(running, id, signal)).toEqual(next);
    const before = posts();
    expect(await followStack(running, id, signal)).toEqual({ is: 'over' });
    // What came meanwhile, such as a person who asked for a run, is not over.
    expect(await followStack(running, id, signal)).toEqual({ is: 'again', as: 'stack', afterSeconds: 0 });
    expect(await records.stack(id)).toMatchObject({ applied: 'c1', deploying: null });
    expect(await kinds()).toEqual(['plan done', 'apply deploying', 'follow done']);
    expect([posts(), await hasChanges('c1')]).toEqual([before, false]);
    await push('c2', application('web:2'));
    await runStack(running, id, signal);
    await push('c3', application('web:3'));
    expect(await followStack(running, id, signal)).toEqual({ is: 'again', as: 'stack', afterSeconds: 0 });
    await run();
    expect([(await records.stack(id))?.applied, await hasChanges('c3')]).toEqual(['c3', false]);
  });

  const composed = (image: string) =>
    `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    compose:\n      web: { source: { type: raw, composeFile: 'services: { web: { image: "${image}" } }' } }\n`;

  test.each(['stackFailed', 'deploysNothing'] as const)(
    'whose worker ended when it had noted of a failed deployment (%s) says why, and is planned again at once',
    async (last) => {
      await deploysSlowly(300);
      await enrolled('automatic');
      await push('c1', composed('fail:1'));
      expect(await runStack(running, id, signal)).toMatchObject({ as: 'follow' });
      const ending = new AbortController();
      const cut = async (about: never, more: never): Promise<never> => {
        await (records[last] as (...all: readonly unknown[]) => Promise<unknown>)(about, more);
        ending.abort();
        throw new Error('the worker is gone');
      };
      const killed = { ...running, records: { ...records, [last]: cut } };
      await expect(followStack(killed, id, ending.signal)).rejects.toThrow('the worker is gone');
      expect((await asRead()).problem).toContain(
        'a deployment ended as failed: production.compose.web was not deployed',
      );
      expect(await followStack(running, id, signal)).toEqual({
        is: 'again',
        as: 'stack',
        afterSeconds: expect.any(Number) as number,
      });
      await push('c2', composed('web:2'));
      await run();
      expect([(await asRead()).problem, await hasChanges('c2')]).toEqual([null, false]);
    },
  );

  /** A worker that ends with the n-th request that it writes with, and can say nothing of that. */
  const killedAt = async (n: number) => {
    const ending = new AbortController();
    let sent = 0;
    onRequest = ({ method }) => {
      if (method === 'POST' && ++sent === n) ending.abort();
    };
    const cut = () => Promise.reject(new Error('PostgreSQL is away'));
    const cutRecords = { ...records, endRun: cut, endPlan: cut };
    await runStack({ ...running, records: cutRecords }, id, ending.signal).catch(() => undefined);
    onRequest = () => undefined;
    await pool.query(`update trueup_controller.run set beat_at = now() - interval '31 s' where ended_at is null`);
    await records.endLost();
  };
  const two = (image: string) =>
    manifest(image, `      other: { dockerImage: "${image}", databasePassword: "a" }\n`) +
    `    application:\n      web: { source: { type: docker, image: "${image}" }, env: { TO: "\${ref:redis.main.appName}" } }\n`;

  test('that lost its worker is due at once, unless it lost ten one after the other', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    const isDue = async () => (await records.dueStacks(10)).map((stack) => stack.id);
    await isDue();
    const lose = async () => {
      await records.beginRun({ id }, { kind: 'plan', cause: 'commit', commit: 'c1', worker: 'a worker' });
      await pool.query(`update trueup_controller.run set beat_at = now() - interval '31 s' where ended_at is null`);
      await records.endLost();
      return isDue();
    };
    for (let count = 1; count < 10; count++) expect([count, await lose()]).toEqual([count, [id]]);
    expect(await lose()).toEqual([]);
    await run();
    expect(await lose()).toEqual([id]);
    expect(await hasChanges('c1')).toBe(false);
  });

  // Of others nobody answers for a minute whether their deployment began.
  test.each([1, 8])(
    'whose worker ended with request %i of an approved apply is brought to its end without another approval, and nothing is sent twice',
    async (n) => {
      await enrolled('approval');
      for (const [at, image] of ['redis:7', 'redis:7.2'].entries()) {
        const commit = `c${at}`;
        await push(commit, two(image));
        await run();
        await approve((await records.waitingPlan(id))?.digest);
        await killedAt(n);
        await run();
        expect((await asRead()).problem).toBe(null);
        expect(await records.waitingPlan(id)).toBeUndefined();
        expect(await hasChanges(commit)).toBe(false);
      }
      expect(Object.keys(emulator.world.tables.redis)).toHaveLength(2);
    },
  );

  /** The place of the service that has an image. */
  const rowWith = (image: string) =>
    Object.values(emulator.world.tables.redis).findIndex(({ dockerImage }) => dockerImage === image);

  /** Somebody does something to the first service of a kind. */
  const byHand = async (
    operation: 'redis.remove' | 'application.update',
    kind: 'redis' | 'application',
    input = {},
  ) => {
    const [row = {}] = Object.values(emulator.world.tables[kind]);
    await edit({ emulator, apiKey: 'a-key' }, operation, { [`${kind}Id`]: row[`${kind}Id`], ...input });
  };

  /** Somebody changes the image of what has the former one still. */
  const changeLeft = async () => {
    const at = rowWith('redis:7');
    if (at >= 0) return edited('redis:6', at);
    return byHand('application.update', 'application', { dockerImage: 'redis:6' });
  };

  /** A stack whose approved update of three services ended with its worker, when one of them was written. */
  const endedInUpdate = async () => {
    const main = (await records.platform('main')) ?? expect.fail('there is no platform');
    await records.addPlatform({ ...main, connections: 1 }, 'alex');
    await enrolled('automatic');
    await push('c1', two('redis:7'));
    await run();
    await enrolled('approval');
    await push('c2', two('redis:7.2'));
    await run();
    const plan = (await records.waitingPlan(id)) ?? expect.fail('no plan waits');
    await approve(plan.digest);
    await killedAt(1);
    expect(await records.waitingPlan(id)).toMatchObject({ digest: plan.digest, isApproved: true });
    return plan.digest;
  };

  test.each([
    ['what was written is undone by hand', () => edited('redis:7', rowWith('redis:7.2')), 'update production.redis.'],
    ['what was written is changed by hand', () => edited('redis:6', rowWith('redis:7.2')), 'update production.redis.'],
    ['what was written is deleted by hand', () => byHand('redis.remove', 'redis'), 'production.redis.main'],
    ['what is left is changed by hand', () => changeLeft(), 'was changed on the platform'],
    [
      'what the plan leaves alone is changed by hand',
      () => byHand('application.update', 'application', { env: 'TO=another' }),
      'env.TO of production.application.web',
    ],
  ] as const)(
    'whose worker ended in an approved apply is asked for again where %s, and the page says what is left',
    async (_, meanwhile, said) => {
      const digest = await endedInUpdate();
      await meanwhile();
      const before = posts();
      await run();
      const next = await records.waitingPlan(id);
      expect([posts(), next?.isApproved, next?.digest === digest]).toEqual([before, undefined, false]);
      const { problem, plan } = (await records.shownStack(id)) ?? expect.fail('there is no stack');
      expect(problem).toBe(null);
      expect(plan?.because).toContain(said);
      expect(plan?.because).toContain(`the plan ${digest.slice(0, 12)} was approved and applied in part`);
      expect(plan?.because).toMatch(/^left of it: .*deploy production\.redis\.other/m);
      await approve(next?.digest, true, true);
      await run();
      expect([await records.waitingPlan(id), await hasChanges('c2')]).toEqual([undefined, false]);
    },
  );

  test('whose worker ended in an approved apply goes on with nothing of it after another commit, a refusal or another apply', async () => {
    const digest = await endedInUpdate();
    const before = posts();
    await approve(digest, false);
    await run();
    expect([posts(), await records.isApplyBegun(digest)]).toEqual([before, true]);
    await push('c3', two('redis:7'));
    await run();
    const back = await records.waitingPlan(id);
    expect([posts(), back?.commit, back?.isApproved]).toEqual([before, 'c3', undefined]);
    await approve(back?.digest);
    await run();
    expect([await records.waitingPlan(id), await hasChanges('c3')]).toEqual([undefined, false]);
  });

  test('goes on with an apply that began only where nothing else was applied since', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    const plan = (await records.waitingPlan(id))?.digest;
    await approve(plan);
    const begin = async (about: { readonly plan?: string | undefined }) => {
      const begun = await records.beginApply(await asRead(), { cause: 'commit', commit: 'c1', worker: 'w', ...about });
      return begun ?? expect.fail('no apply began');
    };
    const ended = async (begun: string, ending: string) => records.endRun(begun, { ending });
    const first = await begin({ plan });
    expect(await records.continuesApply(first)).toBe(false);
    await ended(first, 'locked');
    const second = await begin({ plan });
    expect(await records.continuesApply(second)).toBe(false);
    await ended(second, 'stopped');
    const third = await begin({ plan });
    expect(await records.continuesApply(third)).toBe(true);
    await ended(third, 'lost');
    await enrolled('automatic');
    await ended(await begin({}), 'done');
    expect(await records.continuesApply(await begin({ plan }))).toBe(false);
  });

  test('has a secret that was rotated applied by its policy; only what drifted waits for an approval', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    await run();
    const { envFile } = (await records.platform('main')) ?? {};
    writeFileSync(envFile ?? '', 'TRUEUP_SECRET_DB=another-canary-of-a-stack\n');
    await run();
    const passwords = Object.values(emulator.world.tables.redis).map(({ databasePassword }) => databasePassword);
    expect([await records.waitingPlan(id), passwords]).toEqual([undefined, ['another-canary-of-a-stack']]);
    const before = posts();
    await run();
    expect(posts()).toBe(before);
  });

  test('is stopped by a person: nothing new is sent, and it goes on when it is resumed', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    const beginApply: Records['beginApply'] = async (stack, about) => {
      const begun = await records.beginApply(stack, about);
      expect(await records.stopRun(begun ?? '', 'kim', 'it is the wrong day')).toBe(true);
      expect(await records.stopRun(begun ?? '', 'kim', 'it is the wrong day')).toBe(false);
      return begun;
    };
    expect(await runStack({ ...running, records: { ...records, beginApply } }, id, signal)).toEqual({ is: 'over' });
    expect([posts(), await kinds()]).toEqual([0, ['plan done', 'apply stopped']]);
    expect(await records.stack(id)).toMatchObject({ isPaused: true, problem: null });
    expect((await verdictsAndPauses()).at(-1)).toMatchObject({ who: 'kim', what: 'stopped' });
    await run();
    expect(posts()).toBe(0);
    await records.pause({ id }, { until: undefined, who: 'kim', because: 'now' });
    await run();
    expect(await hasChanges('c1')).toBe(false);
  });

  test('has a run that is lost only when its worker gave no sign of life for a while', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    const begin = () => records.beginRun({ id }, { kind: 'plan', cause: 'commit', commit: 'c1', worker: 'a worker' });
    const [first] = [await begin(), await begin()];
    await records.endLost();
    expect(await kinds()).toEqual(['plan ', 'plan ']);
    await pool.query(`update trueup_controller.run set beat_at = now() - interval '31 s' where id = $1`, [first]);
    await records.endLost();
    expect(await kinds()).toEqual(['plan lost', 'plan ']);
  });

  test('is due until its job is in the queue', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    const fails = () => Promise.reject(new Error('the queue is away'));
    await expect(records.dueStacks(10, fails)).rejects.toThrow('the queue is away');
    await expect(records.dueSources(10, fails)).rejects.toThrow('the queue is away');
    expect([await records.dueStacks(10), await records.dueSources(10)]).toEqual([
      [{ id, platform: 'main', site: 0 }],
      [{ id: 'shop' }],
    ]);
    expect([await records.dueStacks(10), await records.dueSources(10)]).toEqual([[], []]);
  });

  test('is applied as it was approved or not at all, whatever comes in between', { timeout: 900_000 }, async () => {
    const { below, of: pick } = generator(35);
    const random = () => below(1_000) / 1_000;
    await enrolled('automatic');
    const imagesOf: Readonly<Record<string, string>> = { c1: 'redis:7', c2: 'redis:7.2', c3: 'redis:7.4' };
    const wanted = (commit: string): string | undefined => imagesOf[commit.slice(0, 2)];
    let [pushed, kept] = [0, 0];
    const both = (image: string) =>
      manifest(image, `      other: { dockerImage: "${image}", databasePassword: "a" }\n`);
    await push('c1', both('redis:7'));
    await run();
    const now = { commit: 'c1', isPaused: false, policy: 'automatic' as Policy };
    type Images = Readonly<Record<string, string>>;
    /** What nobody may apply any more, what was said, and how the platform was when a plan was made. */
    const stale = new Set<string>();
    const verdicts = new Map<string, boolean>();
    const lossy = new Set<string>();
    const allowed = new Set<string>();
    const seen = new Map<string, { readonly images: Images; readonly commit: string; readonly writes: string }>();
    const applying = new Map<string, string>();
    const started = new Set<string>();
    const applies = { approved: 0, automatic: 0, overtaken: 0, written: 0, continued: 0, lossy: 0 };
    const images = (): Images =>
      Object.fromEntries(
        Object.values(emulator.world.tables.redis).map(({ name, dockerImage }) => [name, String(dockerImage)]),
      );
    /**
     * How the platform may be when a plan writes: what it writes is as it was, or as it is to be, by hand or by an apply that began.
     * Where it goes on with one, all else is as it was too.
     */
    const fits = (plan: string, isStarted: boolean, at: Images): boolean => {
      const { images: former = {}, commit = '', writes = '' } = seen.get(plan) ?? {};
      return ['main', 'other'].every((name) => {
        if (at[name] === former[name]) return true;
        return writes.includes(`redis.${name} `) ? at[name] === wanted(commit) : !isStarted;
      });
    };
    const waits = async () => (await records.waitingPlan(id))?.digest;
    const say = async (approves: boolean) => {
      const digest = random() < 0.2 ? pick([...seen.keys(), '']) : ((await waits()) ?? '');
      const who = pick(['alex', 'kim']);
      const allowsDataLoss = random() < 0.7;
      const isRefused = approves && lossy.has(digest) && !allowsDataLoss;
      const noted = await records
        .judge(digest, { who, role: 'approver', approves, because: 'x', allowsDataLoss })
        .catch((error: unknown) => {
          expect([isRefused, String(error)]).toEqual([true, expect.stringContaining('puts data of')]);
          return false;
        });
      if (!noted) return;
      expect(isRefused).toBe(false);
      if (approves && allowsDataLoss) allowed.add(digest);
      expect([...applying.values()], 'no verdict on what is being applied').not.toContain(digest);
      verdicts.set(digest, approves && verdicts.get(digest) !== false);
    };
    const others = [
      async () => {
        const waiting = await waits();
        const text = pick(['c1', 'c2', 'c3', 'c4', 'c4']);
        // Often one that was never there before, which nobody refused.
        const commit = random() < 0.5 ? text : `${text} ${++pushed}`;
        if (commit !== now.commit && waiting !== undefined) stale.add(waiting);
        now.commit = commit;
        const image = wanted(commit);
        await push(commit, image === undefined ? nothing : both(image));
      },
      async () => {
        // One that leaves its files as they are, where a run has read them.
        const waiting = await waits();
        await pushAsWorker(`${now.commit.slice(0, 2)} ${++pushed}`, commits.get(now.commit) ?? '');
        const commit = (await records.stack(id))?.wanted ?? '';
        if (commit === now.commit) kept++;
        else if (waiting !== undefined) stale.add(waiting);
        now.commit = commit;
      },
      async () => say(true),
      async () => say(true),
      async () => say(true),
      async () => say(false),
      async () => edited(pick(['redis:7.1', 'redis:7', 'redis:7.2']), below(2)),
      async () => {
        now.isPaused = random() < 0.3;
        const until = now.isPaused ? new Date(Date.now() + 3_600_000) : undefined;
        await records.pause({ id }, { until, who: 'alex', because: 'x' });
      },
      async () => {
        now.policy = pick<Policy>(['approval', 'approval', 'approval', 'automatic', 'never']);
        await enrolled(now.policy);
      },
      async () => {
        const { rows } = await pool.query<{ digest: string }>(
          `select digest from trueup_controller.plan where superseded_at is null and applied_at is null order by made_at`,
        );
        const over = rows.map(({ digest }) => digest).filter(() => random() < 0.3);
        for (const digest of over) stale.add(digest);
        const text = `update trueup_controller.plan set expires_at = now() - interval '1 s' where digest = any($1)`;
        await pool.query(text, [over]);
      },
    ];
    let begins = 0;
    /** A worker between whose steps other things happen, another worker's run among them. */
    const work = async (depth: number): Promise<void> => {
      /** What it read when it began. */
      const read = { commit: '', begins: -1 };
      /** Ends with the first request that it writes with, at times, and says nothing any more. */
      const ending = new AbortController();
      let [isAlone, until] = [true, depth === 0 && random() < 0.25 ? 1 : Infinity];
      const count = ({ method }: WireRequest): void => {
        if (isAlone && method === 'POST' && --until === 0) ending.abort();
      };
      if (depth === 0) onRequest = count;
      const between = async (): Promise<void> => {
        if (ending.signal.aborted) throw new Error('the worker was killed');
        isAlone = false;
        if (random() < 0.25) await pick(others)();
        if (depth === 0 && random() < 0.08) await work(1);
        isAlone = true;
      };
      const beginApply: Records['beginApply'] = async (stack, about) => {
        await between();
        const begun = await records.beginApply(stack, about);
        if (begun === undefined) return begun;
        expect(now.isPaused).toBe(false);
        const isOvertaken = about.plan === undefined && about.commit !== now.commit;
        if (isOvertaken) expect(read, 'no other run brought it on').toEqual({ commit: about.commit, begins });
        else expect(now.commit).toBe(about.commit);
        begins += 1;
        if (isOvertaken) applies.overtaken += 1;
        if (about.plan === undefined) expect(now.policy).toBe('automatic');
        else {
          expect([now.policy === 'never', stale.has(about.plan), verdicts.get(about.plan)]).toEqual([
            false,
            false,
            true,
          ]);
          if (lossy.has(about.plan)) expect(allowed).toContain(about.plan);
          applying.set(begun, about.plan);
        }
        applies[about.plan === undefined ? 'automatic' : 'approved'] += 1;
        if (about.plan !== undefined && lossy.has(about.plan)) applies.lossy += 1;
        before.set(begun, { images: images(), posts: posts(), isStarted: started.has(about.plan ?? '') });
        if (about.plan !== undefined) started.add(about.plan);
        return begun;
      };
      const before = new Map<
        string,
        { readonly images: Images; readonly posts: number; readonly isStarted: boolean }
      >();
      let planned: Images = {};
      const endRun: Records['endRun'] = async (begun, about) => {
        planned = images();
        const [plan, at] = [applying.get(begun), before.get(begun)];
        if (plan !== undefined && at !== undefined && posts() > at.posts) {
          const is = { now: at.images, isStarted: at.isStarted, ...seen.get(plan) };
          expect(fits(plan, at.isStarted, at.images), `the platform is as the plan saw it: ${JSON.stringify(is)}`).toBe(
            true,
          );
          applies.written += 1;
          if (at.isStarted) applies.continued += 1;
        }
        before.delete(begun);
        await between();
        const ended = await records.endRun(begun, about);
        applying.delete(begun);
        return ended;
      };
      const keepPlan: Records['keepPlan'] = async (stack, about) => {
        const at = planned;
        await between();
        const digest = await records.keepPlan(stack, about);
        if (digest !== undefined && !seen.has(digest)) {
          const written = about.document.actions.filter(({ action }) => action !== 'no-op');
          const writes = written.map(({ address }) => `${address} `).join('');
          seen.set(digest, { images: at, commit: about.commit, writes });
          if ((about.losing ?? []).length > 0) lossy.add(digest);
        }
        return digest;
      };
      const stepped =
        <A extends readonly unknown[], T>(method: (...words: A) => Promise<T>) =>
        async (...words: A) => {
          await between();
          return method(...words);
        };
      const { stack, waitingPlan, inStep, endPlan, beginRun } = records;
      const slow: Records = {
        ...records,
        beginApply,
        endRun,
        keepPlan,
        stack: async (name) => {
          await between();
          const found = await stack(name);
          Object.assign(read, { commit: found?.wanted, begins });
          return found;
        },
        waitingPlan: stepped(waitingPlan),
        inStep: stepped(inStep),
        endPlan: stepped(endPlan),
        beginRun: stepped(beginRun),
      };
      await runWith({ ...running, records: slow, worker: `worker ${depth}` }, ending.signal).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
      });
      for (const begun of before.keys()) applying.delete(begun);
      await pool.query(`update trueup_controller.run set beat_at = now() - interval '31 s' where id = any($1)`, [
        [...before.keys()],
      ]);
    };
    for (let step = 0; step < effort({ fast: 40, full: 150, all: 1_000 }); step++) {
      if (random() < 0.5) await pick(others)();
      await work(0);
    }
    if (process.env['TRUEUP_TESTS'] !== undefined)
      expect(Object.entries({ ...applies, kept }).filter(([, times]) => times === 0)).toEqual([]);
    // Nothing is lost: what waits in the end is approved, and then all is as the commit says.
    await records.pause({ id }, { until: undefined, who: 'alex', because: 'the end' });
    await pool.query(`update trueup_controller.plan set expires_at = now() where superseded_at is null`);
    await enrolled('approval');
    for (let round = 0; round < 5; round++) {
      await run().catch(() => undefined);
      if ((await records.waitingPlan(id))?.isApproved === false) {
        // Only another commit brings a plan that can be approved.
        const text = commits.get(now.commit) ?? '';
        now.commit = `${now.commit.slice(0, 2)} ${++pushed}`;
        await push(now.commit, text);
      } else await approve(await waits(), true, true);
    }
    expect([await hasChanges(now.commit), await waits()]).toEqual([false, undefined]);
    expect(await records.stack(id)).toMatchObject({ applied: now.commit, wanted: now.commit });
  });

  test('has runs and problems with characters that PostgreSQL does not take, such as those of a log', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    const begun = await records.beginRun({ id }, { kind: 'plan', cause: 'commit', commit: 'c1', worker: 'a worker' });
    await run();
    const document = (await records.waitingPlan(id))?.document;
    if (document === undefined) throw new Error('no plan waits');
    const odd = await records.beginRun({ id }, { kind: 'plan', cause: 'commit', commit: 'c1', worker: 'a worker' });
    expect(odd).not.toBe(begun);
    await records.endRun(odd, {
      ending: 'done',
      document: { ...document, projectId: 'a\0b \\u0000 \ud800', 'k\0': 1 } as never,
    });
    await records.stackProblem(id, 'a\0b');
    const { rows } = await pool.query(
      `select document->>'projectId' as kept, problem from trueup_controller.run, trueup_controller.stack where run.id = $1`,
      [odd],
    );
    expect(rows).toEqual([{ kept: 'a\ufffdb \\u0000 \ufffd', problem: 'a\ufffdb' }]);
  });

  test.each([
    ['nothing', () => Promise.resolve(), true],
    ['another commit', () => push('c2', manifest('redis:7.4')), false],
    ['a refusal', async () => approve((await records.waitingPlan(id))?.digest, false), false],
    [
      'a pause',
      () => records.pause({ id }, { until: new Date(Date.now() + 60_000), who: 'alex', because: 'x' }),
      false,
    ],
    ['another policy', () => enrolled('never'), false],
    ['its expiry', () => pool.query('update trueup_controller.plan set expires_at = now()'), false],
    [
      'data at risk that its approval does not allow',
      () => pool.query(`update trueup_controller.plan set losing = array['production.redis.main']`),
      false,
    ],
  ])('begins the apply of an approved plan, unless there was a change meanwhile: %s', async (_, meanwhile, begins) => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    const plan = (await records.waitingPlan(id))?.digest;
    await approve(plan);
    await meanwhile();
    const begun = await records.beginApply(await asRead(), { cause: 'commit', commit: 'c1', worker: 'a worker', plan });
    expect(begun !== undefined).toBe(begins);
  });

  test('begins no apply of a former commit after another run brought it on, nor without a plan where its policy asks for one', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    const first = await asRead();
    await push('c2', manifest('redis:7.4'));
    const about = { cause: 'commit', worker: 'a worker' };
    const begin = (read: typeof first, commit: string) => records.beginApply(read, { ...about, commit });
    expect(await begin({ ...first, platform: 'another' }, 'c1')).toBeUndefined();
    await run();
    expect(await begin(first, 'c1')).toBeUndefined();
    expect(await records.inStep(first, 'c1', 'a digest')).toEqual({ wantsOther: true });
    const second = await asRead();
    expect(second).toMatchObject({ applied: 'c2', wanted: 'c2' });
    await push('c3', manifest('redis:7.6'));
    expect(await begin(second, 'c2')).toEqual(expect.any(String));
    expect([await begin(second, 'c2'), await begin(await asRead(), 'c3')]).toEqual([undefined, expect.any(String)]);
    await enrolled('approval');
    expect(await begin(await asRead(), 'c3')).toBeUndefined();
  });

  test('is in step with nothing that a run found on the platform or at the address that it had before', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    const moveTo = async (name: string) => {
      const [main, source] = [await records.platform('main'), await records.source('shop')];
      if (main === undefined || source === undefined) throw new Error('they are enrolled');
      await records.addPlatform({ ...main, id: name }, 'alex');
      await records.addSource({ ...source, platforms: [{ platform: name, paths: 'infra/*' }] }, 'alex');
    };
    const first = await asRead();
    const main = (await records.platform('main')) ?? expect.fail('it is enrolled');
    await records.addPlatform({ ...main, url: 'https://main.example.com' }, 'alex');
    expect(await records.inStep(first, 'c1', 'a digest')).toEqual({ wantsOther: true });
    await records.deploys(first, { commit: 'c1', digest: 'a digest' });
    expect(await asRead()).toMatchObject({ applied: null, deploying: null, deployingDigest: null });
    await records.addPlatform(main, 'alex');
    await moveTo('other');
    await run();
    expect(await records.inStep(first, 'c1', 'a digest')).toEqual({ wantsOther: true });
    expect(await asRead()).toMatchObject({ platform: 'other', applied: null });
    expect(await records.waitingPlan(id)).toMatchObject({ commit: 'c1' });
    await records.inStep(await asRead(), 'c1', 'a digest');
    const second = await asRead();
    const other = (await records.platform('other')) ?? expect.fail('it is enrolled');
    await records.deploys(second, { commit: 'c1', digest: 'a digest' });
    await records.addPlatform({ ...other, url: 'https://other.example.com' }, 'alex');
    expect(await asRead()).toMatchObject({ applied: null, deploying: null, deployingDigest: null });
    expect(await records.inStep(second, 'c1', 'a digest')).toEqual({ wantsOther: true });
    await records.deploys(await asRead(), { commit: 'c1', digest: 'a digest' });
    await moveTo('third');
    expect(await asRead()).toMatchObject({ applied: null, deploying: null, deployingDigest: null });
  });

  test('begins no apply at the address that its platform had when it was read', async () => {
    await enrolled('automatic');
    await push('c1', manifest('redis:7'));
    const first = await asRead();
    const main = (await records.platform('main')) ?? expect.fail('it is enrolled');
    await records.addPlatform({ ...main, url: 'https://main.example.com' }, 'alex');
    const about = { cause: 'commit', commit: 'c1', worker: 'a worker' };
    expect(await records.beginApply(first, about)).toBeUndefined();
    expect(await records.beginApply(await asRead(), about)).toEqual(expect.any(String));
  });

  test('keeps no plan for a verdict that was made for another platform, or at another address', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    const plan = (await records.waitingPlan(id)) ?? expect.fail('no plan waits');
    const first = await asRead();
    const [main, source] = [await records.platform('main'), await records.source('shop')];
    if (main === undefined || source === undefined) throw new Error('they are enrolled');
    // Each plan is another text.
    const isKept = async (stack: typeof first) => {
      await records.clear('approval', id);
      const digest = await records.keepPlan(stack, { ...plan, file: `${plan.file} ${stack.url} ${stack.platform}` });
      const kinds = (await records.alarms()).map(({ kind }) => kind);
      return [digest === (await records.waitingPlan(id))?.digest && digest !== undefined, kinds];
    };
    // It is looked at again at once: the queue keeps that until the run that made the plan is over.
    const isDue = async () => (await records.dueStacks(10)).map((stack) => stack.id);
    await isDue();
    await records.addPlatform({ ...main, url: 'https://main.example.com' }, 'alex');
    expect(await isKept(first)).toEqual([false, []]);
    expect([await isDue(), await isDue()]).toEqual([[id], []]);
    const second = await asRead();
    await records.addPlatform({ ...main, id: 'other', url: second.url }, 'alex');
    await records.addSource({ ...source, platforms: [{ platform: 'other', paths: 'infra/*' }] }, 'alex');
    expect(await isKept(second)).toEqual([false, []]);
    expect([await isDue(), await isDue()]).toEqual([[id], []]);
    expect(await isKept(await asRead())).toEqual([true, ['approval']]);
  });

  test('begins no apply of a former commit whose plan somebody refused', async () => {
    await enrolled('approval');
    await push('c1', manifest('redis:7'));
    await run();
    await approve((await records.waitingPlan(id))?.digest, false);
    await enrolled('automatic');
    const read = await asRead();
    await push('c2', manifest('redis:7.4'));
    const begun = records.beginApply(read, { cause: 'commit', commit: 'c1', worker: 'a worker' });
    expect(await begun).toBeUndefined();
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
