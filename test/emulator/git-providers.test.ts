import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { callerOf, inputs, type Answer } from './caller.ts';

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
beforeEach(() => {
  emulator = createEmulator();
  call = callerOf(emulator.send);
});

const inputOf = {
  gitea: { name: 'own', giteaUrl: 'https://s.test' },
  gitlab: { name: 'own', gitlabUrl: 'https://l.test', authId: 'x' },
  bitbucket: { name: 'own', authId: 'x' },
};

const list = async (operation: string) => (await call(operation)).body as unknown as Answer[];
const idsIn = async (operation: string, member: string) => (await list(operation)).map((row) => row[member]);
const all = async () => (await emulator.act('gitProvider.getAll')) as Answer[];

/** The gitlab that was just made: its create answers nothing, so only the platform's own page shows it. */
async function newGitlab(input: Record<string, unknown> = {}): Promise<string> {
  await call('gitlab.create', { ...inputOf.gitlab, ...input });
  const newest = (await all())[0]?.['gitlab'] as Answer | undefined;
  return String(newest?.['gitlabId']);
}

describe('making a provider', () => {
  test('answers an id for a gitea only', async () => {
    const answer = await call('gitea.create', { ...inputOf.gitea, clientId: 'c' });
    expect(answer).toEqual({
      status: 200,
      body: { giteaId: expect.any(String) as string, clientId: 'c', giteaUrl: 'https://s.test' },
    });
    for (const kind of ['gitlab', 'bitbucket'] as const)
      expect(await call(`${kind}.create`, inputOf[kind])).toEqual({ status: 200, body: undefined });
  });

  test('keeps the name in the record beside it, in the organization and under the user of the key', async () => {
    await call('bitbucket.create', { ...inputOf.bitbucket, bitbucketId: 'chosen' });
    const { body } = await call('bitbucket.one', { bitbucketId: 'chosen' });
    expect(body).not.toHaveProperty('name');
    expect(body['gitProvider']).toMatchObject({
      gitProviderId: body['gitProviderId'],
      name: 'own',
      providerType: 'bitbucket',
      organizationId: 'org_1',
      userId: 'user_1',
    });
  });

  test('drops members that are no columns, and the record that was named', async () => {
    const { giteaId } = (
      await call('gitea.create', {
        ...inputOf.gitea,
        gitProviderId: 'git_sfg_1',
        giteaUsername: 'u',
        organizationName: 'o',
      })
    ).body;
    const gitea = (await call('gitea.one', { giteaId })).body;
    expect(gitea['gitProviderId']).not.toBe('git_sfg_1');
    for (const member of ['giteaUsername', 'organizationName']) expect(gitea).not.toHaveProperty(member);

    const gitlab = (await call('gitlab.one', { gitlabId: await newGitlab({ gitProviderId: 'git_lab_1' }) })).body;
    expect(gitlab['gitProviderId']).not.toBe('git_lab_1');
    expect(gitlab).not.toHaveProperty('authId');
  });

  test('takes a chosen id of a gitea and a bitbucket once, and leaves nothing behind the second time', async () => {
    for (const kind of ['gitea', 'bitbucket'] as const) {
      const input = { ...inputOf[kind], [`${kind}Id`]: 'mine' };
      expect((await call(`${kind}.create`, input)).status).toBe(200);
      const before = (await all()).length;
      expect((await call(`${kind}.create`, { ...input, name: 'other' })).status).toBe(400);
      expect((await all()).length).toBe(before);
      expect((await call(`${kind}.one`, { [`${kind}Id`]: 'mine' })).body['gitProvider']).toMatchObject({ name: 'own' });
    }
  });

  test('of a gitlab takes no chosen id', async () => {
    await call('gitlab.create', { ...inputOf.gitlab, gitlabId: 'mine' });
    expect((await call('gitlab.one', { gitlabId: 'mine' })).status).toBe(404);
  });

  test('gives a gitea the scopes that were left out', async () => {
    const { giteaId } = (await call('gitea.create', inputOf.gitea)).body;
    const { body } = await call('gitea.one', { giteaId });
    expect(body).toMatchObject({ scopes: 'repo,repo:status,read:user,read:org', giteaInternalUrl: null });
  });
});

