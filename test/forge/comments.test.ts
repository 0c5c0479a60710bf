import { afterEach, describe, expect, test } from 'vitest';
import { ForgeError } from '../../src/forge/call-forge.ts';
import { writeComment } from '../../src/forge/comments.ts';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { readForge } from '../../src/ci/forge-of-job.ts';
import type { FakeForge } from '../support/fake-forge.ts';
import { forgeToken, runnerOf, serveForge } from '../support/fake-forge.ts';

const open: FakeForge[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((forge) => forge.close()));
});

async function forgeOf(name: Forge['name'], options?: Parameters<typeof serveForge>[1]) {
  const server = await serveForge(name, options);
  open.push(server);
  const forge = readForge({ ...runnerOf(name, server.url), TRUEUP_FORGE_TOKEN: forgeToken }, '');
  if (forge === undefined) throw new Error('no forge');
  return { server, forge };
}

const marker = '<!-- trueup-ci plan 1 -->';
const names = ['github', 'gitlab', 'gitea'] as const;

describe.each(names)('a comment on %s', (name) => {
  test('is written once, and replaced by the next run', async () => {
    const { server, forge } = await forgeOf(name);
    await writeComment(forge, 7, `${marker}\nfirst`);
    await writeComment(forge, 7, `${marker}\nsecond`);
    await writeComment(forge, 8, `${marker}\nother`);
    expect(server.comments.get(7)).toEqual([{ id: 1, author: 'trueup-bot', body: `${marker}\nsecond` }]);
    expect(server.comments.get(8)).toHaveLength(1);
  });

  test('is found among the comments of people, on any page, and left as it is where nothing changed', async () => {
    const { server, forge } = await forgeOf(name);
    const people = Array.from({ length: 7 }, (_, at) => ({ id: 100 + at, author: 'stranger', body: 'hello' }));
    server.comments.set(7, people);
    await writeComment(forge, 7, `${marker}\nfirst`);
    server.log.splice(0);
    await writeComment(forge, 7, `${marker}\nfirst`);
    expect(server.log.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(server.comments.get(7)).toHaveLength(8);
  });

  test('of another account is never edited, also with the marker', async () => {
    const { server, forge } = await forgeOf(name);
    server.comments.set(7, [{ id: 100, author: 'stranger', body: `${marker}\nall is well` }]);
    await writeComment(forge, 7, `${marker}\nfirst`);
    expect(server.comments.get(7)?.map(({ author }) => author)).toEqual(['stranger', 'trueup-bot']);
  });

  test.each([401, 403, 404, 500])('that gets %d is an error without the token', async (status) => {
    const { server, forge } = await forgeOf(name);
    server.fault = (method) => (method === 'POST' ? status : undefined);
    const error = await writeComment(forge, 7, `${marker}\nx`).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(ForgeError);
    expect(error).toMatchObject({
      status,
      message: expect.stringMatching(new RegExp(`^the forge answered ${status} to POST /`)),
    });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('canary');
  });

  test('is not written by a token that is not accepted', async () => {
    const { server, forge } = await forgeOf(name);
    await expect(writeComment({ ...forge, token: 'wrong' }, 7, `${marker}\nx`)).rejects.toMatchObject({
      status: 401,
    });
    expect(server.comments.size).toBe(0);
  });
});

test.each([
  ['github', 'github-actions[bot]'],
  ['gitea', 'forgejo-actions'],
] as const)(
  'the token of a runner of %s finds its own comment although it may not ask who it is',
  async (name, account) => {
    const { server, forge } = await forgeOf(name, { account, isAutomatic: true });
    await writeComment(forge, 7, `${marker}\nfirst`);
    await writeComment(forge, 7, `${marker}\nsecond`);
    expect(server.comments.get(7)?.map(({ body }) => body)).toEqual([`${marker}\nsecond`]);
  },
);

test.each([
  ['github', 'github-actions[bot]', { id: 3, login: 'github-actions[bot]', type: 'User' }],
  ['gitea', 'gitea-actions', { id: 44, login: 'gitea-actions' }],
  ['gitea', 'gitea-actions', { id: 45, login: 'forgejo-actions' }],
] as const)(
  'the token of a runner of %s edits no comment of a person called like its account',
  async (name, account, user) => {
    const { server, forge } = await forgeOf(name, { account, isAutomatic: true });
    server.comments.set(7, [{ id: 100, author: user.login, user, body: `${marker}\nall is well` }]);
    await writeComment(forge, 7, `${marker}\nfirst`);
    expect(server.comments.get(7)?.map(({ body }) => body)).toEqual([`${marker}\nall is well`, `${marker}\nfirst`]);
  },
);

test('a comment of an account that gave up its name is not that of the one which has it now', async () => {
  const { server, forge } = await forgeOf('github');
  const user = { id: 46, login: 'trueup-bot', type: 'User' };
  server.comments.set(7, [{ id: 100, author: user.login, user, body: `${marker}\nall is well` }]);
  await writeComment(forge, 7, `${marker}\nfirst`);
  expect(server.comments.get(7)).toHaveLength(2);
});

test('a forge that does not answer is an error of its own', async () => {
  const { server, forge } = await forgeOf('github');
  await server.close();
  open.splice(0);
  await expect(writeComment(forge, 7, `${marker}\nx`)).rejects.toMatchObject({
    status: 0,
    message: 'the forge did not answer GET /user',
  });
});
