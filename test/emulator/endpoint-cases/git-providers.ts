import { expect } from 'vitest';
import { columnsOf, names, row, rows, type EndpointCase } from './endpoint-case.ts';

const record = {
  gitProviderId: expect.any(String) as string,
  name: expect.any(String) as string,
  createdAt: expect.any(String) as string,
  organizationId: 'org_1',
  userId: 'user_1',
  sharedWithOrganization: false,
};
const recordOf = (providerType: string, name: string) => ({ ...record, providerType, name });
const notStored = ['name', 'authId', 'organizationId', 'selfgitUsername', 'organizationName'];
const main = '5d41402abc4b2a76b9719d911017c592ae1f3c07';

/** The 8 endpoints of the `selfgit` group. */
const selfgit: Readonly<Record<string, EndpointCase>> = {
  'selfgit.create': {
    input: {
      selfgitId: 'chosen',
      selfgitUrl: 'https://forge.example.test',
      clientId: 'client',
      clientSecret: 'forge-secret',
      name: 'forge',
    },
    has: ['selfgitId', 'clientId', 'selfgitUrl'],
    async check({ answer, call }) {
      expect(answer).toEqual({ selfgitId: 'chosen', clientId: 'client', selfgitUrl: 'https://forge.example.test' });
      const providers = await call('selfgit.selfgitProviders');
      expect(providers).toContainEqual({ selfgitId: 'chosen', gitProvider: recordOf('selfgit', 'forge') });
    },
  },
  'selfgit.one': {
    input: { selfgitId: 'sfg_1' },
    has: [...columnsOf(['selfgit.create', 'selfgit.update'], notStored), 'gitProvider'],
    check: ({ answer }) =>
      expect(answer).toMatchObject({ clientSecret: 'selfgit-secret', gitProvider: recordOf('selfgit', 'selfgit-1') }),
  },
  'selfgit.selfgitProviders': {
    has: ['selfgitId', 'gitProvider'],
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ selfgitId: 'sfg_1', gitProvider: record }, { selfgitId: 'sfg_2' }]);
      // Without client id and secret it is in no list.
      await call('selfgit.create', { selfgitUrl: 'https://bare.example.test', name: 'bare' });
      expect(await call('selfgit.selfgitProviders')).toHaveLength(2);
    },
  },
  'selfgit.getSelfgitRepositories': {
    input: { selfgitId: 'sfg_1' },
    has: ['id', 'name', 'url', 'owner'],
    check: ({ answer }) => expect(answer).toMatchObject([{ name: 'shop', owner: { username: 'acme' } }, {}]),
  },
  'selfgit.getSelfgitBranches': {
    input: { selfgitId: 'sfg_1', owner: 'acme', repositoryName: 'shop' },
    has: ['id', 'name', 'commit'],
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ name: 'main', commit: { id: main } }, { name: 'release/2.0_rc#1' }]);
      const withoutId = call('selfgit.getSelfgitBranches', { owner: 'acme', repositoryName: 'shop' });
      await expect(withoutId).rejects.toMatchObject({ status: 400 });
    },
  },
  'selfgit.testConnection': {
    input: { selfgitId: 'sfg_1' },
    check: ({ answer }) => expect(answer).toBe('Found 2 repositories'),
  },
  'selfgit.update': {
    input: {
      selfgitId: 'sfg_1',
      selfgitUrl: 'https://new.example.test',
      gitProviderId: 'git_sfg_1',
      name: 'renamed',
      scopes: 'repo',
    },
    has: ['success'],
    async check({ answer, call }) {
      expect(answer).toEqual({ success: true });
      const now = { selfgitUrl: 'https://new.example.test', scopes: 'repo', gitProvider: { name: 'renamed' } };
      expect(await call('selfgit.one', { selfgitId: 'sfg_1' })).toMatchObject(now);
    },
  },
  'selfgit.getSelfgitUrl': {
    input: { selfgitId: 'sfg_1' },
    check: ({ answer }) => expect(answer).toBe('https://selfgit-1.example.test'),
  },
};