describe('a list of providers', () => {
  test('has a gitlab once a person has connected it, and not before', async () => {
    const gitlabId = await newGitlab();
    expect(await idsIn('gitlab.gitlabProviders', 'gitlabId')).toEqual(['lab_1', 'lab_2']);
    await emulator.act('gitlab.connect', { gitlabId });
    const listed = await list('gitlab.gitlabProviders');
    expect(listed.at(-1)).toEqual({
      gitlabId,
      gitlabUrl: 'https://l.test',
      gitProvider: expect.objectContaining({ name: 'own' }) as unknown,
    });
  });

  test('has a gitea with client id and secret', async () => {
    const { giteaId } = (await call('gitea.create', { ...inputOf.gitea, clientId: 'c' })).body;
    expect(await idsIn('gitea.giteaProviders', 'giteaId')).not.toContain(giteaId);
    const { gitProviderId } = (await call('gitea.one', { giteaId })).body;
    await call('gitea.update', { ...inputOf.gitea, giteaId, gitProviderId, clientSecret: 's' });
    expect((await list('gitea.giteaProviders')).at(-1)).toEqual({
      giteaId,
      gitProvider: expect.objectContaining({ gitProviderId }) as unknown,
    });
  });

  test('has a github with app id, private key and installation id', async () => {
    const world = seedWorld();
    for (const column of ['githubAppId', 'githubPrivateKey', 'githubInstallationId'])
      addRow(world, 'github', { ...world.tables.github['hub_1'], githubId: `without ${column}`, [column]: null });
    addRow(world, 'github', { ...world.tables.github['hub_1'], githubId: 'without url', githubUrl: null });
    call = callerOf(createEmulator({ world }).send);
    const ids = await idsIn('github.githubProviders', 'githubId');
    expect(new Set(ids)).toEqual(new Set(['hub_1', 'hub_2', 'without url']));
  });

  test('has every bitbucket', async () => {
    await call('bitbucket.create', { ...inputOf.bitbucket, bitbucketId: 'bare' });
    expect(await idsIn('bitbucket.bitbucketProviders', 'bitbucketId')).toEqual(['bkt_1', 'bkt_2', 'bare']);
  });

  test('has none of another organization', async () => {
    const world = seedWorld();
    addRow(world, 'organization', { id: 'org_2', name: 'Other', ownerId: 'user_1' });
    for (const record of Object.values(world.tables.gitProvider)) record['organizationId'] = 'org_2';
    call = callerOf(createEmulator({ world }).send);
    for (const kind of ['gitea', 'github', 'gitlab', 'bitbucket'])
      expect(await list(`${kind}.${kind}Providers`)).toEqual([]);
  });

  test('has for a member his own and the shared ones', async () => {
    const world = seedWorld();
    addRow(world, 'user', { id: 'user_2', email: 'other@example.test' });
    Object.assign(world.tables.member['member_1'] ?? {}, { role: 'member' });
    for (const id of ['git_lab_1', 'git_lab_2'])
      Object.assign(world.tables.gitProvider[id] ?? {}, { userId: 'user_2' });
    Object.assign(world.tables.gitProvider['git_lab_2'] ?? {}, { sharedWithOrganization: true });
    call = callerOf(createEmulator({ world }).send);
    expect(await idsIn('gitlab.gitlabProviders', 'gitlabId')).toEqual(['lab_2']);
    expect(await idsIn('github.githubProviders', 'githubId')).toEqual(['hub_1', 'hub_2']);
  });

  test('shows no secret; `one` shows them all in clear', async () => {
    for (const [kind, id, secrets] of [
      ['gitea', 'sfg_1', ['gitea-secret', 'gitea-token']],
      ['github', 'hub_1', ['github-client-secret', 'github-private-key', 'github-webhook-secret']],
      ['gitlab', 'lab_1', ['gitlab-secret', 'gitlab-token', 'gitlab-refresh']],
      ['bitbucket', 'bkt_1', ['bitbucket-token']],
    ] as const) {
      const listed = JSON.stringify(await list(`${kind}.${kind}Providers`));
      const one = JSON.stringify((await call(`${kind}.one`, { [`${kind}Id`]: id })).body);
      for (const secret of secrets) expect([listed, one].map((text) => text.includes(secret))).toEqual([false, true]);
    }
  });
});

