import { afterEach, describe, expect, test } from 'vitest';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { readForge } from '../../src/ci/forge-of-job.ts';
import type { MergedPull } from '../../src/ci/stored-plans.ts';
import { artifactName, fetchPlan, storePlan } from '../../src/ci/stored-plans.ts';
import { readSingleFile } from '../../src/ci/zip.ts';
import type { FakeForge } from '../support/fake-forge.ts';
import { forgeToken, runnerOf, serveForge, zipOf } from '../support/fake-forge.ts';

const open: FakeForge[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((forge) => forge.close()));
});

async function forgeOf(name: Forge['name']) {
  const server = await serveForge(name);
  open.push(server);
  const forge = readForge({ ...runnerOf(name, server.url), TRUEUP_FORGE_TOKEN: forgeToken }, '');
  if (forge === undefined) throw new Error('no forge');
  return { server, forge };
}

const content = '0123abcd';
const [first, second] = [Buffer.from('{"a":1}'), Buffer.from('{"a":2}\n'.repeat(100))];

describe.each(['gitlab', 'gitea'] as const)('a plan on %s', (name) => {
  test('is stored by its content, replaced, and fetched', async () => {
    const { forge } = await forgeOf(name);
    expect(await fetchPlan(forge, content)).toBeUndefined();
    await storePlan(forge, content, first);
    await storePlan(forge, content, second);
    expect(await fetchPlan(forge, content)).toEqual(second);
    expect(await fetchPlan(forge, 'ffff')).toBeUndefined();
  });

  test('is that of the pull request that was merged, also where a later one has the same content', async () => {
    const { forge } = await forgeOf(name);
    await storePlan({ ...forge, pull: { number: 7, isFork: false, head: undefined } }, content, first);
    await storePlan({ ...forge, pull: { number: 8, isFork: false, head: undefined } }, content, second);
    expect(await fetchPlan(forge, content, { number: 7 })).toEqual(first);
    expect(await fetchPlan(forge, content, { number: 9 })).toEqual(second);
    const planned = { ...forge, commit: 'aa11' };
    await storePlan(planned, content, Buffer.from('{}'));
    expect(await fetchPlan(planned, content, { number: 7 })).toEqual(Buffer.from('{}'));
    expect(await fetchPlan({ ...forge, commit: 'bb22' }, content, { number: 7 })).toEqual(first);
  });

  test('that cannot be fetched is an error, and no missing plan', async () => {
    const { server, forge } = await forgeOf(name);
    server.fault = () => 403;
    await expect(fetchPlan(forge, content)).rejects.toMatchObject({ status: 403 });
  });
});

