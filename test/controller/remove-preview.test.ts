import type pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { followStack } from '../../src/controller/follow-stack.ts';
import { openStack } from '../../src/controller/open-stack.ts';
import type { Policy } from '../../src/controller/records/all.ts';
import { runStack } from '../../src/controller/run-stack.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { planDocument } from '../../src/index.ts';
import { canaries, forgeBench, stackId } from '../support/forge-bench.ts';
import { beginBranch, commitAll } from '../support/hosted-repository.ts';
import { write } from '../support/hosted-forge.ts';
import { openPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** Previews of pull requests as stacks of a controller, with a repository, a forge, a platform and a PostgreSQL of their own. */

const missing = whyNoPostgres();
const names = ['github', 'gitlab', 'gitea'] as const;

const file = 'infra/preview.yaml';
const previewId = (number: number) => `shop:${file}/${number}`;

/** A root file of previews with an application, a database and an output. */
const previewOf = (image: string, { settings = 'for: 3d, most: 2', more = '' } = {}) => `trueup: 1
project: prj_1
${more}environment: pr
preview: { ${settings} }
variables: { suffix: { default: '-pr-\${preview:id}.preview.example.com' } }
outputs: { site: 'https://site\${var:suffix}/' }
application:
  site:
    source: { type: docker, image: "${image}" }
    domains: { main: { host: 'site\${var:suffix}', port: 80 } }
redis: { cache: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" } }
`;

describe.skipIf(missing !== undefined)(missing ?? 'a preview', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });

  /** A stack that was applied, a root file of previews beside it, and what a worker does. */
  const bench = async (
    name: (typeof names)[number] = 'gitea',
    { policy = 'automatic', text = previewOf('nginx:1') }: { readonly policy?: Policy; readonly text?: string } = {},
  ) => {
    const made = await forgeBench(pool, name, policy);
    const { records, at, repository, server: forge, emulator } = made;
    made.push({ [file]: text });
    const signal = new AbortController().signal;
    const run = async (id: string): Promise<void> => {
      let ended = await runStack(at, id, signal);
      while (ended.is === 'again') ended = await (ended.as === 'follow' ? followStack : runStack)(at, id, signal);
    };
    /** Runs each stack that is due, and what comes of it, until nothing is left to do. Gives what failed. */
    const settle = async (): Promise<readonly unknown[]> => {
      const problems: unknown[] = [];
      await records.endOverdue();
      for (let due = await records.dueStacks(20); due.length > 0; due = await records.dueStacks(20))
        for (const { id } of due) await run(id).catch((error: unknown) => problems.push(error));
      return problems;
    };
    const source = async () => (await records.source('shop')) ?? expect.fail('no source');
    const stack = async (number: number) => records.stack(previewId(number));
    /** Whether the preview would change at a commit. */
    const hasChanges = async (number: number, commit: string): Promise<boolean> => {
      const platform = (await records.platform('main')) ?? expect.fail('no platform');
      return at.checkouts.at(await source(), commit, async (folder) => {
        const project = await openStack(at, { id: previewId(number), path: file, platform, folder, pull: number });
        const { hasChanges: has } = planDocument(await project.plan());
        await project.close();
        return has;
      });
    };
    const change = (files: Readonly<Record<string, string>>, branch = 'change'): string => {
      write(repository, files);
      return commitAll(repository, 'Change it', branch);
    };
    const tables = emulator.world.tables;
    const namesOf = (table: 'environment' | 'application' | 'redis') =>
      Object.values(tables[table])
        .map((row) => String(row['name']))
        .toSorted();
    /** What is there beside previews. */
    const others = () =>
      JSON.stringify(
        [Object.values(tables.redis), Object.values(tables.environment)].map((rows) =>
          rows.filter(({ name }) => !/^(?:pr-|cache)/.test(String(name))),
        ),
      );
    const close = (number: number): void => {
      const pull = forge.requests.get(number);
      if (pull !== undefined) pull.isOpen = false;
    };
    await made.look();
    await settle();
    await made.tell();
    return {
      ...made,
      settle,
      stack,
      hasChanges,
      change,
      namesOf,
      others,
      close,
      signal,
      comment: (number: number) => forge.comments.get(number)?.at(-1)?.body,
    };
  };

  test.each(names)('on %s comes with its pull request, follows its pushes, and goes with it', async (name) => {
    const {
      server: forge,
      records,
      change,
      tell,
      settle,
      stack,
      hasChanges,
      namesOf,
      others,
      close,
      posts,
      comment,
    } = await bench(name);
    const before = others();
    expect(await records.stacks()).toMatchObject([{ id: stackId, applied: expect.any(String) as string }]);
    const first = change({ [file]: previewOf('nginx:2') });
    const number = forge.propose({ branch: 'change' });
    await tell();
    await settle();
    expect(await stack(number)).toMatchObject({ pull: number, wanted: first, applied: first, made: first, ends: null });
    expect(namesOf('environment')).toContain(`pr-${number}`);
    expect([namesOf('application'), namesOf('redis')]).toEqual([['site'], ['cache', 'main']]);
    expect(await hasChanges(number, first)).toBe(false);
    await tell();
    expect(comment(number)).toContain(`<https://site-pr-${number}.preview.example.com/>`);
    expect(forge.statuses.at(-1)).toMatchObject({ commit: first, context: `trueup/${file}`, state: 'success' });
    const second = change({ [file]: previewOf('nginx:3') });
    await tell();
    await settle();
    expect(await stack(number)).toMatchObject({ wanted: second, applied: second, made: second });
    expect([namesOf('application'), namesOf('redis')]).toEqual([['site'], ['cache', 'main']]);
    expect(await hasChanges(number, second)).toBe(false);
    const written = posts();
    await pool.query('update trueup_controller.stack set look_at = now()');
    await settle();
    expect(posts()).toBe(written);
    close(number);
    await tell();
    expect(await stack(number)).toMatchObject({ ends: 'closed', isGone: false });
    await settle();
    expect(await stack(number)).toMatchObject({ isGone: true, made: null, applied: null, problem: null });
    expect([namesOf('application'), namesOf('redis')]).toEqual([[], ['main']]);
    expect(namesOf('environment')).not.toContain(`pr-${number}`);
    expect(others()).toBe(before);
    expect((await records.runs(previewId(number))).at(-1)).toMatchObject({
      kind: 'apply',
      cause: 'closed',
      ending: 'done',
    });
    await tell();
    expect(comment(number)).toContain('The preview is removed.');
    expect(await tell()).toEqual(['pulls shop']);
    for (const canary of canaries) expect(JSON.stringify([...forge.comments, ...forge.statuses])).not.toContain(canary);
  });

  test.each([
    ['answers with an error', () => 502],
    ['does not find it', (method: string, path: string) => (/\d$/.test(path) ? 404 : undefined)],
    [
      'answers a part of the list',
      (method: string, path: string) => (/\d$/.test(path) ? undefined : { status: 200, json: [] }),
    ],
    [
      'lacks it in the list, and does not say how it is',
      (method: string, path: string) => (/\d$/.test(path) ? 500 : { status: 200, json: [] }),
    ],
    [
      'lacks it in the list, and does not find it',
      (method: string, path: string) => (/\d$/.test(path) ? 404 : { status: 200, json: [] }),
    ],
    [
      'lists it without its branch',
      (method: string, path: string) =>
        /\d$/.test(path) ? undefined : { status: 200, json: [{ number: 1, state: 'open', head: null, base: null }] },
    ],
  ] as const)('stays where the forge %s', async (_, fault) => {
    const { server: forge, change, tell, settle, stack, namesOf, close, posts } = await bench('github');
    const commit = change({ [file]: previewOf('nginx:2') });
    const number = forge.propose({ branch: 'change' });
    await tell();
    await settle();
    await tell();
    const before = posts();
    forge.fault = (method, path) => (path.includes('/pulls') ? fault(method, path) : undefined);
    await tell();
    await settle();
    expect(await stack(number)).toMatchObject({ applied: commit, ends: null, isGone: false });
    expect([namesOf('application'), posts()]).toEqual([['site'], before]);
    forge.fault = () => undefined;
    close(number);
    await pool.query('update trueup_controller.source set forge_after = null');
    await tell();
    await settle();
    expect([namesOf('application'), (await stack(number))?.isGone]).toEqual([[], true]);
  });

  test('of a stranger comes only with a commit that a person allowed', async () => {
    const { server: forge, records, change, tell, settle, stack, namesOf, emulator } = await bench();
    const fork = change({ [file]: previewOf('nginx:2') });
    const number = forge.propose({ branch: 'main', fork });
    const before = emulator.log.length;
    await tell();
    await settle();
    expect([await stack(number), emulator.log.length]).toEqual([undefined, before]);
    expect(
      await records.allowPull({ source: 'shop', number, head: fork }, { who: 'alex', because: 'I have read it' }),
    ).toBe(true);
    await settle();
    expect(await stack(number)).toMatchObject({ wanted: fork, applied: fork });
    expect(namesOf('application')).toEqual(['site']);
    const next = change({ [file]: previewOf('nginx:3') });
    forge.requests.set(number, { title: '', body: '', branch: 'main', base: 'main', isOpen: true, fork: next });
    await tell();
    await settle();
    expect(await stack(number)).toMatchObject({ wanted: fork, applied: fork, ends: null });
    expect(await records.pull('shop', number)).toMatchObject({ head: next, isAllowed: false });
  });

  test('goes when its time is over, and comes back with the next push only', async () => {
    const { server: forge, change, tell, settle, stack, namesOf } = await bench();
    change({ [file]: previewOf('nginx:2') });
    const number = forge.propose({ branch: 'change' });
    await tell();
    await settle();
    await pool.query(
      `update trueup_controller.stack set made_at = made_at - interval '71 hours' where pull is not null`,
    );
    await settle();
    expect(await stack(number)).toMatchObject({ ends: null });
    await pool.query(`update trueup_controller.stack set made_at = made_at - interval '1 hour' where pull is not null`);
    await settle();
    expect(await stack(number)).toMatchObject({ ends: 'over', isGone: true });
    expect(namesOf('application')).toEqual([]);
    await tell();
    await settle();
    expect(await stack(number)).toMatchObject({ isGone: true });
    const next = change({ [file]: previewOf('nginx:3') });
    await tell();
    await settle();
    expect(await stack(number)).toMatchObject({ applied: next, ends: null, isGone: false });
    expect(namesOf('application')).toEqual(['site']);
  });

  test('that is one too many waits until another one goes', async () => {
    const {
      server: forge,
      change,
      tell,
      settle,
      stack,
      namesOf,
      close,
    } = await bench('gitea', { text: previewOf('nginx:1', { settings: 'most: 1' }) });
    change({ 'README.md': 'a\n' }, 'one');
    change({ 'README.md': 'b\n' }, 'two');
    const one = forge.propose({ branch: 'one' });
    await tell();
    await settle();
    const two = forge.propose({ branch: 'two' });
    await tell();
    const words = `${file} allows 1 preview at a time, and there is 1: ${one}; ${two} was not applied`;
    expect(await settle()).toMatchObject([{ message: words }]);
    expect(await stack(two)).toMatchObject({ made: null, problem: expect.stringContaining('raise most:') as string });
    expect(namesOf('application')).toEqual(['site']);
    close(one);
    await tell();
    await settle();
    expect(await stack(two)).toMatchObject({ problem: null, ends: null, isGone: false });
    expect(namesOf('environment')).toContain(`pr-${two}`);
    expect(namesOf('environment')).not.toContain(`pr-${one}`);
  });

  test('waits for an approval where its policy says so, of another person than its author, and goes without one', async () => {
    const {
      server: forge,
      records,
      change,
      tell,
      settle,
      stack,
      namesOf,
      close,
      posts,
    } = await bench('gitea', {
      policy: 'approval',
    });
    const enrolPreviews = (given: Policy | null) =>
      pool.query('update trueup_controller.source set preview_policy = $1', [given]);
    change({ [file]: previewOf('nginx:2') });
    const number = forge.propose({ branch: 'change' });
    await tell();
    const before = posts();
    await settle();
    const plan = await records.waitingPlan(previewId(number));
    expect([posts(), plan?.authors]).toEqual([before, [{ name: 'ops', email: 'ops@example.test' }]]);
    const verdict = { role: 'approver', approves: true, because: 'it is right', fourEyes: true };
    await expect(records.judge(plan?.digest ?? '', { ...verdict, who: 'ops@example.test' })).rejects.toThrow(
      'wrote the commit',
    );
    expect(await records.judge(plan?.digest ?? '', { ...verdict, who: 'alex' })).toBe(true);
    await settle();
    expect(namesOf('application')).toEqual(['site']);
    await enrolPreviews('never');
    close(number);
    await tell();
    await enrolPreviews(null);
    await settle();
    expect(await stack(number)).toMatchObject({ isGone: true });
    expect(namesOf('application')).toEqual([]);
  });

  test('gets neither the key of another platform nor what the branch of the source does not describe', async () => {
    const { server: forge, records, tell, settle, stack, push, repository, posts } = await bench();
    const elsewhere = createEmulator({ apiKey: 'other-key' });
    const other = await serve(elsewhere);
    onTestFinished(() => other.close());
    const propose = (branch: string, files: Readonly<Record<string, string>>): number => {
      beginBranch(repository, branch);
      push(files, branch);
      return forge.propose({ branch });
    };
    const address = propose('address', {
      [file]: previewOf('nginx:2', { more: `platform: { url: "${other.url}" }\n` }),
    });
    const plain = previewOf('nginx:2')
      .replace(/^preview:.*\n/m, '')
      .replaceAll('${preview:id}', '1');
    const none = propose('none', { [file]: plain });
    const another = propose('another', { 'other/preview.yaml': previewOf('nginx:2'), [file]: 'trueup: 2\n' });
    const before = posts();
    await tell();
    const problems = await settle();
    expect(problems).toHaveLength(3);
    expect([posts(), elsewhere.log]).toEqual([before, []]);
    expect(await stack(address)).toMatchObject({
      problem: expect.stringContaining('names the platform') as string,
      made: null,
    });
    expect(await stack(none)).toMatchObject({
      problem: expect.stringContaining('has no preview:') as string,
      made: null,
    });
    expect(await stack(another)).toMatchObject({ problem: expect.stringContaining('trueup') as string, made: null });
    expect((await records.stacks()).map(({ path }) => path)).not.toContain('other/preview.yaml');
    expect(JSON.stringify([...forge.comments])).not.toContain('other-key');
  });

  test('goes by the file of the branch, where the commit that it was made from is gone or cannot be used', async () => {
    const { server: forge, records, at, change, tell, settle, stack, namesOf, close, others, push } = await bench();
    const before = others();
    const commit = change({ [file]: previewOf('nginx:2') });
    const number = forge.propose({ branch: 'change' });
    await tell();
    await settle();
    const { at: read } = at.checkouts;
    const source = (await records.source('shop')) ?? expect.fail('no source');
    expect(source.commit).not.toBe(commit);
    const see = async (previews: readonly string[]) =>
      records.sawCommit(source, await at.checkouts.fetch(source), ['infra/trueup.yaml'], { previews });
    const gone: typeof read = (given, wanted, work) =>
      wanted === commit ? Promise.reject(new Error('not our ref')) : read(given, wanted, work);
    close(number);
    push({ [file]: 'trueup: 1\nproject: prj_1\n' });
    await see([]);
    await tell();
    const fails = { ...at, checkouts: { ...at.checkouts, at: gone } };
    await expect(runStack(fails, previewId(number), new AbortController().signal)).rejects.toThrow('cannot be read at');
    const { problem } = (await stack(number)) ?? expect.fail('no stack');
    expect(problem).toContain(`not our ref`);
    expect(problem).toContain(`bring ${file} with preview: back on refs/heads/main`);
    expect(namesOf('application')).toEqual(['site']);
    push({ [file]: previewOf('nginx:7') });
    await see([file]);
    await runStack(fails, previewId(number), new AbortController().signal);
    expect(await stack(number)).toMatchObject({ ends: 'closed', isGone: true, problem: null });
    expect([namesOf('application'), namesOf('redis'), others()]).toEqual([[], ['main'], before]);
    await settle();
    expect(await stack(number)).toMatchObject({ isGone: true });
  });

  test('never works on the state that the manifest names', async () => {
    const { server: forge, change, tell, settle, stack, others } = await bench();
    const before = others();
    const named = 'state: { backend: postgres, name: "shop:infra/trueup.yaml" }\n';
    change({ [file]: previewOf('nginx:2', { more: named }) });
    const number = forge.propose({ branch: 'change' });
    await tell();
    await settle();
    expect(await stack(number)).toMatchObject({ problem: null, applied: expect.any(String) as string });
    expect(others()).toBe(before);
  });

  test('whose worker ends in the middle of its creation or its removal begins again, and nothing is sent twice', async () => {
    const {
      server: forge,
      at,
      change,
      tell,
      settle,
      stack,
      namesOf,
      hasChanges,
      close,
      emulator,
      others,
      posts,
    } = await bench();
    const before = others();
    const commit = change({ [file]: previewOf('nginx:2') });
    const number = forge.propose({ branch: 'change' });
    await tell();
    const isEnded = async (): Promise<void> => {
      const ending = new AbortController();
      const { endRun } = at.records;
      const cut: typeof endRun = (...about) =>
        ending.signal.aborted ? Promise.reject(new Error('PostgreSQL is away')) : endRun(...about);
      const sent = posts();
      const ended = runStack({ ...at, records: { ...at.records, endRun: cut } }, previewId(number), ending.signal);
      await vi.waitFor(() => expect(posts()).toBeGreaterThan(sent), { interval: 1, timeout: 30_000 });
      ending.abort();
      await expect(ended).rejects.toThrow();
    };
    await isEnded();
    await settle();
    expect(await stack(number)).toMatchObject({ applied: commit, problem: null });
    expect([namesOf('application'), namesOf('redis')]).toEqual([['site'], ['cache', 'main']]);
    const created = emulator.log.filter(({ operation }) =>
      /^(?:environment|application|redis|domain)\.create$/.test(operation ?? ''),
    );
    expect(created).toHaveLength(5);
    expect(await hasChanges(number, commit)).toBe(false);
    close(number);
    await tell();
    await isEnded();
    await settle();
    expect(await stack(number)).toMatchObject({ isGone: true });
    expect([namesOf('application'), namesOf('redis'), others()]).toEqual([[], ['main'], before]);
  });
});
