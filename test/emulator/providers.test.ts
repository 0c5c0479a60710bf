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
  selfgit: { name: 'own', selfgitUrl: 'https://s.test' },
  labgit: { name: 'own', labgitUrl: 'https://l.test', authId: 'x' },
  bucketgit: { name: 'own', authId: 'x' },
};

const list = async (operation: string) => (await call(operation)).body as unknown as Answer[];
const idsIn = async (operation: string, member: string) => (await list(operation)).map((row) => row[member]);
const all = async () => (await emulator.act('gitProvider.getAll')) as Answer[];

/** The labgit that was just made: its create answers nothing, so only the platform's own page shows it. */
async function newLabgit(input: Record<string, unknown> = {}): Promise<string> {
  await call('labgit.create', { ...inputOf.labgit, ...input });
  const newest = (await all())[0]?.['labgit'] as Answer | undefined;
  return String(newest?.['labgitId']);
}

describe('making a provider', () => {
  test('answers an id for a selfgit only', async () => {
    const answer = await call('selfgit.create', { ...inputOf.selfgit, clientId: 'c' });
    expect(answer).toEqual({
      status: 200,
      body: { selfgitId: expect.any(String) as string, clientId: 'c', selfgitUrl: 'https://s.test' },
    });
    for (const kind of ['labgit', 'bucketgit'] as const)
      expect(await call(`${kind}.create`, inputOf[kind])).toEqual({ status: 200, body: undefined });
  });

  test('keeps the name in the record beside it, in the organization and under the user of the key', async () => {
    await call('bucketgit.create', { ...inputOf.bucketgit, bucketgitId: 'chosen' });
    const { body } = await call('bucketgit.one', { bucketgitId: 'chosen' });
    expect(body).not.toHaveProperty('name');
    expect(body['gitProvider']).toMatchObject({
      gitProviderId: body['gitProviderId'],
      name: 'own',
      providerType: 'bucketgit',
      organizationId: 'org_1',
      userId: 'user_1',
    });
  });

  test('drops members that are no columns, and the record that was named', async () => {
    const { selfgitId } = (
      await call('selfgit.create', {
        ...inputOf.selfgit,
        gitProviderId: 'git_sfg_1',
        selfgitUsername: 'u',
        organizationName: 'o',
      })
    ).body;
    const selfgit = (await call('selfgit.one', { selfgitId })).body;
    expect(selfgit['gitProviderId']).not.toBe('git_sfg_1');
    for (const member of ['selfgitUsername', 'organizationName']) expect(selfgit).not.toHaveProperty(member);

    const labgit = (await call('labgit.one', { labgitId: await newLabgit({ gitProviderId: 'git_lab_1' }) })).body;
    expect(labgit['gitProviderId']).not.toBe('git_lab_1');
    expect(labgit).not.toHaveProperty('authId');
  });

  test('takes a chosen id of a selfgit and a bucketgit once, and leaves nothing behind the second time', async () => {
    for (const kind of ['selfgit', 'bucketgit'] as const) {
      const input = { ...inputOf[kind], [`${kind}Id`]: 'mine' };
      expect((await call(`${kind}.create`, input)).status).toBe(200);
      const before = (await all()).length;
      expect((await call(`${kind}.create`, { ...input, name: 'other' })).status).toBe(400);
      expect((await all()).length).toBe(before);
      expect((await call(`${kind}.one`, { [`${kind}Id`]: 'mine' })).body['gitProvider']).toMatchObject({ name: 'own' });
    }
  });

  test('of a labgit takes no chosen id', async () => {
    await call('labgit.create', { ...inputOf.labgit, labgitId: 'mine' });
    expect((await call('labgit.one', { labgitId: 'mine' })).status).toBe(404);
  });

  test('gives a selfgit the scopes that were left out', async () => {
    const { selfgitId } = (await call('selfgit.create', inputOf.selfgit)).body;
    const { body } = await call('selfgit.one', { selfgitId });
    expect(body).toMatchObject({ scopes: 'repo,repo:status,read:user,read:org', selfgitInternalUrl: null });
  });
});

