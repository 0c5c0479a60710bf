import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import type { Contract, ServedOperation } from '../../src/api/contract.ts';
import { contractOf, contracts, endpointOf, extendedContracts } from '../../src/api/contract.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import { fromDocument, namesOf } from '../../src/api/translate.ts';
import { document } from '../../src/api/vocabulary.ts';
import type { WireRequest } from '../../src/api/wire.ts';

/** A platform with a vocabulary of its own: another path, and other names of members. */
const stacks: Contract = {
  profile: 'stacks',
  operations: new Map<string, ServedOperation>([
    ['compose.one', { path: 'v2/stacks', endpoint: endpointOf('compose.one') }],
    ['compose.update', { path: 'v2/stacks.save', endpoint: endpointOf('compose.update') }],
  ]),
  names: namesOf({
    groups: {},
    operations: {},
    members: { composeId: 'stackId', name: 'title', env: 'variables' },
    values: { sourceType: { raw: 'text' } },
  }),
};

const answer = {
  stackId: 'c1',
  title: 'shop',
  sourceType: 'text',
  domains: [{ host: 'a', stackId: 'c1', certificateType: 'text' }],
  labelsSwarm: { title: 'name', sourceType: 'text' },
};

function platform(contract?: Contract, body: unknown = answer, status = 200) {
  const sent: WireRequest[] = [];
  const client = createClient({
    send: (request) => {
      sent.push(request);
      const headers = { 'content-type': 'application/json' };
      return Promise.resolve({ status, headers, body: JSON.stringify(body) });
    },
    url: 'https://platform.example',
    apiKey: 'key-1',
    redact: (text) => text,
    ...(contract === undefined ? {} : { contract }),
  });
  return { client, sent };
}

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a client of another vocabulary', () => {
  test('sends paths, members and values by their names on the wire', async () => {
    const { client, sent } = platform(stacks);
    await client.call('compose.one', { composeId: 'c1' });
    await client.call('compose.update', { composeId: 'c1', name: 'shop', env: 'name=1', sourceType: 'raw' });
    expect(sent.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/api/v2/stacks?stackId=c1', undefined],
      ['POST', '/api/v2/stacks.save', '{"stackId":"c1","title":"shop","variables":"name=1","sourceType":"text"}'],
    ]);
    expect(client.counts).toEqual({ reads: 1, writes: 1 });
    expect(client.contract.profile).toBe('stacks');
  });

  test('gives answers by the names of Trueup, wherever rows of the platform stand, and users’ own JSON as it is', async () => {
    expect(await platform(stacks).client.call('compose.one', { composeId: 'c1' })).toEqual({
      composeId: 'c1',
      name: 'shop',
      sourceType: 'raw',
      domains: [{ host: 'a', composeId: 'c1', certificateType: 'text' }],
      labelsSwarm: { title: 'name', sourceType: 'text' },
    });
  });

  test('refuses an operation that the platform does not have, and sends nothing', async () => {
    const { client, sent } = platform(stacks);
    await expect(client.call('compose.deploy', { composeId: 'c1' })).rejects.toThrow(
      'the platform has no such operation',
    );
    expect(sent).toEqual([]);
  });

  test('takes inputs by the names of Trueup, and reports what is wrong by the names on the wire', async () => {
    const { client, sent } = platform(stacks);
    const wrong = client.invoke('compose.update', { stackId: 'c1', name: 3, sourceType: 'text' });
    const error = await errorOf(wrong);
    expect(error).toBeInstanceOf(PlatformError);
    expect((error as PlatformError).issues).toEqual([
      { path: 'stackId', message: 'Invalid input: expected string, received undefined' },
      { path: 'title', message: 'Invalid input: expected string, received number' },
      {
        path: 'sourceType',
        message: 'Invalid option: expected one of "git"|"github"|"gitlab"|"bitbucket"|"gitea"|"text"',
      },
      { path: 'stackId', message: 'is not a member' },
    ]);
    expect(sent).toEqual([]);
  });
});