describe('updating a provider', () => {
  test('renames the record and keeps members that are left out', async () => {
    const answer = await call('gitlab.update', {
      gitlabId: 'lab_1',
      gitProviderId: 'git_lab_1',
      name: 'renamed',
      gitlabUrl: 'https://new.test',
    });
    expect(answer).toEqual({ status: 200, body: undefined });
    const { body } = await call('gitlab.one', { gitlabId: 'lab_1' });
    expect(body).toMatchObject({
      gitlabUrl: 'https://new.test',
      secret: 'gitlab-secret',
      gitProvider: { name: 'renamed' },
    });
  });

  test('of a github writes its app name and answers nothing', async () => {
    const input = { githubId: 'hub_1', gitProviderId: 'git_hub_1', name: 'renamed', githubAppName: 'app' };
    expect(await call('github.update', input)).toEqual({ status: 200, body: undefined });
    const { body } = await call('github.one', { githubId: 'hub_1' });
    expect(body).toMatchObject({ githubAppName: 'app', githubAppId: 1, gitProvider: { name: 'renamed' } });
  });

  test('of a bitbucket answers the row and goes by its own record, not by the one that was sent', async () => {
    const input = { bitbucketId: 'bkt_1', gitProviderId: 'git_bkt_2', name: 'renamed', organizationId: 'other' };
    const { body } = await call('bitbucket.update', { ...input, appPassword: 'p' });
    expect(body).toMatchObject({ bitbucketId: 'bkt_1', appPassword: 'p', apiToken: 'bitbucket-token' });
    expect(body).toMatchObject({ gitProviderId: 'git_bkt_1' });
    expect(body).not.toHaveProperty('gitProvider');
    const names = (await list('bitbucket.bitbucketProviders')).map((row) => row['gitProvider']);
    expect(names).toMatchObject([{ name: 'bitbucket-2' }, { name: 'renamed', organizationId: 'org_1' }]);
  });

  test('of a bitbucket with nothing of its own to write fails with 500, and renames it all the same', async () => {
    const input = { bitbucketId: 'bkt_1', gitProviderId: 'git_bkt_1', name: 'renamed' };
    const { status, body } = await call('bitbucket.update', input);
    expect([status, body]).toMatchObject([500, { message: 'No values to set' }]);
    expect((await call('bitbucket.one', { bitbucketId: 'bkt_1' })).body['gitProvider']).toMatchObject({
      name: 'renamed',
    });
  });

  test('of a gitea with another record renames that record and moves over to it', async () => {
    const input = { giteaId: 'sfg_1', gitProviderId: 'git_sfg_2', name: 'renamed', giteaUrl: 'https://s.test' };
    expect(await call('gitea.update', input)).toEqual({ status: 200, body: { success: true } });
    for (const giteaId of ['sfg_1', 'sfg_2'])
      expect((await call('gitea.one', { giteaId })).body['gitProvider']).toMatchObject({
        gitProviderId: 'git_sfg_2',
        name: 'renamed',
      });
  });

  test('brings a record of another organization into that of the key', async () => {
    const world = seedWorld();
    addRow(world, 'organization', { id: 'org_2', name: 'Other', ownerId: 'user_1' });
    const record = { ...world.tables.gitProvider['git_hub_1'], gitProviderId: 'git_x', organizationId: 'org_2' };
    addRow(world, 'gitProvider', record);
    call = callerOf(createEmulator({ world }).send);
    await call('github.update', { githubId: 'hub_1', gitProviderId: 'git_x', name: 'n', githubAppName: 'a' });
    expect(world.tables.gitProvider['git_x']).toMatchObject({ name: 'n', organizationId: 'org_1' });
  });

  test('with a record that is not there is a 500', async () => {
    const input = { gitProviderId: 'x', name: 'n', giteaUrl: 'u', gitlabUrl: 'u', githubAppName: 'a' };
    for (const [kind, id] of [
      ['gitea', 'sfg_1'],
      ['github', 'hub_1'],
      ['gitlab', 'lab_1'],
    ] as const)
      expect((await call(`${kind}.update`, { ...input, [`${kind}Id`]: id })).status).toBe(500);
  });
});

