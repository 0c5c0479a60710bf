import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { workAtForge } from '../../../src/controller/forge/forge-work.ts';
import { forgeBench, manifestOf, stackId } from '../../support/forge-bench.ts';
import { commitAll, commitOf, git } from '../../support/hosted-repository.ts';
import { write } from '../../support/hosted-forge.ts';
import { openPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** What a forge does not take delays nothing else of its source. */

const missing = whyNoPostgres();
const branch = 'trueup/drift/shop/infra/trueup.yaml';

describe.skipIf(missing !== undefined)(missing ?? 'a forge that refuses', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });

  type Bench = Awaited<ReturnType<typeof forgeBench>>;

  /** A pull request with a change of the stack. */
  const opened = ({ repository, server: forge }: Bench): number => {
    write(repository, { 'infra/trueup.yaml': manifestOf('redis:7.2') });
    commitAll(repository, 'A change', 'change');
    return forge.propose({ branch: 'change' });
  };

  const proposed = async (bench: Bench): Promise<void> => {
    await bench.drift({ dockerImage: 'redis:7.2' });
    await bench.look();
    await bench.records.propose(stackId, 'alex');
  };

  test.each([
    ['the comment of a pull request whose conversation is locked', opened, 'POST', /\/comments$/, 403],
    ['the comment of a pull request with an error of its own', opened, 'POST', /\/comments$/, 500],
    ['the files of a pull request', opened, 'GET', /\/files$/, 403],
    ['the list of pull requests', opened, 'GET', /\/pulls$/, 403],
    ['a pull request for drift', proposed, 'POST', /\/pulls$/, 403],
    ['a pull request for drift of a repository that takes none', proposed, 'POST', /\/pulls$/, 404],
    ['a pull request for drift that a rule forbids', proposed, 'POST', /\/pulls$/, 422],
  ] as const)('%s hears of the next commit all the same', async (_, prepare, method, path, status) => {
    const bench = await forgeBench(pool, 'gitea');
    const { server: forge, records, look, tell, push } = bench;
    await look();
    await tell();
    await prepare(bench);
    forge.fault = (of, at) => (of === method && path.test(at) ? status : undefined);
    await tell();
    const next = push({ 'infra/trueup.yaml': manifestOf('redis:7.4') });
    await look();
    await tell([]);
    expect(forge.statuses.filter(({ commit }) => commit === next)).not.toEqual([]);
    expect(await records.shownSources()).toMatchObject([{ forgeProblem: null }]);
  });

  test('nothing hears of the next commit beside a pull request with a path that no index takes', async () => {
    const bench = await forgeBench(pool, 'gitea');
    const { server: forge, records, look, tell, push, repository } = bench;
    await look();
    await tell();
    // Random letters, which no index makes shorter.
    const folder = Array.from({ length: 14 }, () => randomBytes(120).toString('hex')).join('/');
    write(repository, { [`${folder}/trueup.yaml`]: manifestOf('redis:7.2') });
    forge.propose({ branch: 'main', fork: commitAll(repository, 'A change', 'change') });
    rmSync(join(repository.clone, folder.split('/', 1)[0] ?? ''), { recursive: true });
    await tell().catch(() => undefined);
    const next = push({ 'infra/trueup.yaml': manifestOf('redis:7.4') });
    await look();
    await tell([]);
    expect(forge.statuses.filter(({ commit }) => commit === next)).not.toEqual([]);
    expect(await records.shownSources()).toMatchObject([{ forgeProblem: null }]);
  });

  test.each([403, 500])('one status with %d hears of all others', async (status) => {
    const { server: forge, records, look, tell, push } = await forgeBench(pool, 'gitea');
    push({ 'b/trueup.yaml': manifestOf('redis:7', 'second'), 'c/trueup.yaml': manifestOf('redis:7', 'third') });
    await look();
    let refused = 0;
    forge.fault = (method, path) =>
      method === 'POST' && path.includes('/statuses/') && refused++ === 0 ? status : undefined;
    await tell();
    expect(forge.statuses.map(({ context }) => context)).toEqual(['trueup/c/trueup.yaml', 'trueup/infra/trueup.yaml']);
    expect(await records.shownSources()).toMatchObject([{ forgeProblem: null }]);
  });

  test('a pull request that a person closed can be proposed again', async () => {
    const bench = await forgeBench(pool, 'gitea');
    const { server: forge, records, look, tell, repository } = bench;
    await look();
    await proposed(bench);
    await tell();
    const first = commitOf(repository.bare, branch);
    const pull = forge.requests.get(1);
    if (pull !== undefined) pull.isOpen = false;
    await look();
    await tell();
    expect(await records.proposal(stackId)).toBeUndefined();
    await pool.query('select pg_sleep(1.1)');
    expect(await records.propose(stackId, 'kim')).toBe(true);
    await tell();
    expect(await records.proposal(stackId)).toMatchObject({ number: 2, problem: null });
    expect(commitOf(repository.bare, branch)).not.toBe(first);
  });

  test('a pull request that was deleted ends its proposal', async () => {
    const bench = await forgeBench(pool, 'gitlab');
    const { server: forge, records, look, tell } = bench;
    await look();
    await proposed(bench);
    await tell();
    forge.requests.delete(1);
    await look();
    await tell();
    expect(await records.proposal(stackId)).toBeUndefined();
  });

  test('a comment on what is over closes its pull request all the same', async () => {
    const bench = await forgeBench(pool, 'github');
    const { server: forge, records, look, tell, drift, repository } = bench;
    await look();
    await proposed(bench);
    await tell();
    forge.fault = (method, path) => (method === 'POST' && path.endsWith('/comments') ? 403 : undefined);
    await drift({ dockerImage: 'redis:7' });
    await look();
    await tell();
    expect(forge.requests.get(1)?.isOpen).toBe(false);
    expect(await records.proposal(stackId)).toBeUndefined();
    expect(git(repository.bare, 'for-each-ref', 'refs/heads/trueup')).toBe('');
  });

  /** Until it is told again what it refused, from now on. Minutes. */
  const pauses = async () => {
    const text = `select round(extract(epoch from again_at - now()) / 60)::int as status,
      (select round(extract(epoch from again_at - now()) / 60)::int from trueup_controller.proposal) as proposal,
      (select round(extract(epoch from plan_after - now()) / 60)::int from trueup_controller.pull where number = 1) as pull
    from trueup_controller.status where problem is not null`;
    return (await pool.query(text)).rows as unknown[];
  };
  const pausesAreOver = () =>
    pool.query(`update trueup_controller.status set again_at = now(); update trueup_controller.proposal set again_at = now();
      update trueup_controller.pull set plan_after = now(); update trueup_controller.source set compared_at = null`);

  test('is asked again after growing pauses, is shown with what to do, and is told all in the end', async () => {
    const bench = await forgeBench(pool, 'github');
    const { server: forge, records, look, tell, drift, head } = bench;
    await look();
    await tell();
    opened(bench);
    await workAtForge(bench.at, 'pulls shop', new AbortController().signal);
    await drift({ dockerImage: 'redis:7.2' });
    await look();
    await records.propose(stackId, 'alex');
    // The token has lost its rights, and still sees the repository.
    forge.fault = (method, path) => (method === 'POST' || path.endsWith('/pulls') ? 403 : undefined);
    for (const minutes of [10, 20, 40, 60, 60]) {
      await tell();
      expect(await pauses()).toEqual([{ status: minutes, proposal: minutes, pull: minutes }]);
      const before = forge.log.length;
      expect(await tell([])).toEqual([]);
      expect(forge.log.length).toBe(before);
      await pausesAreOver();
    }
    const rights = 'Give the token the rights that docs/forges.md lists.';
    expect(await records.shownStack(stackId)).toMatchObject({
      refused: { commit: head, problem: expect.stringContaining(rights) as string },
    });
    expect(await records.proposal(stackId)).toMatchObject({ problem: expect.stringContaining(rights) as string });
    expect(await records.shownSources()).toMatchObject([
      { forgeProblem: null, pullsProblem: expect.stringContaining(rights) as string, refusedStacks: 1 },
    ]);
    forge.fault = () => undefined;
    await tell();
    expect(await pauses()).toEqual([]);
    expect(forge.statuses.at(-1)?.state).toBe('pending');
    expect(await records.proposal(stackId)).toMatchObject({ number: 2, problem: null, againAt: null });
    expect(forge.comments.get(1)).toHaveLength(1);
    expect(await records.shownSources()).toMatchObject([{ pullsProblem: null, refusedStacks: 0 }]);
  });

  test('that lists a number which no row of the database takes is shown with that, and fails no job', async () => {
    const { records, server: forge, look, tell } = await forgeBench(pool, 'gitlab');
    await look();
    await tell();
    forge.requests.set(3_000_000_000, { title: 'a change', body: '', branch: 'main', base: 'main', isOpen: true });
    expect(await tell()).toEqual(['pulls shop']);
    const problem = 'with a row without a number of a pull request, from 1 to 999999999';
    expect(await records.shownSources()).toMatchObject([
      { forgeProblem: null, pullsProblem: expect.stringContaining(problem) as string },
    ]);
  });

  test('for ten minutes because of its limit gets no request meanwhile', async () => {
    const { server: forge, look, tell } = await forgeBench(pool, 'gitlab');
    await look();
    forge.fault = () => ({ status: 403, headers: { 'retry-after': '600' } });
    await tell();
    const before = forge.log.length;
    await tell();
    expect(forge.log.length).toBe(before);
  });

  test('for longer than an hour is asked after an hour', async () => {
    const { records, server: forge, look, tell } = await forgeBench(pool, 'gitlab');
    await look();
    forge.fault = () => ({ status: 429, headers: { 'retry-after': '99999999999999999999' } });
    await tell();
    forge.fault = () => undefined;
    await pool.query(`update trueup_controller.source set forge_after = forge_after - interval '61 minutes'`);
    expect(await records.forgeRests('shop')).toBe(false);
    await tell();
    expect(forge.statuses.at(-1)?.state).toBe('success');
  });

  test.each([
    ['a status', 'statuses shop', 'status', 'true', opened],
    ['the plans of a pull request', 'pull shop 1', 'pull_plan', 'true', opened],
    ['a proposal', `proposal ${stackId}`, 'proposal', 'new.pushing is not null', proposed],
  ] as const)('is no database that refuses %s: it is asked at once again', async (_, key, table, when, prepare) => {
    const bench = await forgeBench(pool, 'gitea');
    const { at, records, look, tell } = bench;
    await look();
    if (table !== 'status') await tell();
    await prepare(bench);
    if (prepare === opened) await workAtForge(at, 'pulls shop', new AbortController().signal);
    await pool.query(`set search_path to trueup_controller;
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room in the database'; end $$;
      create trigger refuse before insert or update on ${table} for each row when (${when}) execute function refuse();
      reset search_path`);
    await expect(workAtForge(at, key, new AbortController().signal)).rejects.toThrow('no room in the database');
    await pool.query('drop function trueup_controller.refuse cascade');
    expect(await records.shownSources()).toMatchObject([{ forgeProblem: null }]);
    expect((await records.proposal(stackId))?.problem ?? null).toBeNull();
    expect(await records.forgeRests('shop')).toBe(false);
    await tell();
    expect(await records.dueStatuses('shop', 10)).toEqual([]);
  });
});