/** The 6 endpoints of the `hubgit` group. */
const hubgit: Readonly<Record<string, EndpointCase>> = {
  'hubgit.one': {
    input: { hubgitId: 'hub_1' },
    has: [
      ...names(
        'hubgitId hubgitAppName hubgitAppId hubgitClientId hubgitClientSecret hubgitInstallationId hubgitPrivateKey hubgitWebhookSecret gitProviderId gitProvider',
      ),
    ],
    check: ({ answer }) =>
      expect(answer).toMatchObject({
        hubgitPrivateKey: 'hubgit-private-key',
        gitProvider: recordOf('hubgit', 'hubgit-1'),
      }),
  },
  'hubgit.getHubgitRepositories': {
    input: { hubgitId: 'hub_1' },
    check: ({ answer }) => expect(answer).toMatchObject([{ name: 'shop', owner: { login: 'acme' } }, {}]),
  },
  'hubgit.getHubgitBranches': {
    input: { hubgitId: 'hub_1', owner: 'acme', repo: 'shop' },
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ name: 'main', commit: { sha: main } }, {}]);
      expect(await call('hubgit.getHubgitBranches', { owner: 'acme', repo: 'shop' })).toEqual([]);
    },
  },
  'hubgit.hubgitProviders': {
    has: ['hubgitId', 'hubgitUrl', 'gitProvider'],
    check: ({ answer }) => expect(answer).toMatchObject([{ hubgitId: 'hub_1', gitProvider: record }, {}]),
  },
  'hubgit.testConnection': {
    input: { hubgitId: 'hub_1' },
    check: ({ answer }) => expect(answer).toBe('Found 2 repositories'),
  },
  'hubgit.update': {
    input: {
      hubgitId: 'hub_1',
      name: 'renamed',
      gitProviderId: 'git_hub_1',
      hubgitAppName: 'https://hub.example.test/apps/new',
    },
    async check({ call }) {
      const now = { hubgitAppName: 'https://hub.example.test/apps/new', gitProvider: { name: 'renamed' } };
      expect(await call('hubgit.one', { hubgitId: 'hub_1' })).toMatchObject(now);
      const unknown = { hubgitId: 'unknown', name: 'x', gitProviderId: 'unknown', hubgitAppName: 'x' };
      expect(await call('hubgit.update', unknown)).toBeUndefined();
    },
  },
};

/** The 7 endpoints of the `labgit` group. */
const labgit: Readonly<Record<string, EndpointCase>> = {
  // No id is answered, and no list of the document shows it until a person has connected it.
  'labgit.create': {
    input: { authId: 'user_1', name: 'lab', labgitUrl: 'https://lab.example.test', applicationId: 'oauth' },
    async check({ call, act }) {
      expect(await call('labgit.labgitProviders')).toHaveLength(2);
      const made = rows(await act('gitProvider.getAll')).find(({ name }) => name === 'lab');
      const { labgitId } = row(made?.['labgit']);
      const one = { labgitUrl: 'https://lab.example.test', applicationId: 'oauth', accessToken: null };
      expect(await call('labgit.one', { labgitId })).toMatchObject({ ...one, gitProvider: recordOf('labgit', 'lab') });
    },
  },
  'labgit.one': {
    input: { labgitId: 'lab_1' },
    has: [
      ...columnsOf(['labgit.create', 'labgit.update'], notStored),
      ...names('accessToken refreshToken expiresAt gitProvider'),
    ],
    check: ({ answer }) =>
      expect(answer).toMatchObject({ secret: 'labgit-secret', gitProvider: recordOf('labgit', 'labgit-1') }),
  },
  'labgit.labgitProviders': {
    has: ['labgitId', 'labgitUrl', 'gitProvider'],
    check: ({ answer }) => expect(answer).toMatchObject([{ labgitId: 'lab_1', gitProvider: record }, {}]),
  },
  'labgit.getLabgitRepositories': {
    input: { labgitId: 'lab_1' },
    has: ['id', 'name', 'url', 'owner'],
    check: ({ answer }) => expect(answer).toMatchObject([{ id: 1, name: 'shop', owner: { username: 'acme' } }, {}]),
  },
  'labgit.getLabgitBranches': {
    input: { id: 1, labgitId: 'lab_1', owner: 'acme', repo: 'shop' },
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ name: 'main' }, { name: 'release/2.0_rc#1' }]);
      expect(await call('labgit.getLabgitBranches', { owner: 'acme', repo: 'shop' })).toEqual([]);
    },
  },
  'labgit.testConnection': {
    input: { labgitId: 'lab_1', groupName: 'acme-labs' },
    check: ({ answer }) => expect(answer).toBe('Found 1 repositories'),
  },
  'labgit.update': {
    input: {
      labgitId: 'lab_1',
      labgitUrl: 'https://new.example.test',
      gitProviderId: 'git_lab_1',
      name: 'renamed',
      groupName: 'acme',
    },
    async check({ call }) {
      const now = { labgitUrl: 'https://new.example.test', groupName: 'acme', gitProvider: { name: 'renamed' } };
      expect(await call('labgit.one', { labgitId: 'lab_1' })).toMatchObject(now);
    },
  },
};

