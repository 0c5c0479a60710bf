import { afterEach, describe, expect, test } from 'vitest';
import type { Forge } from '../../src/ci/forge.ts';
import { readForge } from '../../src/ci/forge.ts';
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
    await storePlan({ ...forge, pull: { number: 7, isFork: false } }, content, first);
    await storePlan({ ...forge, pull: { number: 8, isFork: false } }, content, second);
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

  test.each([100, 350])('is found behind %d artifacts that forks uploaded since', async (count) => {
    const { server, forge } = await forgeOf('github');
    const name = artifactName(content);
    const foreign = Array.from({ length: count }, () => ({ name, content: second, isForeign: true }));
    server.artifacts.push({ name, content: first, head: 'aa11' }, ...foreign);
    expect(await fetchPlan(forge, content, { number: 7, head: 'aa11' })).toEqual(first);
    expect(await fetchPlan(forge, content)).toEqual(first);
  });

  test('that may stand behind ever more artifacts is an error, and no missing plan', async () => {
    const { server, forge } = await forgeOf('github');
    const name = artifactName(content);
    server.artifacts.push(...Array.from({ length: 5_001 }, () => ({ name, content: second, isForeign: true })));
    await expect(fetchPlan(forge, content)).rejects.toThrow(`the forge lists too many artifacts ${name}`);
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
