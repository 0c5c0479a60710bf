import { expect, test } from 'vitest';
import { changedFiles, closePull, editPull, listOpenPulls, openPull, readPull } from '../../src/forge/pulls.ts';
import { commitAll } from '../support/hosted-repository.ts';
import { hostedForge, write } from '../support/hosted-forge.ts';

const names = ['github', 'gitlab', 'gitea'] as const;

test.each(names)('pull requests of %s say where their commits come from, on any page', async (name) => {
  const { forge, server, repository, head } = await hostedForge(name);
  write(repository, { 'b.yaml': 'b: 1\n' });
  const change = commitAll(repository, 'A change', 'change');
  for (let count = 0; count < 4; count++) server.propose({ branch: 'change' });
  server.propose({ branch: 'main', fork: head });
  server.propose({ branch: 'refs/for/main', ...(name === 'gitlab' ? { fork: head } : {}), fork: head });
  const open = await listOpenPulls(forge);
  expect(open.map(({ number, isFork }) => [number, isFork])).toEqual([
    [1, false],
    [2, false],
    [3, false],
    [4, false],
    [5, true],
    [6, true],
  ]);
  expect(open[0]).toEqual({ number: 1, isFork: false, head: change, branch: 'change', base: 'main' });
});

test.each(names)('a pull request of %s names the files that it changes, is edited, and is closed', async (name) => {
  const { forge, server, repository } = await hostedForge(name);
  write(repository, Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`infra/${at}.yaml`, `b: ${at}\n`])));
  commitAll(repository, 'A change', 'change');
  const number = await openPull(forge, { branch: 'change', base: 'main', title: 'A change', body: 'Because.' });
  expect([...(await changedFiles(forge, number))]).toEqual([1, 2, 3, 4, 5].map((at) => `infra/${at}.yaml`));
  await expect(openPull(forge, { branch: 'change', base: 'main', title: 'x', body: '' })).rejects.toMatchObject({
    status: name === 'github' ? 422 : 409,
  });
  await editPull(forge, number, { title: 'Another', body: 'Other.' });
  expect(server.requests.get(number)).toMatchObject({ title: 'Another', body: 'Other.', isOpen: true });
  await closePull(forge, number);
  expect([server.requests.get(number)?.isOpen, await listOpenPulls(forge)]).toEqual([false, []]);
});

test.each([
  ['gitlab', 'opened', true],
  ['gitlab', 'locked', true],
  ['gitlab', 'merged', false],
  ['gitlab', 'closed', false],
  ['github', 'open', true],
  ['github', 'closed', false],
] as const)('a pull request that %s has as %s is open: %s', async (name, state, isOpen) => {
  const { forge, server, head } = await hostedForge(name);
  server.fault = () => ({ status: 200, json: { state, sha: head, head: { sha: head } } });
  expect(await readPull(forge, 1)).toEqual({ isOpen, head });
});