describe('an unknown provider', () => {
  test.each([
    ['gitea.update', { name: 'n', gitProviderId: 'x', giteaUrl: 'u' }, 500],
    ['github.update', { name: 'n', gitProviderId: 'x', githubAppName: 'a' }, 200],
    ['gitlab.update', { name: 'n', gitProviderId: 'x', gitlabUrl: 'u' }, 200],
    ['bitbucket.update', { name: 'n', gitProviderId: 'x' }, 404],
    ['gitea.testConnection', {}, 404],
    ['github.testConnection', {}, 400],
    ['gitlab.testConnection', {}, 400],
    ['bitbucket.testConnection', {}, 400],
    ['gitea.getGiteaUrl', {}, 404],
    ['gitea.getGiteaRepositories', {}, 404],
    ['github.getGithubRepositories', {}, 404],
    ['gitlab.getGitlabRepositories', {}, 404],
    ['bitbucket.getBitbucketRepositories', {}, 404],
    ['gitea.getGiteaBranches', { owner: 'acme', repositoryName: 'shop' }, 404],
    ['github.getGithubBranches', { owner: 'acme', repo: 'shop' }, 404],
    ['gitlab.getGitlabBranches', { owner: 'acme', repo: 'shop', id: 1 }, 404],
    ['bitbucket.getBitbucketBranches', { owner: 'acme', repo: 'shop' }, 404],
  ])('in %s', async (operation, input, status) => {
    const id = `${operation.split('.')[0] ?? ''}Id`;
    const answer = await call(operation, { ...input, [id]: 'x' });
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body).toBeUndefined();
    else expect(answer.body['message']).toMatch(/not found|Failed to update/i);
  });

  test.each(['gitea', 'github', 'gitlab', 'bitbucket'])('in %s.one', async (kind) => {
    expect((await call(`${kind}.one`, { [`${kind}Id`]: 'x' })).status).toBe(404);
  });
});

