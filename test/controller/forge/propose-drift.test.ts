import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { canaries, forgeBench, manifestOf, stackId } from '../../support/forge-bench.ts';
import { hostedForge, write } from '../../support/hosted-forge.ts';
import { commitAll, commitOf, git, mergeBranch } from '../../support/hosted-repository.ts';
import { openPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** The pull request that adopts the drift of a stack. */

const missing = whyNoPostgres();
const names = ['github', 'gitlab', 'gitea'] as const;
const branch = 'trueup/drift/shop/infra/trueup.yaml';

describe.skipIf(missing !== undefined)(missing ?? 'drift', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });

  /** A stack that was applied, and drifted then. */
  const drifted = async (name: (typeof names)[number]) => {
    const bench = await forgeBench(pool, name);
    const { look, tell, drift, repository, server: forge } = bench;
    await look();
    await drift({ dockerImage: 'redis:7.2' });
    await look();
    await tell();
    const branches = (): readonly string[] =>
      git(repository.bare, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/trueup').split('\n');
    const fileOn = (ref: string): string => `${git(repository.bare, 'show', `${ref}:infra/trueup.yaml`)}\n`;
    const open = () => [...forge.requests].flatMap(([number, { isOpen }]) => (isOpen ? [number] : []));
    return { ...bench, branches, fileOn, open };
  };

  test.each(names)(
    'becomes one pull request on %s, which is kept true, merged, and then plans nothing',
    async (name) => {
      const bench = await drifted(name);
      const { server: forge, records, look, tell, drift, repository, branches, fileOn, open, posts } = bench;
      const main = commitOf(repository.bare, 'main');
      const before = posts();
      expect([await records.propose(stackId, 'alex'), await records.propose(stackId, 'kim')]).toEqual([true, false]);
      await tell();
      expect([open(), branches(), commitOf(repository.bare, 'main')]).toEqual([[1], [branch], main]);
      expect(fileOn(branch)).toBe(manifestOf('redis:7.2'));
      expect(forge.requests.get(1)).toMatchObject({
        branch,
        base: 'main',
        title: 'Adopt the drift of infra/trueup.yaml',
      });
      expect(forge.requests.get(1)?.body).toContain('redis:7.2');
      const first = commitOf(repository.bare, branch);
      await look();
      await tell();
      expect([open(), commitOf(repository.bare, branch)]).toEqual([[1], first]);
      await drift({ dockerImage: 'redis:7.4' });
      await look();
      await tell();
      expect([open(), fileOn(branch)]).toEqual([[1], manifestOf('redis:7.4')]);
      expect(forge.requests.get(1)?.body).toContain('redis:7.4');
      expect(git(repository.bare, 'rev-list', '--count', `main..${branch}`)).toBe('1');
      // That of the hand.
      expect(posts()).toBe(before + 1);
      mergeBranch(repository.bare, branch, 'merge');
      const pull = forge.requests.get(1);
      if (pull !== undefined) pull.isOpen = false;
      await look();
      await tell();
      await look();
      expect([await records.proposal(stackId), await records.waitingPlan(stackId)]).toEqual([undefined, undefined]);
      expect(forge.statuses.at(-1)?.state).toBe('success');
      for (const canary of canaries) expect(bench.shown()).not.toContain(canary);
    },
  );

  test.each(names)(
    'that is gone closes its pull request on %s with a comment, and its branch is removed',
    async (name) => {
      const { server: forge, records, look, tell, drift, branches, open } = await drifted(name);
      await records.propose(stackId, 'alex');
      await tell();
      await drift({ dockerImage: 'redis:7' });
      await look();
      await tell();
      expect([open(), branches(), await records.proposal(stackId)]).toEqual([[], [''], undefined]);
      expect(forge.comments.get(1)?.at(-1)?.body).toContain('The drift is gone');
      await drift({ dockerImage: 'redis:7.2' });
      await look();
      expect(await records.propose(stackId, 'alex')).toBe(true);
      await tell();
      expect(open()).toEqual([2]);
    },
  );

  test('that is a secret gets into no branch, and the proposal says why', async () => {
    const { records, look, tell, drift, branches, open, shown } = await drifted('gitea');
    await drift({ dockerImage: 'redis:7', databasePassword: 'another-canary-8812' });
    await look();
    await records.propose(stackId, 'alex');
    await tell();
    expect([open(), branches()]).toEqual([[], ['']]);
    expect(await records.proposal(stackId)).toMatchObject({ problem: expect.stringContaining('secret') });
    expect(JSON.stringify(await records.proposal(stackId)) + shown()).not.toContain('canary');
    await drift({ dockerImage: 'redis:7.2' });
    await look();
    await tell();
    expect([open(), branches()]).toEqual([[1], [branch]]);
    expect(shown()).not.toContain('canary');
  });

  test('that another root file of the folder shares gets into no branch, and the proposal says why', async () => {
    const { records, look, tell, drift, push, branches, open } = await drifted('gitea');
    const shared = manifestOf('${file:image.txt}');
    const other = shared.replace('trueup: 1\nproject: prj_1', 'trueup: 1\nproject: prj_2');
    await drift({ dockerImage: 'redis:7' });
    push({ 'infra/trueup.yaml': shared, 'infra/other.yaml': other, 'infra/image.txt': 'redis:7' });
    await look();
    await drift({ dockerImage: 'redis:7.2' });
    await look();
    await records.propose(stackId, 'alex');
    await tell();
    expect([open(), branches()]).toEqual([[], ['']]);
    const problem = expect.stringContaining('other.yaml would change too, in production.redis.main');
    expect(await records.proposal(stackId)).toMatchObject({ problem });
  });

  test('leaves a branch alone that others pushed to, and one that was there before', async () => {
    const { records, look, tell, drift, repository, push, server: forge } = await drifted('github');
    await records.propose(stackId, 'alex');
    await tell();
    const theirs = push({ 'infra/trueup.yaml': manifestOf('redis:7.2'), 'note.txt': 'mine\n' }, branch);
    await drift({ dockerImage: 'redis:7.4' });
    await look();
    await tell();
    expect(commitOf(repository.bare, branch)).toBe(theirs);
    expect(await records.proposal(stackId)).toMatchObject({ problem: expect.stringContaining('did not push') });
    expect(forge.statuses.at(-1)?.state).toBe('pending');
  });

  test('is one pull request also where a worker ended right after its push, or after it opened it', async () => {
    const { records, at, tell, look, drift, open, fileOn } = await drifted('gitlab');
    await records.propose(stackId, 'alex');
    const ends = () => Promise.reject(new Error('the worker ended'));
    const half = { ...at, records: { ...records, proposalPushed: ends, proposalBrought: async () => [] } };
    const { proposeDrift } = await import('../../../src/controller/forge/propose-drift.ts');
    const { signal } = new AbortController();
    await proposeDrift(half, stackId, signal);
    await drift({ dockerImage: 'redis:7.4' });
    const opened = { ...at, records: { ...records, proposalShown: ends, proposalBrought: async () => [] } };
    await proposeDrift(opened, stackId, signal);
    expect(open()).toEqual([1]);
    await look();
    await tell();
    expect([open(), fileOn(branch)]).toEqual([[1], manifestOf('redis:7.4')]);
  });

  test.each([
    ['is gone', 'redis:7'],
    ['is another one', 'redis:7.4'],
  ])(
    'changes no pull request of others where its source moved to another repository and the drift %s',
    async (_, image) => {
      const { records, enrol, look, tell, drift } = await drifted('gitea');
      await records.propose(stackId, 'alex');
      await tell();
      expect(await records.proposal(stackId)).toMatchObject({ number: 1 });
      const other = await hostedForge('gitea', { 'infra/trueup.yaml': manifestOf('redis:7') });
      write(other.repository, { 'docs.md': 'x' });
      commitAll(other.repository, 'Docs', 'work');
      const number = other.server.propose({ branch: 'work' });
      const theirs = { ...other.server.requests.get(number) };
      await enrol('automatic', other.server);
      await drift({ dockerImage: image });
      await look();
      await tell();
      expect([number, other.server.requests.get(number)]).toEqual([1, theirs]);
      expect(await records.proposal(stackId)).toBeUndefined();
      expect(await records.propose(stackId, 'alex')).toBe(true);
      await tell();
      const own = [...other.server.requests].filter(([, { branch: from }]) => from === branch);
      expect(own.map(([at]) => at)).toEqual(image === 'redis:7' ? [] : [2]);
    },
  );
});
