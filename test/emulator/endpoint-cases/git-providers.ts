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
const notStored = ['name', 'authId', 'organizationId', 'giteaUsername', 'organizationName'];
const main = '5d41402abc4b2a76b9719d911017c592ae1f3c07';

/** The 8 endpoints of the `gitea` group. */
const gitea: Readonly<Record<string, EndpointCase>> = {
  'gitea.create': {
    input: {
      giteaId: 'chosen',
      giteaUrl: 'https://forge.example.test',
      clientId: 'client',
      clientSecret: 'forge-secret',
      name: 'forge',
    },
    has: ['giteaId', 'clientId', 'giteaUrl'],
    async check({ answer, call }) {
      expect(answer).toEqual({ giteaId: 'chosen', clientId: 'client', giteaUrl: 'https://forge.example.test' });
      const providers = await call('gitea.giteaProviders');
      expect(providers).toContainEqual({ giteaId: 'chosen', gitProvider: recordOf('gitea', 'forge') });
    },
  },
  'gitea.one': {
    input: { giteaId: 'sfg_1' },
    has: [...columnsOf(['gitea.create', 'gitea.update'], notStored), 'gitProvider'],
    check: ({ answer }) =>
      expect(answer).toMatchObject({ clientSecret: 'gitea-secret', gitProvider: recordOf('gitea', 'gitea-1') }),
  },
  'gitea.giteaProviders': {
    has: ['giteaId', 'gitProvider'],
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ giteaId: 'sfg_1', gitProvider: record }, { giteaId: 'sfg_2' }]);
      // Without client id and secret it is in no list.
      await call('gitea.create', { giteaUrl: 'https://bare.example.test', name: 'bare' });
      expect(await call('gitea.giteaProviders')).toHaveLength(2);
    },
  },
  'gitea.getGiteaRepositories': {
    input: { giteaId: 'sfg_1' },
    has: ['id', 'name', 'url', 'owner'],
    check: ({ answer }) => expect(answer).toMatchObject([{ name: 'shop', owner: { username: 'acme' } }, {}]),
  },
  'gitea.getGiteaBranches': {
    input: { giteaId: 'sfg_1', owner: 'acme', repositoryName: 'shop' },
    has: ['id', 'name', 'commit'],
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ name: 'main', commit: { id: main } }, { name: 'release/2.0_rc#1' }]);
      const withoutId = call('gitea.getGiteaBranches', { owner: 'acme', repositoryName: 'shop' });
      await expect(withoutId).rejects.toMatchObject({ status: 400 });
    },
  },
  'gitea.testConnection': {
    input: { giteaId: 'sfg_1' },
    check: ({ answer }) => expect(answer).toBe('Found 2 repositories'),
  },
  'gitea.update': {
    input: {
      giteaId: 'sfg_1',
      giteaUrl: 'https://new.example.test',
      gitProviderId: 'git_sfg_1',
      name: 'renamed',
      scopes: 'repo',
    },
    has: ['success'],
    async check({ answer, call }) {
      expect(answer).toEqual({ success: true });
      const now = { giteaUrl: 'https://new.example.test', scopes: 'repo', gitProvider: { name: 'renamed' } };
      expect(await call('gitea.one', { giteaId: 'sfg_1' })).toMatchObject(now);
    },
  },
  'gitea.getGiteaUrl': {
    input: { giteaId: 'sfg_1' },
    check: ({ answer }) => expect(answer).toBe('https://gitea-1.example.test'),
  },
};