describe('a git host', () => {
  const repository = { owner: 'acme', repo: 'shop' };

  test.each([
    ['gitea.getGiteaRepositories', { giteaId: 'sfg_1' }, { id: 1, url: 'acme/shop', owner: { username: 'acme' } }],
    ['github.getGithubRepositories', { githubId: 'hub_1' }, { id: 1, owner: { login: 'acme' } }],
    ['gitlab.getGitlabRepositories', { gitlabId: 'lab_1' }, { id: 1, url: 'acme/shop', owner: { username: 'acme' } }],
    ['bitbucket.getBitbucketRepositories', { bitbucketId: 'bkt_1' }, { slug: 'shop', owner: { username: 'acme' } }],
  ])('has two repositories in %s', async (operation, input, shop) => {
    const { status, body } = await call(operation, input);
    expect([status, body]).toMatchObject([200, [{ name: 'shop', ...shop }, { name: 'site.docs' }]]);
  });

  test.each([
    ['gitea.getGiteaBranches', { giteaId: 'sfg_1', owner: 'acme', repositoryName: 'shop' }],
    ['github.getGithubBranches', { githubId: 'hub_1', ...repository }],
    ['gitlab.getGitlabBranches', { gitlabId: 'lab_1', id: 1, ...repository }],
    ['bitbucket.getBitbucketBranches', { bitbucketId: 'bkt_1', ...repository }],
  ])('has branches in %s, one with a name to stumble over', async (operation, input) => {
    const { status, body } = await call(operation, input);
    expect([status, body]).toMatchObject([200, [{ name: 'main' }, { name: 'release/2.0_rc#1' }]]);
    expect((await call(operation, { ...input, repo: 'x', repositoryName: 'x', id: 9 })).status).toBe(400);
  });

  test('is not asked for branches without a provider: an empty list, but of a gitea a 400', async () => {
    expect((await call('github.getGithubBranches', repository)).body).toEqual([]);
    expect((await call('gitlab.getGitlabBranches', { ...repository, id: 1 })).body).toEqual([]);
    expect((await call('gitlab.getGitlabBranches', { ...repository, gitlabId: 'lab_1' })).body).toEqual([]);
    expect((await call('gitea.getGiteaBranches', { owner: 'acme', repositoryName: 'shop' })).status).toBe(400);
    expect((await call('gitea.testConnection')).status).toBe(404);
  });

  test('answers a test of the connection with the number of repositories', async () => {
    for (const [kind, id] of [
      ['gitea', 'sfg_1'],
      ['github', 'hub_1'],
      ['gitlab', 'lab_1'],
      ['bitbucket', 'bkt_1'],
    ] as const)
      expect(await call(`${kind}.testConnection`, { [`${kind}Id`]: id })).toEqual({
        status: 200,
        body: 'Found 2 repositories',
      });
  });

  test('shows a gitlab the repositories of its groups, by how their names begin', async () => {
    const gitlabId = await newGitlab({ groupName: 'other, Acme-L' });
    await emulator.act('gitlab.connect', { gitlabId });
    expect((await call('gitlab.getGitlabRepositories', { gitlabId })).body).toMatchObject([{ name: 'site.docs' }]);
    expect((await call('gitlab.testConnection', { gitlabId, groupName: 'none' })).body).toBe('Found 0 repositories');
  });

  test('does not let in who was never connected', async () => {
    const { giteaId } = (await call('gitea.create', { ...inputOf.gitea, clientId: 'c', clientSecret: 's' })).body;
    await call('bitbucket.create', { ...inputOf.bitbucket, bitbucketId: 'bare' });
    const gitlabId = await newGitlab();
    expect((await call('gitea.testConnection', { giteaId })).status).toBe(400);
    expect((await call('bitbucket.testConnection', { bitbucketId: 'bare' })).status).toBe(400);
    expect((await call('gitlab.getGitlabRepositories', { gitlabId })).status).toBe(400);
  });
});

describe("the platform's own page of providers", () => {
  test('shows every provider, newest first, without secrets', async () => {
    const gitlabId = await newGitlab({ secret: 'oauth-secret' });
    const shown = await all();
    expect(shown).toHaveLength(9);
    expect(shown[0]).toMatchObject({ isOwner: true, gitea: null, gitlab: { gitlabId, isConfigured: false } });
    expect(shown.slice(1).filter((row) => row['github'] !== null)).toHaveLength(2);
    expect(JSON.stringify(shown)).not.toMatch(/secret|token/);
  });

  test('deletes one: its row goes with it and services lose the reference', async () => {
    const { composeId } = (await call('compose.create', inputs.compose)).body;
    await call('compose.update', { composeId, sourceType: 'gitlab', gitlabId: 'lab_1' });
    expect(await emulator.act('gitProvider.remove', { gitProviderId: 'git_lab_1' })).toMatchObject({
      name: 'gitlab-1',
    });
    expect((await call('gitlab.one', { gitlabId: 'lab_1' })).status).toBe(404);
    expect((await call('compose.one', { composeId })).body).toMatchObject({
      sourceType: 'gitlab',
      gitlabId: null,
      gitlab: null,
    });
    await expect(emulator.act('gitProvider.remove', { gitProviderId: 'git_lab_1' })).rejects.toThrow('400');
  });

  test('is not there for a client that keeps to the document', async () => {
    call = callerOf(createEmulator({ documentedOnly: true }).send);
    expect((await call('gitProvider.getAll')).status).toBe(404);
    expect((await call('gitlab.gitlabProviders')).status).toBe(200);
  });
});