describe('a list of providers', () => {
  test('has a labgit once a person has connected it, and not before', async () => {
    const labgitId = await newLabgit();
    expect(await idsIn('labgit.labgitProviders', 'labgitId')).toEqual(['lab_1', 'lab_2']);
    await emulator.act('labgit.connect', { labgitId });
    const listed = await list('labgit.labgitProviders');
    expect(listed.at(-1)).toEqual({
      labgitId,
      labgitUrl: 'https://l.test',
      gitProvider: expect.objectContaining({ name: 'own' }) as unknown,
    });
  });

  test('has a selfgit with client id and secret', async () => {
    const { selfgitId } = (await call('selfgit.create', { ...inputOf.selfgit, clientId: 'c' })).body;
    expect(await idsIn('selfgit.selfgitProviders', 'selfgitId')).not.toContain(selfgitId);
    const { gitProviderId } = (await call('selfgit.one', { selfgitId })).body;
    await call('selfgit.update', { ...inputOf.selfgit, selfgitId, gitProviderId, clientSecret: 's' });
    expect((await list('selfgit.selfgitProviders')).at(-1)).toEqual({
      selfgitId,
      gitProvider: expect.objectContaining({ gitProviderId }) as unknown,
    });
  });

  test('has a hubgit with app id, private key and installation id', async () => {
    const world = seedWorld();
    for (const column of ['hubgitAppId', 'hubgitPrivateKey', 'hubgitInstallationId'])
      addRow(world, 'hubgit', { ...world.tables.hubgit['hub_1'], hubgitId: `without ${column}`, [column]: null });
    addRow(world, 'hubgit', { ...world.tables.hubgit['hub_1'], hubgitId: 'without url', hubgitUrl: null });
    call = callerOf(createEmulator({ world }).send);
    const ids = await idsIn('hubgit.hubgitProviders', 'hubgitId');
    expect(new Set(ids)).toEqual(new Set(['hub_1', 'hub_2', 'without url']));
  });

  test('has every bucketgit', async () => {
    await call('bucketgit.create', { ...inputOf.bucketgit, bucketgitId: 'bare' });
    expect(await idsIn('bucketgit.bucketgitProviders', 'bucketgitId')).toEqual(['bkt_1', 'bkt_2', 'bare']);
  });

  test('has none of another organization', async () => {
    const world = seedWorld();
    addRow(world, 'organization', { id: 'org_2', name: 'Other', ownerId: 'user_1' });
    for (const record of Object.values(world.tables.gitProvider)) record['organizationId'] = 'org_2';
    call = callerOf(createEmulator({ world }).send);
    for (const kind of ['selfgit', 'hubgit', 'labgit', 'bucketgit'])
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
    expect(await idsIn('labgit.labgitProviders', 'labgitId')).toEqual(['lab_2']);
    expect(await idsIn('hubgit.hubgitProviders', 'hubgitId')).toEqual(['hub_1', 'hub_2']);
  });

  test('shows no secret; `one` shows them all in clear', async () => {
    for (const [kind, id, secrets] of [
      ['selfgit', 'sfg_1', ['selfgit-secret', 'selfgit-token']],
      ['hubgit', 'hub_1', ['hubgit-client-secret', 'hubgit-private-key', 'hubgit-webhook-secret']],
      ['labgit', 'lab_1', ['labgit-secret', 'labgit-token', 'labgit-refresh']],
      ['bucketgit', 'bkt_1', ['bucketgit-token']],
    ] as const) {
      const listed = JSON.stringify(await list(`${kind}.${kind}Providers`));
      const one = JSON.stringify((await call(`${kind}.one`, { [`${kind}Id`]: id })).body);
      for (const secret of secrets) expect([listed, one].map((text) => text.includes(secret))).toEqual([false, true]);
    }
  });
});

