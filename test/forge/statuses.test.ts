import { expect, test } from 'vitest';
import { ForgeError } from '../../src/forge/call-forge.ts';
import { writeStatus } from '../../src/forge/statuses.ts';
import { hostedForge } from '../support/hosted-forge.ts';

const names = ['github', 'gitlab', 'gitea'] as const;

test.each(names)('a status of a commit on %s has its state, its page and a short description', async (name) => {
  const { forge, server, head } = await hostedForge(name);
  const status = { commit: head, context: 'trueup/a.yaml', url: 'https://trueup.example.com/plans/1' };
  await writeStatus(forge, { ...status, state: 'pending', description: `Waits: ${'x'.repeat(200)}` });
  await writeStatus(forge, { ...status, state: 'pending', description: 'Waits again' });
  await writeStatus(forge, { ...status, state: 'failure', description: 'Failed', url: undefined });
  const [first, last] = [server.statuses[0], server.statuses.at(-1)];
  expect(first).toMatchObject({ ...status, state: 'pending', description: expect.stringMatching(/^Waits: x{132}…$/) });
  const state = name === 'gitlab' ? 'failed' : 'failure';
  expect(last).toEqual({ commit: head, context: 'trueup/a.yaml', state, description: 'Failed', url: undefined });
  // GitLab keeps what waits as it is.
  expect(server.statuses).toHaveLength(name === 'gitlab' ? 2 : 3);
});

const usedUp = { 'x-ratelimit-remaining': '0' };

test.each([
  [429, { 'retry-after': '7' }, 7],
  [403, { 'retry-after': '60' }, 60],
  [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, 0],
  [403, { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '1' }, undefined],
  [403, { ...usedUp, 'x-ratelimit-reset': '1704067500', date: 'Mon, 01 Jan 2024 00:00:00 GMT' }, 300],
  [500, { 'retry-after': '7' }, undefined],
])('a forge that answers %d with %j wants no request for %s seconds', async (status, headers, waitSeconds) => {
  const { forge, server, head } = await hostedForge('github');
  server.fault = () => ({ status, headers });
  const sent = writeStatus(forge, { commit: head, context: 'x', state: 'success', description: 'x', url: undefined });
  const error = await sent.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(ForgeError);
  expect((error as ForgeError).waitSeconds).toBe(waitSeconds);
});