/** The 6 endpoints of the `github` group. */
const github: Readonly<Record<string, EndpointCase>> = {
  'github.one': {
    input: { githubId: 'hub_1' },
    has: [
      ...names(
        'githubId githubAppName githubAppId githubClientId githubClientSecret githubInstallationId githubPrivateKey githubWebhookSecret gitProviderId gitProvider',
      ),
    ],
    check: ({ answer }) =>
      expect(answer).toMatchObject({
        githubPrivateKey: 'github-private-key',
        gitProvider: recordOf('github', 'github-1'),
      }),
  },
  'github.getGithubRepositories': {
    input: { githubId: 'hub_1' },
    check: ({ answer }) => expect(answer).toMatchObject([{ name: 'shop', owner: { login: 'acme' } }, {}]),
  },
  'github.getGithubBranches': {
    input: { githubId: 'hub_1', owner: 'acme', repo: 'shop' },
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ name: 'main', commit: { sha: main } }, {}]);
      expect(await call('github.getGithubBranches', { owner: 'acme', repo: 'shop' })).toEqual([]);
    },
  },
  'github.githubProviders': {
    has: ['githubId', 'githubUrl', 'gitProvider'],
    check: ({ answer }) => expect(answer).toMatchObject([{ githubId: 'hub_1', gitProvider: record }, {}]),
  },
  'github.testConnection': {
    input: { githubId: 'hub_1' },
    check: ({ answer }) => expect(answer).toBe('Found 2 repositories'),
  },
  'github.update': {
    input: {
      githubId: 'hub_1',
      name: 'renamed',
      gitProviderId: 'git_hub_1',
      githubAppName: 'https://hub.example.test/apps/new',
    },
    async check({ call }) {
      const now = { githubAppName: 'https://hub.example.test/apps/new', gitProvider: { name: 'renamed' } };
      expect(await call('github.one', { githubId: 'hub_1' })).toMatchObject(now);
      const unknown = { githubId: 'unknown', name: 'x', gitProviderId: 'unknown', githubAppName: 'x' };
      expect(await call('github.update', unknown)).toBeUndefined();
    },
  },
};

/** The 7 endpoints of the `gitlab` group. */
const gitlab: Readonly<Record<string, EndpointCase>> = {
  // No id is answered, and no list of the document shows it until a person has connected it.
  'gitlab.create': {
    input: { authId: 'user_1', name: 'lab', gitlabUrl: 'https://lab.example.test', applicationId: 'oauth' },
    async check({ call, act }) {
      expect(await call('gitlab.gitlabProviders')).toHaveLength(2);
      const made = rows(await act('gitProvider.getAll')).find(({ name }) => name === 'lab');
      const { gitlabId } = row(made?.['gitlab']);
      const one = { gitlabUrl: 'https://lab.example.test', applicationId: 'oauth', accessToken: null };
      expect(await call('gitlab.one', { gitlabId })).toMatchObject({ ...one, gitProvider: recordOf('gitlab', 'lab') });
    },
  },
  'gitlab.one': {
    input: { gitlabId: 'lab_1' },
    has: [
      ...columnsOf(['gitlab.create', 'gitlab.update'], notStored),
      ...names('accessToken refreshToken expiresAt gitProvider'),
    ],
    check: ({ answer }) =>
      expect(answer).toMatchObject({ secret: 'gitlab-secret', gitProvider: recordOf('gitlab', 'gitlab-1') }),
  },
  'gitlab.gitlabProviders': {
    has: ['gitlabId', 'gitlabUrl', 'gitProvider'],
    check: ({ answer }) => expect(answer).toMatchObject([{ gitlabId: 'lab_1', gitProvider: record }, {}]),
  },
  'gitlab.getGitlabRepositories': {
    input: { gitlabId: 'lab_1' },
    has: ['id', 'name', 'url', 'owner'],
    check: ({ answer }) => expect(answer).toMatchObject([{ id: 1, name: 'shop', owner: { username: 'acme' } }, {}]),
  },
  'gitlab.getGitlabBranches': {
    input: { id: 1, gitlabId: 'lab_1', owner: 'acme', repo: 'shop' },
    async check({ answer, call }) {
      expect(answer).toMatchObject([{ name: 'main' }, { name: 'release/2.0_rc#1' }]);
      expect(await call('gitlab.getGitlabBranches', { owner: 'acme', repo: 'shop' })).toEqual([]);
    },
  },
  'gitlab.testConnection': {
    input: { gitlabId: 'lab_1', groupName: 'acme-labs' },
    check: ({ answer }) => expect(answer).toBe('Found 1 repositories'),
  },
  'gitlab.update': {
    input: {
      gitlabId: 'lab_1',
      gitlabUrl: 'https://new.example.test',
      gitProviderId: 'git_lab_1',
      name: 'renamed',
      groupName: 'acme',
    },
    async check({ call }) {
      const now = { gitlabUrl: 'https://new.example.test', groupName: 'acme', gitProvider: { name: 'renamed' } };
      expect(await call('gitlab.one', { gitlabId: 'lab_1' })).toMatchObject(now);
    },
  },
};