describe('updating a provider', () => {
  test('renames the record and keeps members that are left out', async () => {
    const answer = await call('labgit.update', {
      labgitId: 'lab_1',
      gitProviderId: 'git_lab_1',
      name: 'renamed',
      labgitUrl: 'https://new.test',
    });
    expect(answer).toEqual({ status: 200, body: undefined });
    const { body } = await call('labgit.one', { labgitId: 'lab_1' });
    expect(body).toMatchObject({
      labgitUrl: 'https://new.test',
      secret: 'labgit-secret',
      gitProvider: { name: 'renamed' },
    });
  });

  test('of a hubgit writes its app name and answers nothing', async () => {
    const input = { hubgitId: 'hub_1', gitProviderId: 'git_hub_1', name: 'renamed', hubgitAppName: 'app' };
    expect(await call('hubgit.update', input)).toEqual({ status: 200, body: undefined });
    const { body } = await call('hubgit.one', { hubgitId: 'hub_1' });
    expect(body).toMatchObject({ hubgitAppName: 'app', hubgitAppId: 1, gitProvider: { name: 'renamed' } });
  });

  test('of a bucketgit answers the row and goes by its own record, not by the one that was sent', async () => {
    const input = { bucketgitId: 'bkt_1', gitProviderId: 'git_bkt_2', name: 'renamed', organizationId: 'other' };
    const { body } = await call('bucketgit.update', { ...input, appPassword: 'p' });
    expect(body).toMatchObject({ bucketgitId: 'bkt_1', appPassword: 'p', apiToken: 'bucketgit-token' });
    expect(body).toMatchObject({ gitProviderId: 'git_bkt_1' });
    expect(body).not.toHaveProperty('gitProvider');
    const names = (await list('bucketgit.bucketgitProviders')).map((row) => row['gitProvider']);
    expect(names).toMatchObject([{ name: 'bucketgit-2' }, { name: 'renamed', organizationId: 'org_1' }]);
  });

  test('of a bucketgit with nothing of its own to write fails with 500, and renames it all the same', async () => {
    const input = { bucketgitId: 'bkt_1', gitProviderId: 'git_bkt_1', name: 'renamed' };
    const { status, body } = await call('bucketgit.update', input);
    expect([status, body]).toMatchObject([500, { message: 'No values to set' }]);
    expect((await call('bucketgit.one', { bucketgitId: 'bkt_1' })).body['gitProvider']).toMatchObject({
      name: 'renamed',
    });
  });

  test('of a selfgit with another record renames that record and moves over to it', async () => {
    const input = { selfgitId: 'sfg_1', gitProviderId: 'git_sfg_2', name: 'renamed', selfgitUrl: 'https://s.test' };
    expect(await call('selfgit.update', input)).toEqual({ status: 200, body: { success: true } });
    for (const selfgitId of ['sfg_1', 'sfg_2'])
      expect((await call('selfgit.one', { selfgitId })).body['gitProvider']).toMatchObject({
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
    await call('hubgit.update', { hubgitId: 'hub_1', gitProviderId: 'git_x', name: 'n', hubgitAppName: 'a' });
    expect(world.tables.gitProvider['git_x']).toMatchObject({ name: 'n', organizationId: 'org_1' });
  });

  test('with a record that is not there is a 500', async () => {
    const input = { gitProviderId: 'x', name: 'n', selfgitUrl: 'u', labgitUrl: 'u', hubgitAppName: 'a' };
    for (const [kind, id] of [
      ['selfgit', 'sfg_1'],
      ['hubgit', 'hub_1'],
      ['labgit', 'lab_1'],
    ] as const)
      expect((await call(`${kind}.update`, { ...input, [`${kind}Id`]: id })).status).toBe(500);
  });
});

describe('an unknown provider', () => {
  test.each([
    ['selfgit.update', { name: 'n', gitProviderId: 'x', selfgitUrl: 'u' }, 500],
    ['hubgit.update', { name: 'n', gitProviderId: 'x', hubgitAppName: 'a' }, 200],
    ['labgit.update', { name: 'n', gitProviderId: 'x', labgitUrl: 'u' }, 200],
    ['bucketgit.update', { name: 'n', gitProviderId: 'x' }, 404],
    ['selfgit.testConnection', {}, 404],
    ['hubgit.testConnection', {}, 400],
    ['labgit.testConnection', {}, 400],
    ['bucketgit.testConnection', {}, 400],
    ['selfgit.getSelfgitUrl', {}, 404],
    ['selfgit.getSelfgitRepositories', {}, 404],
    ['hubgit.getHubgitRepositories', {}, 404],
    ['labgit.getLabgitRepositories', {}, 404],
    ['bucketgit.getBucketgitRepositories', {}, 404],
    ['selfgit.getSelfgitBranches', { owner: 'acme', repositoryName: 'shop' }, 404],
    ['hubgit.getHubgitBranches', { owner: 'acme', repo: 'shop' }, 404],
    ['labgit.getLabgitBranches', { owner: 'acme', repo: 'shop', id: 1 }, 404],
    ['bucketgit.getBucketgitBranches', { owner: 'acme', repo: 'shop' }, 404],
  ])('in %s', async (operation, input, status) => {
    const id = `${operation.split('.')[0] ?? ''}Id`;
    const answer = await call(operation, { ...input, [id]: 'x' });
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body).toBeUndefined();
    else expect(answer.body['message']).toMatch(/not found|Failed to update/i);
  });

  test.each(['selfgit', 'hubgit', 'labgit', 'bucketgit'])('in %s.one', async (kind) => {
    expect((await call(`${kind}.one`, { [`${kind}Id`]: 'x' })).status).toBe(404);
  });
});

describe('a git host', () => {
  const repository = { owner: 'acme', repo: 'shop' };

  test.each([
    [
      'selfgit.getSelfgitRepositories',
      { selfgitId: 'sfg_1' },
      { id: 1, url: 'acme/shop', owner: { username: 'acme' } },
    ],
    ['hubgit.getHubgitRepositories', { hubgitId: 'hub_1' }, { id: 1, owner: { login: 'acme' } }],
    ['labgit.getLabgitRepositories', { labgitId: 'lab_1' }, { id: 1, url: 'acme/shop', owner: { username: 'acme' } }],
    ['bucketgit.getBucketgitRepositories', { bucketgitId: 'bkt_1' }, { slug: 'shop', owner: { username: 'acme' } }],
  ])('has two repositories in %s', async (operation, input, shop) => {
    const { status, body } = await call(operation, input);
    expect([status, body]).toMatchObject([200, [{ name: 'shop', ...shop }, { name: 'site.docs' }]]);
  });

  test.each([
    ['selfgit.getSelfgitBranches', { selfgitId: 'sfg_1', owner: 'acme', repositoryName: 'shop' }],
    ['hubgit.getHubgitBranches', { hubgitId: 'hub_1', ...repository }],
    ['labgit.getLabgitBranches', { labgitId: 'lab_1', id: 1, ...repository }],
    ['bucketgit.getBucketgitBranches', { bucketgitId: 'bkt_1', ...repository }],
  ])('has branches in %s, one with a name to stumble over', async (operation, input) => {
    const { status, body } = await call(operation, input);
    expect([status, body]).toMatchObject([200, [{ name: 'main' }, { name: 'release/2.0_rc#1' }]]);
    expect((await call(operation, { ...input, repo: 'x', repositoryName: 'x', id: 9 })).status).toBe(400);
  });

  test('is not asked for branches without a provider: an empty list, but of a selfgit a 400', async () => {
    expect((await call('hubgit.getHubgitBranches', repository)).body).toEqual([]);
    expect((await call('labgit.getLabgitBranches', { ...repository, id: 1 })).body).toEqual([]);
    expect((await call('labgit.getLabgitBranches', { ...repository, labgitId: 'lab_1' })).body).toEqual([]);
    expect((await call('selfgit.getSelfgitBranches', { owner: 'acme', repositoryName: 'shop' })).status).toBe(400);
    expect((await call('selfgit.testConnection')).status).toBe(404);
  });

  test('answers a test of the connection with the number of repositories', async () => {
    for (const [kind, id] of [
      ['selfgit', 'sfg_1'],
      ['hubgit', 'hub_1'],
      ['labgit', 'lab_1'],
      ['bucketgit', 'bkt_1'],
    ] as const)
      expect(await call(`${kind}.testConnection`, { [`${kind}Id`]: id })).toEqual({
        status: 200,
        body: 'Found 2 repositories',
      });
  });

  test('shows a labgit the repositories of its groups, by how their names begin', async () => {
    const labgitId = await newLabgit({ groupName: 'other, Acme-L' });
    await emulator.act('labgit.connect', { labgitId });
    expect((await call('labgit.getLabgitRepositories', { labgitId })).body).toMatchObject([{ name: 'site.docs' }]);
    expect((await call('labgit.testConnection', { labgitId, groupName: 'none' })).body).toBe('Found 0 repositories');
  });

  test('does not let in who was never connected', async () => {
    const { selfgitId } = (await call('selfgit.create', { ...inputOf.selfgit, clientId: 'c', clientSecret: 's' })).body;
    await call('bucketgit.create', { ...inputOf.bucketgit, bucketgitId: 'bare' });
    const labgitId = await newLabgit();
    expect((await call('selfgit.testConnection', { selfgitId })).status).toBe(400);
    expect((await call('bucketgit.testConnection', { bucketgitId: 'bare' })).status).toBe(400);
    expect((await call('labgit.getLabgitRepositories', { labgitId })).status).toBe(400);
  });
});

describe("the platform's own page of providers", () => {
  test('shows every provider, newest first, without secrets', async () => {
    const labgitId = await newLabgit({ secret: 'oauth-secret' });
    const shown = await all();
    expect(shown).toHaveLength(9);
    expect(shown[0]).toMatchObject({ isOwner: true, selfgit: null, labgit: { labgitId, isConfigured: false } });
    expect(shown.slice(1).filter((row) => row['hubgit'] !== null)).toHaveLength(2);
    expect(JSON.stringify(shown)).not.toMatch(/secret|token/);
  });

  test('deletes one: its row goes with it and services lose the reference', async () => {
    const { composeId } = (await call('compose.create', inputs.compose)).body;
    await call('compose.update', { composeId, sourceType: 'labgit', labgitId: 'lab_1' });
    expect(await emulator.act('gitProvider.remove', { gitProviderId: 'git_lab_1' })).toMatchObject({
      name: 'labgit-1',
    });
    expect((await call('labgit.one', { labgitId: 'lab_1' })).status).toBe(404);
    expect((await call('compose.one', { composeId })).body).toMatchObject({
      sourceType: 'labgit',
      labgitId: null,
      labgit: null,
    });
    await expect(emulator.act('gitProvider.remove', { gitProviderId: 'git_lab_1' })).rejects.toThrow('400');
  });

  test('is not there for a client that keeps to the document', async () => {
    call = callerOf(createEmulator({ documentedOnly: true }).send);
    expect((await call('gitProvider.getAll')).status).toBe(404);
    expect((await call('labgit.labgitProviders')).status).toBe(200);
  });
});