/** The 7 endpoints of the `bucketgit` group. */
const bucketgit: Readonly<Record<string, EndpointCase>> = {
  'bucketgit.create': {
    input: { bucketgitId: 'chosen', authId: 'user_1', name: 'bucket', bucketgitUsername: 'shop', apiToken: 'token-1' },
    async check({ call }) {
      const made = { bucketgitId: 'chosen', gitProvider: recordOf('bucketgit', 'bucket') };
      expect(await call('bucketgit.bucketgitProviders')).toContainEqual(made);
      const one = { bucketgitUsername: 'shop', apiToken: 'token-1' };
      expect(await call('bucketgit.one', { bucketgitId: 'chosen' })).toMatchObject(one);
    },
  },
  'bucketgit.one': {
    input: { bucketgitId: 'bkt_1' },
    has: [...columnsOf(['bucketgit.create', 'bucketgit.update'], notStored), 'gitProvider'],
    check: ({ answer }) =>
      expect(answer).toMatchObject({ apiToken: 'bucketgit-token', gitProvider: recordOf('bucketgit', 'bucketgit-1') }),
  },
  'bucketgit.bucketgitProviders': {
    has: ['bucketgitId', 'gitProvider'],
    check: ({ answer }) => expect(answer).toMatchObject([{ bucketgitId: 'bkt_1', gitProvider: record }, {}]),
  },
  'bucketgit.getBucketgitRepositories': {
    input: { bucketgitId: 'bkt_1' },
    has: ['name', 'url', 'slug', 'owner'],
    check: ({ answer }) => expect(answer).toMatchObject([{ slug: 'shop', owner: { username: 'acme' } }, {}]),
  },
  'bucketgit.getBucketgitBranches': {
    input: { bucketgitId: 'bkt_1', owner: 'acme', repo: 'shop' },
    has: ['name', 'commit'],
    check: ({ answer }) => expect(answer).toMatchObject([{ name: 'main', commit: { sha: main } }, {}]),
  },
  'bucketgit.testConnection': {
    input: { bucketgitId: 'bkt_1', workspaceName: 'acme' },
    check: ({ answer }) => expect(answer).toBe('Found 2 repositories'),
  },
  'bucketgit.update': {
    input: { bucketgitId: 'bkt_1', gitProviderId: 'git_bkt_1', name: 'renamed', bucketgitWorkspaceName: 'acme' },
    has: columnsOf(['bucketgit.create', 'bucketgit.update'], notStored),
    async check({ answer, call }) {
      expect(answer).toMatchObject({ bucketgitWorkspaceName: 'acme', apiToken: 'bucketgit-token' });
      expect(row(answer)).not.toHaveProperty('gitProvider');
      const now = { bucketgitWorkspaceName: 'acme', gitProvider: { name: 'renamed' } };
      expect(await call('bucketgit.one', { bucketgitId: 'bkt_1' })).toMatchObject(now);
    },
  },
};

/** The 28 endpoints of the four kinds of git providers. */
export const gitProviders: Readonly<Record<string, EndpointCase>> = { ...selfgit, ...hubgit, ...labgit, ...bucketgit };