/** The 7 endpoints of the `bitbucket` group. */
const bitbucket: Readonly<Record<string, EndpointCase>> = {
  'bitbucket.create': {
    input: { bitbucketId: 'chosen', authId: 'user_1', name: 'bucket', bitbucketUsername: 'shop', apiToken: 'token-1' },
    async check({ call }) {
      const made = { bitbucketId: 'chosen', gitProvider: recordOf('bitbucket', 'bucket') };
      expect(await call('bitbucket.bitbucketProviders')).toContainEqual(made);
      const one = { bitbucketUsername: 'shop', apiToken: 'token-1' };
      expect(await call('bitbucket.one', { bitbucketId: 'chosen' })).toMatchObject(one);
    },
  },
  'bitbucket.one': {
    input: { bitbucketId: 'bkt_1' },
    has: [...columnsOf(['bitbucket.create', 'bitbucket.update'], notStored), 'gitProvider'],
    check: ({ answer }) =>
      expect(answer).toMatchObject({ apiToken: 'bitbucket-token', gitProvider: recordOf('bitbucket', 'bitbucket-1') }),
  },
  'bitbucket.bitbucketProviders': {
    has: ['bitbucketId', 'gitProvider'],
    check: ({ answer }) => expect(answer).toMatchObject([{ bitbucketId: 'bkt_1', gitProvider: record }, {}]),
  },
  'bitbucket.getBitbucketRepositories': {
    input: { bitbucketId: 'bkt_1' },
    has: ['name', 'url', 'slug', 'owner'],
    check: ({ answer }) => expect(answer).toMatchObject([{ slug: 'shop', owner: { username: 'acme' } }, {}]),
  },
  'bitbucket.getBitbucketBranches': {
    input: { bitbucketId: 'bkt_1', owner: 'acme', repo: 'shop' },
    has: ['name', 'commit'],
    check: ({ answer }) => expect(answer).toMatchObject([{ name: 'main', commit: { sha: main } }, {}]),
  },
  'bitbucket.testConnection': {
    input: { bitbucketId: 'bkt_1', workspaceName: 'acme' },
    check: ({ answer }) => expect(answer).toBe('Found 2 repositories'),
  },
  'bitbucket.update': {
    input: { bitbucketId: 'bkt_1', gitProviderId: 'git_bkt_1', name: 'renamed', bitbucketWorkspaceName: 'acme' },
    has: columnsOf(['bitbucket.create', 'bitbucket.update'], notStored),
    async check({ answer, call }) {
      expect(answer).toMatchObject({ bitbucketWorkspaceName: 'acme', apiToken: 'bitbucket-token' });
      expect(row(answer)).not.toHaveProperty('gitProvider');
      const now = { bitbucketWorkspaceName: 'acme', gitProvider: { name: 'renamed' } };
      expect(await call('bitbucket.one', { bitbucketId: 'bkt_1' })).toMatchObject(now);
    },
  },
};

/** The 28 endpoints of the four kinds of git providers. */
export const gitProviders: Readonly<Record<string, EndpointCase>> = { ...gitea, ...github, ...gitlab, ...bitbucket };