describe('a plan on GitHub', () => {
  test('is the newest artifact of the repository itself', async () => {
    const { server, forge } = await forgeOf('github');
    expect(await fetchPlan(forge, content)).toBeUndefined();
    const name = artifactName(content);
    server.artifacts.push(
      { name, content: first },
      { name, content: second },
      { name, content: Buffer.from('of a fork'), isForeign: true },
      { name, content: Buffer.from('too old'), expired: true },
      { name: artifactName('ffff'), content: Buffer.from('another') },
    );
    expect(await fetchPlan(forge, content)).toEqual(second);
  });

  test('is that of the pull request that was merged, also where a later one has the same content', async () => {
    const { server, forge } = await forgeOf('github');
    const name = artifactName(content);
    server.artifacts.push({ name, content: first, head: 'aa11' }, { name, content: second, head: 'bb22' });
    expect(await fetchPlan(forge, content, { number: 7, head: 'aa11' })).toEqual(first);
    expect(await fetchPlan(forge, content, { number: 7, head: 'cc33' })).toEqual(second);
    expect(await fetchPlan({ ...forge, commit: 'bb22' }, content, { number: 7, head: 'aa11' })).toEqual(second);
  });

  const foreign = (count: number, more: { head?: string; name?: string } = {}) =>
    Array.from({ length: count }, () => ({ name: artifactName(content), content: second, isForeign: true, ...more }));

  test.each([100, 350, 6_000])('is found behind %d artifacts that forks uploaded since', async (count) => {
    const { server, forge } = await forgeOf('github');
    const name = artifactName(content);
    server.artifacts.push({ name, content: first, head: 'aa11' }, ...foreign(count));
    expect(await fetchPlan(forge, content, { number: 7, head: 'aa11', author: 'member' })).toEqual(first);
    expect(server.log.length).toBeLessThan(10);
    expect(await fetchPlan({ ...forge, commit: 'aa11' }, content)).toEqual(first);
    if (count < 1_000) expect(await fetchPlan(forge, content)).toEqual(first);
  });

  test.each<[string, { actor?: string; event?: string }, number, MergedPull | undefined]>([
    ['of a member who opened the pull request', {}, 2_000, { number: 7, head: 'aa11', author: 'member' }],
    ['of a member who pushed to it', { actor: 'x[bot]' }, 900, { number: 7, head: 'aa11', author: 'member' }],
    ['of a forge that does not tell the author', {}, 900, { number: 7, head: 'aa11' }],
    ['that a member started', { event: 'workflow_dispatch' }, 2_000, undefined],
    ['of a push', { event: 'push' }, 2_000, undefined],
  ])('is found in the run %s, also where runs of forks have the same commit', async (_whose, run, count, merged) => {
    const { server, forge } = await forgeOf('github');
    const name = artifactName(content);
    server.artifacts.push({ name, content: first, head: 'aa11', ...run }, ...foreign(count, { head: 'aa11' }));
    server.artifacts.push(...foreign(2_000, { head: 'bb22' }));
    const at = merged === undefined ? { ...forge, commit: 'aa11' } : forge;
    expect(await fetchPlan(at, content, merged)).toEqual(first);
    expect(server.log.length).toBeLessThan(20);
  });

  test('of the commit goes before that of its pull request, and the newest of several before all others', async () => {
    const { server, forge } = await forgeOf('github');
    const name = artifactName(content);
    const run = { name, head: 'aa11', event: 'workflow_dispatch' };
    server.artifacts.push(
      { ...run, content: first },
      { ...run, content: second },
      { ...run, name: 'x', content: first },
    );
    server.artifacts.push({ ...run, content: first, expired: true }, { name, content: first, head: 'bb22' });
    server.artifacts.push(...foreign(100));
    const at = { ...forge, commit: 'aa11' };
    expect(await fetchPlan(at, content, { number: 7, head: 'bb22', author: 'member' })).toEqual(second);
    expect(await fetchPlan(forge, content, { number: 7, head: 'bb22', author: 'member' })).toEqual(first);
  });

  test('of another commit that may stand behind ever more artifacts is an error with the way on, and no missing plan', async () => {
    const { server, forge } = await forgeOf('github');
    server.artifacts.push({ name: artifactName(content), content: first, head: 'bb22' }, ...foreign(6_000));
    const at = { ...forge, commit: 'cc33' };
    const found = fetchPlan(at, content, { number: 7, head: 'aa11', author: 'member' });
    await expect(found).rejects.toMatchObject({
      diagnostics: [
        {
          message: expect.stringMatching(
            /^forks uploaded too many artifacts trueup-plan-0123abcd to find one of another commit/,
          ),
          remedy: 'Run the plan job for this commit, review it, and run this job again.',
        },
      ],
    });
    expect(server.log.length).toBeLessThan(20);
    const planned = { name: artifactName(content), content: second, head: at.commit, event: 'workflow_dispatch' };
    server.artifacts.push(planned, ...foreign(6_000, { head: at.commit }));
    expect(await fetchPlan(at, content)).toEqual(second);
  });

  test('is none where nobody knows which repository uploaded it', async () => {
    const { server, forge } = await forgeOf('github');
    server.artifacts.push({ name: artifactName(content), content: first, hasNoRun: true });
    expect(await fetchPlan(forge, content)).toBeUndefined();
  });

  test('is none where only a fork uploaded one', async () => {
    const { server, forge } = await forgeOf('github');
    server.artifacts.push({ name: artifactName(content), content: first, isForeign: true });
    expect(await fetchPlan(forge, content)).toBeUndefined();
  });
});

describe('an archive', () => {
  // Some kilobytes that unpack to more than the limit, also where the archive tells another length.
  const bomb = zipOf('plan.trueup', Buffer.alloc(64 * 1024 * 1024 + 1));
  const lying = Buffer.from(bomb);
  lying.writeUInt32LE(3, bomb.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24);
  const archive = zipOf('plan.trueup', second);

  test('gives its one file', () => {
    expect(readSingleFile(archive, 'plan.trueup')).toEqual(second);
  });

  test.each([
    ['another file', zipOf('../plan.trueup', second)],
    ['a bomb', bomb],
    ['a bomb with another length', lying],
    ['no archive', Buffer.from('PK')],
    ['nothing', Buffer.alloc(0)],
    ['its beginning', archive.subarray(0, archive.length - 30)],
    ['its end', archive.subarray(40)],
    [
      'a wrong size',
      Buffer.from(archive.map((byte, at) => (at === archive.length - 22 - 11 - 46 + 24 ? byte ^ 1 : byte))),
    ],
  ])('that is %s is refused', (_what, bytes) => {
    expect(() => readSingleFile(bytes, 'plan.trueup')).toThrow('not an archive with the file plan.trueup');
  });
});
