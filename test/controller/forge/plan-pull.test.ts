import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkoutsIn } from '../../../src/controller/checkouts.ts';
import { workAtForge } from '../../../src/controller/forge/forge-work.ts';
import { canaries, forgeBench, manifestOf, stackId } from '../../support/forge-bench.ts';
import { beginBranch, commitAll } from '../../support/hosted-repository.ts';
import { write } from '../../support/hosted-forge.ts';
import { openPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** The comment of the controller on pull requests. */

const missing = whyNoPostgres();
const names = ['github', 'gitlab', 'gitea'] as const;

describe.skipIf(missing !== undefined)(missing ?? 'a pull request', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });

  /** A stack that was applied, beside another one, and a branch with a change. */
  const changing = async (name: (typeof names)[number]) => {
    const bench = await forgeBench(pool, name);
    bench.push({ 'other/trueup.yaml': manifestOf('redis:7', 'other') });
    await bench.look();
    await bench.tell();
    const change = (image: string): string => {
      write(bench.repository, { 'infra/trueup.yaml': manifestOf(image) });
      return commitAll(bench.repository, `Use ${image}`, 'change');
    };
    const bodies = (number: number) => (bench.server.comments.get(number) ?? []).map(({ body }) => body);
    return { ...bench, change, bodies };
  };

  test.each(names)(
    'on %s has one comment with the plan of the stack that it touches, of its last commit',
    async (name) => {
      const { server: forge, change, tell, look, posts, bodies, records, at } = await changing(name);
      const first = change('redis:7.2');
      const number = forge.propose({ branch: 'change' });
      const before = posts();
      await tell();
      expect(bodies(number)).toHaveLength(1);
      expect(bodies(number)[0]).toContain('redis:7.2');
      expect(bodies(number)[0]).toContain(first);
      expect(bodies(number)[0]).not.toContain('other/trueup.yaml');
      expect(await tell()).toEqual(['pulls shop']);
      const second = change('redis:7.4');
      expect(await tell()).toEqual(['pulls shop', `pull shop ${number}`]);
      expect(bodies(number)).toHaveLength(1);
      expect(bodies(number)[0]).toContain('redis:7.4');
      expect(bodies(number)[0]).toContain(second);
      await look();
      expect([posts(), await records.waitingPlan(stackId)]).toEqual([before, undefined]);
      expect(await records.pullPlans('shop', number)).toMatchObject([{ path: 'infra/trueup.yaml', commit: second }]);
      const pull = forge.requests.get(number);
      if (pull !== undefined) pull.isOpen = false;
      await tell();
      expect(await records.pull('shop', number)).toBeUndefined();
      for (const canary of canaries) expect(JSON.stringify([...forge.comments])).not.toContain(canary);
      expect(at.platforms.size).toBe(1);
    },
  );

  test.each(names)('from another repository on %s is planned only after a person allowed its commit', async (name) => {
    const { server: forge, change, tell, bodies, records, emulator } = await changing(name);
    const fork = change('redis:7.2');
    const number = forge.propose({ branch: 'main', fork });
    const before = emulator.log.length;
    await tell();
    expect(emulator.log.length).toBe(before);
    expect(bodies(number)).toEqual([expect.stringContaining('validated, not planned')]);
    expect(await records.pullPlans('shop', number)).toMatchObject([{ document: null, problem: null }]);
    const who = { who: 'alex', because: 'I have read it' };
    expect(await records.allowPull({ source: 'shop', number, head: 'b'.repeat(40) }, who)).toBe(false);
    expect(await records.allowPull({ source: 'shop', number, head: fork }, who)).toBe(true);
    expect(await records.allowPull({ source: 'shop', number, head: fork }, who)).toBe(false);
    await tell();
    expect(bodies(number)).toEqual([expect.stringContaining('redis:7.2')]);
    const next = change('redis:7.4');
    forge.requests.set(number, { title: '', body: '', branch: 'main', base: 'main', isOpen: true, fork: next });
    const after = emulator.log.length;
    await tell();
    expect(emulator.log.length).toBe(after);
    expect(bodies(number)).toEqual([expect.not.stringContaining('redis:7.4')]);
  });

  test('of a stack whose platform only other workers reach is validated, and says where its plan will be', async () => {
    const { server: forge, change, tell, look, bodies, records, emulator } = await changing('github');
    const platform = await records.platform('main');
    if (platform === undefined) throw new Error('no platform');
    // Its files are at the site alone.
    const there = { keyFile: '/nowhere/key', envFile: '/nowhere/env', only: { site: 'paris' } };
    await records.addPlatform({ ...platform, ...there }, 'a test');
    change('redis:7.2');
    const number = forge.propose({ branch: 'change' });
    const before = emulator.log.length;
    await tell();
    await look();
    expect(emulator.log.length).toBe(before);
    expect(bodies(number)).toEqual([expect.stringContaining('validated, not planned')]);
    expect(bodies(number)[0]).toContain('Only workers with --only reach its platform');
    expect(await records.pullPlans('shop', number)).toMatchObject([{ document: null, problem: null }]);
  });

  test('that cannot be planned says why, without a secret, and is planned again only where that may pass', async () => {
    const { server: forge, repository, tell, bodies, records, push } = await changing('gitea');
    beginBranch(repository, 'broken');
    const text = manifestOf('redis:7').replace('dockerImage', 'dockerImgae');
    push({ 'infra/trueup.yaml': text }, 'broken');
    const number = forge.propose({ branch: 'broken' });
    await tell();
    expect(bodies(number)).toEqual([expect.stringContaining('dockerImgae')]);
    expect(await records.pullsToPlan(10)).toEqual([]);
    // Another platform gets neither the key nor a secret.
    const elsewhere = manifestOf('redis:7').replace(
      'project:',
      'platform: { url: "https://elsewhere.example" }\nproject:',
    );
    push({ 'infra/trueup.yaml': elsewhere }, 'broken');
    await tell();
    expect(bodies(number)).toEqual([expect.stringContaining('elsewhere.example')]);
    for (const canary of canaries) expect(JSON.stringify([...forge.comments])).not.toContain(canary);
  });

  test('of which the comment cannot be written is planned again when the forge answers', async () => {
    const { server: forge, change, tell, bodies, records } = await changing('gitlab');
    change('redis:7.2');
    const number = forge.propose({ branch: 'change' });
    // It does not give the repository either: nothing is known of this pull request alone.
    forge.fault = (_, path) => (path.endsWith('/notes') || path === '/projects/12' ? 502 : undefined);
    await tell();
    expect([bodies(number), await records.pullsToPlan(10)]).toEqual([[], []]);
    forge.fault = () => undefined;
    await pool.query('update trueup_controller.source set forge_after = now()');
    await tell();
    expect(bodies(number)).toHaveLength(1);
  });

  /** A pull request of a stranger with more files than a worker takes, and what works on it. */
  const huge = async () => {
    const bench = await changing('github');
    const { server: forge, repository, at } = bench;
    beginBranch(repository, 'huge');
    const files = Array.from({ length: 40 }, (_, index) => [`junk/${index}.txt`, String(index)] as const);
    write(repository, Object.fromEntries(files));
    const number = forge.propose({ branch: 'main', fork: commitAll(repository, 'Many files', 'huge') });
    const small = { ...at, checkouts: checkoutsIn(mkdtempSync(join(tmpdir(), 'trueup-')), { maxFiles: 20 }) };
    const signal = new AbortController().signal;
    await workAtForge(small, 'pulls shop', signal);
    return { ...bench, number, work: () => workAtForge(small, `pull shop ${number}`, signal) };
  };
  const inTenMinutes = () =>
    pool.query(`update trueup_controller.pull set plan_after = plan_after - interval '10 minutes'`);

  test('with too many files says so, is fetched once, and holds up nothing else of its source', async () => {
    const { bodies, records, number, work, push, look } = await huge();
    await work();
    const why = 'cannot read the source shop: it has 42 files, more than 20';
    expect(bodies(number)).toEqual([expect.stringContaining(why)]);
    expect(await records.shownPulls('shop')).toMatchObject([
      { isPlanned: true, plans: [{ path: '.', problem: expect.stringContaining(why) as string }] },
    ]);
    expect(await records.pullsToPlan(10)).toEqual([]);
    push({ 'infra/trueup.yaml': manifestOf('redis:7.6') });
    await look();
    expect(await records.sourcesToTell(10)).toEqual([{ id: 'shop' }]);
    expect(await records.shownSources()).toMatchObject([{ forgeProblem: null }]);
  });

  test('whose commit cannot be fetched says so, and is planned again in ten minutes', async () => {
    const { server: forge, change, tell, bodies, records } = await changing('gitlab');
    const number = forge.propose({ branch: 'main', fork: 'b'.repeat(40) });
    forge.fault = (_, path) => (path.endsWith('/diffs') ? { status: 200, json: [] } : undefined);
    await tell();
    forge.fault = () => undefined;
    expect(bodies(number)).toEqual([expect.stringContaining('cannot read the source shop: git says')]);
    expect([await records.pullsToPlan(10), await records.shownSources()]).toMatchObject([[], [{ forgeProblem: null }]]);
    const fork = change('redis:7.2');
    forge.requests.set(number, { title: '', body: '', branch: 'main', base: 'main', isOpen: true, fork });
    await tell();
    expect(bodies(number)).toEqual([expect.stringContaining('validated, not planned')]);
  });

  test.each([
    ['files', 'GET', /\/files$/],
    ['comments', 'POST', /\/comments$/],
  ])('whose %s the forge refuses waits ten minutes by itself', async (_, method, refused) => {
    const { server: forge, change, tell, bodies, records } = await changing('gitea');
    change('redis:7.2');
    const number = forge.propose({ branch: 'change' });
    forge.fault = (of, path) => (of === method && refused.test(path) ? 404 : undefined);
    await tell();
    expect([await records.pullsToPlan(10), await records.shownSources()]).toMatchObject([[], [{ forgeProblem: null }]]);
    const problem = expect.stringContaining(`the forge answered 404 to ${method}`) as string;
    const [shown] = await records.shownPulls('shop');
    expect([shown?.isPlanned, shown?.plans.find(({ path }) => path === '.')]).toMatchObject([false, { problem }]);
    forge.fault = () => undefined;
    await inTenMinutes();
    await tell();
    expect(bodies(number)).toEqual([expect.stringContaining('redis:7.2')]);
    expect(await records.shownPulls('shop')).toMatchObject([
      { isPlanned: true, plans: [{ path: 'infra/trueup.yaml', problem: null }] },
    ]);
  });
});