describe('a client of a platform in the words of the API document', () => {
  test('sends and reads its words', async () => {
    const wire = { applicationId: 'a', sourceType: 'hubgit', hubgitId: 'g', hubgit: { hubgitAppId: 1 } };
    const { client, sent } = platform(contracts.standard, wire);
    const input = { applicationId: 'a', githubId: 'g', owner: 'o', repository: 'r', branch: 'b', buildPath: '/' };
    await client.call('application.saveGithubProvider', { ...input, enableSubmodules: false, triggerType: 'push' });
    expect(await client.call('application.one', { applicationId: 'a' })).toEqual({
      applicationId: 'a',
      sourceType: 'github',
      githubId: 'g',
      github: { githubAppId: 1 },
    });
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/application.saveHubgitProvider',
      '/api/application.one?applicationId=a',
    ]);
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({ hubgitId: 'g', owner: 'o' });
  });

  test('reads an answer that is a value and nothing else', async () => {
    const { client } = platform(contracts.standard, 'labgit');
    expect(await client.call('compose.fetchSourceType', { composeId: 'c' })).toBe('gitlab');
    expect(await client.call('compose.getDefaultCommand', { composeId: 'c' })).toBe('labgit');
  });

  test('names the operation by its path and quotes the platform’s own words in an error', async () => {
    const issues = [{ code: 'custom', path: ['hubgitId'], message: 'no such hubgit' }];
    const { client } = platform(
      contracts.standard,
      { message: 'Hubgit Provider not found', code: 'BAD_REQUEST', issues },
      400,
    );
    const error = (await errorOf(client.invoke('github.one', { githubId: 'g' }))) as PlatformError;
    expect(error.message).toContain('hubgit.one at https://platform.example');
    expect(error.message).not.toMatch(/github/);
    expect(error.serverMessage).toBe('Hubgit Provider not found');
    expect(error.issues).toEqual([{ path: 'hubgitId', message: 'no such hubgit' }]);
    expect(error.operation).toBe('github.one');
  });

  test('refuses an operation that the platform does not serve', async () => {
    const { client, sent } = platform(contractOf('standard', ['github.one']));
    await client.call('github.one', { githubId: 'g' });
    await expect(client.call('gitlab.one', { gitlabId: 'g' })).rejects.toThrow('labgit.one');
    expect(sent.map(({ path }) => path)).toEqual(['/api/hubgit.one?hubgitId=g']);
  });

  test('has the same operations as the same platform in the words of Dokploy', () => {
    for (const served of [contracts, extendedContracts])
      expect([...served.dokploy.operations.keys()]).toEqual([...served.standard.operations.keys()]);
  });
});

describe('the vocabulary of Dokploy', () => {
  test('is the default of a client', async () => {
    const { client, sent } = platform();
    await client.call('compose.one', { composeId: 'c1' });
    expect(client.contract.operations).toBe(contracts.dokploy.operations);
    expect(sent[0]?.path).toBe('/api/compose.one?composeId=c1');
  });

  test('has one name for each operation and member', () => {
    expect(contracts.dokploy.operations.size).toBe(192);
    expect(contracts.dokploy.names).toBeUndefined();
    for (const [name, { path }] of contracts.dokploy.operations) expect(path).toBe(name);
  });
});

describe('translating', () => {
  const { data } = namesOf(document);

  test('gives the same object where nothing changes, and changes none', () => {
    const same = { name: 'github', list: [{ env: 'gitlabId=1' }, null, 1] };
    expect(data(same)).toBe(same);
    const other = { list: [{ a: 1 }, { githubId: 'g' }] };
    const before = structuredClone(other);
    expect(data(other)).toEqual({ list: [{ a: 1 }, { hubgitId: 'g' }] });
    expect(other).toEqual(before);
  });

  test.each<[string, (below: unknown) => unknown]>([
    ['lists', (below) => [below]],
    ['rows', (below) => ({ domain: below })],
  ])('translates what stands beside %s of any depth, and leaves those as they are', (_, within) => {
    let deep: unknown = 'raw';
    for (let depth = 0; depth < 100_000; depth++) deep = within(deep);
    for (const translate of [data, fromDocument]) {
      expect(translate(deep) === deep).toBe(true);
      const found = translate([{ hubgitId: 'h1', domain: deep }]) as { githubId: string; domain: unknown }[];
      expect(found.map(({ domain, ...row }) => [row, domain === deep])).toEqual([[{ githubId: 'h1' }, true]]);
    }
  });

  test('keeps the order of members, and a member of any name', () => {
    const row = JSON.parse('{"b":1,"__proto__":{"githubId":"g"},"githubId":"h","2":3}') as object;
    const now = data(row) as object;
    expect(JSON.stringify(now)).toBe('{"2":3,"b":1,"__proto__":{"hubgitId":"g"},"hubgitId":"h"}');
    expect(Object.getPrototypeOf(now)).toBe(Object.prototype);
  });
});
