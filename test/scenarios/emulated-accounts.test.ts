import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/emulator/json-rows.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { addMembership, addOrganization, addPerson, openWorld } from '../emulator/people.ts';

describe('an organization', () => {
  test('is created with its creator as owner, under another key than the ids of other kinds', async () => {
    const { call } = openWorld();
    const { body } = await call('organization.create', { name: 'second', logo: 'http://logo.test' });
    expect(body).toMatchObject({ name: 'second', logo: 'http://logo.test', ownerId: 'user_1', defaultRole: null });
    expect((await call('organization.all')).body).toMatchObject([
      { id: 'org_1', members: [{ userId: 'user_1', role: 'owner', isDefault: true }] },
      { id: body['id'], members: [{ userId: 'user_1', role: 'owner', isDefault: false }] },
    ]);
  });

  test('shows in the list of its members only, with the caller alone', async () => {
    const world = seedWorld();
    addPerson(world, 'colleague');
    const { call } = openWorld(world);
    const [first, ...others] = (await call('organization.all')).body as unknown as { members: Row[] }[];
    expect([first?.members.map((member) => member['userId']), others]).toEqual([['user_1'], []]);
  });

  test('keeps its logo and default role when an update leaves them out', async () => {
    const { call } = openWorld();
    const input = { organizationId: 'org_1', name: 'n' };
    await call('organization.update', { ...input, logo: 'l', defaultRole: 'admin' });
    expect((await call('organization.update', { ...input, name: 'm' })).body).toMatchObject({
      id: 'org_1',
      name: 'm',
      logo: 'l',
      defaultRole: 'admin',
    });
    expect((await call('organization.update', { ...input, defaultRole: null })).body).toMatchObject({
      defaultRole: null,
    });
    expect((await call('organization.update', { ...input, defaultRole: 'owner' })).status).toBe(403);
    expect((await call('organization.update', { ...input, defaultRole: 'reviewer' })).status).toBe(404);
    expect((await call('organization.update', { ...input, organizationId: 'x' })).status).toBe(404);
  });

  test('takes all it holds with it, and the last one of an owner stays', async () => {
    const { call, world } = openWorld();
    expect((await call('organization.delete', { organizationId: 'org_1' })).status).toBe(403);
    const { body } = await call('organization.create', { name: 'second' });
    expect((await call('organization.delete', { organizationId: 'org_1' })).body).toEqual([]);
    expect(Object.keys(world.tables.organization)).toEqual([body['id']]);
    for (const table of ['project', 'environment', 'sshKey', 'github'] as const)
      expect(world.tables[table]).toEqual({});
    // The key was for the organization that is gone.
    expect((await call('user.get')).status).toBe(401);
  });

  test('becomes the default of its member, who has one', async () => {
    const { call, world } = openWorld();
    const { body } = await call('organization.create', { name: 'second' });
    const defaults = () =>
      Object.values(world.tables.member).flatMap((row) => (row['isDefault'] === true ? [row['organizationId']] : []));
    expect(await call('organization.setDefault', { organizationId: body['id'] })).toEqual({
      status: 200,
      body: { success: true },
    });
    expect(defaults()).toEqual([body['id']]);
    expect((await call('organization.setDefault', { organizationId: 'org_2' })).status).toBe(403);
    expect(defaults()).toEqual([body['id']]);
  });
});

describe('a user', () => {
  test('is updated as the owner of the key, and keeps the id', async () => {
    const world = seedWorld();
    addPerson(world, 'colleague');
    const { call } = openWorld(world);
    const { body } = await call('user.update', { id: 'colleague', firstName: 'New', image: null });
    expect(body).toMatchObject({ id: 'user_1', firstName: 'New', lastName: 'User' });
    expect(world.tables.user['colleague']).toMatchObject({ firstName: 'colleague' });
  });

  test.each([
    [{}, 'No values to set'],
    [{ id: 'x' }, 'No values to set'],
    [{ password: 'p' }, 'Current password is incorrect'],
    [{ currentPassword: 'p' }, 'New password is required'],
  ])('is not updated with %o', async (input, message) => {
    expect(await openWorld().call('user.update', input)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', message },
    });
  });

  test('is shown with all columns to himself and to owners and admins, without a password', async () => {
    const world = seedWorld();
    const key = addPerson(world, 'colleague');
    const { call, as } = openWorld(world);
    const shown = { userId: 'colleague', role: 'member', user: { id: 'colleague', licenseKey: null } };
    expect((await as(key)('user.one', { userId: 'colleague' })).body).toMatchObject(shown);
    const { body } = await call('user.one', { userId: 'colleague' });
    expect(body).toMatchObject(shown);
    expect(body['user']).not.toHaveProperty('password');
    expect((await call('user.one', { userId: 'unknown' })).status).toBe(404);
  });

  test('is listed by the time of joining, in spite of later changes', async () => {
    const world = seedWorld({ createdAt: '2027-01-01T00:00:00.000Z' });
    addPerson(world, 'colleague');
    const { call } = openWorld(world);
    await call('user.assignPermissions', permissions({ id: 'colleague' }));
    const all = (await call('user.all')).body as unknown as Row[];
    expect(all.map((member) => member['userId'])).toEqual(['colleague', 'user_1']);
  });

  test('goes with his keys and memberships, wherever they are', async () => {
    const world = seedWorld();
    addOrganization(world, 'org_2');
    const key = addPerson(world, 'colleague');
    const other = addMembership(world, 'colleague', 'org_2');
    const { call, status } = openWorld(world);
    expect(await status(other)).toBe(200);
    expect(await call('user.remove', { userId: 'colleague' })).toEqual({ status: 200, body: undefined });
    expect([await status(key), await status(other)]).toEqual([401, 401]);
    expect(Object.keys(world.tables.user)).toEqual(['user_1']);
  });

  test('stays whole while a backup refers to him', async () => {
    const world = seedWorld();
    const key = addPerson(world, 'colleague');
    addRow(world, 'backup', { backupId: 'b', destinationId: 'dst_1', userId: 'colleague' });
    const { call, status } = openWorld(world);
    expect((await call('user.remove', { userId: 'colleague' })).status).toBe(500);
    expect(await status(key)).toBe(200);
  });

  test('who owns the organization cannot be removed, not even by himself', async () => {
    expect((await openWorld().call('user.remove', { userId: 'user_1' })).status).toBe(403);
  });

  test('is counted in all his organizations', async () => {
    const { call } = openWorld();
    await call('organization.create', { name: 'second' });
    expect(await call('user.checkUserOrganizations', { userId: 'user_1' })).toEqual({ status: 200, body: 2 });
  });

  test('has backups of the platform itself only, with the keys of their destinations', async () => {
    const world = seedWorld();
    addRow(world, 'backup', { backupId: 'mine', destinationId: 'dst_1', userId: 'user_1', databaseType: 'web-server' });
    addRow(world, 'backup', { backupId: 'other', destinationId: 'dst_1' });
    expect((await openWorld(world).call('user.getBackups')).body.backups).toMatchObject([
      { backupId: 'mine', destination: { secretAccessKey: 'secret-access-key-1' }, deployments: [] },
    ]);
  });

  test('reads fixed answers where the platform asks other machines', async () => {
    const { call } = openWorld();
    expect((await call('user.generateToken')).body).toBe('token');
    expect((await call('user.haveRootAccess')).body).toBe(false);
    expect((await call('user.getServerMetrics')).body).toMatchObject({ id: 'user_1', licenseKey: null });
    expect((await call('user.getMetricsToken')).body).toMatchObject({ serverIp: null, enabledFeatures: false });
    const asked = { url: 'http://metrics.test', token: 't', appName: 'a', dataPoints: '5' };
    expect((await call('user.getContainerMetrics', asked)).status).toBe(500);
  });
});

describe('the permissions of a member', () => {
  test('are set under the id of the user, in this organization only', async () => {
    const world = seedWorld();
    addOrganization(world, 'org_2');
    addPerson(world, 'colleague');
    addMembership(world, 'colleague', 'org_2');
    const { call } = openWorld(world);
    const given = permissions({ id: 'colleague', canCreateServices: true, accessedProjects: ['prj_1', 'gone'] });
    expect(await call('user.assignPermissions', given)).toEqual({ status: 200, body: undefined });
    const { id: _id, ...kept } = given;
    expect(world.tables.member['colleague@org_1']).toMatchObject({ ...kept, userId: 'colleague', role: 'member' });
    expect(world.tables.member['colleague@org_2']).toMatchObject({ canCreateServices: false, accessedProjects: [] });
  });

  test('take effect at once', async () => {
    const world = seedWorld();
    const key = addPerson(world, 'colleague');
    const { call, as } = openWorld(world);
    const colleague = as(key);
    const create = { name: 'c', environmentId: 'env_prj_1' };
    expect((await colleague('compose.create', create)).status).toBe(401);
    const given = permissions({ id: 'colleague', canCreateServices: true, accessedProjects: ['prj_1'] });
    await call('user.assignPermissions', given);
    const { status, body } = await colleague('compose.create', create);
    expect(status).toBe(200);
    expect(world.tables.member['colleague@org_1']).toMatchObject({ accessedServices: [body['composeId']] });
    expect((await colleague('compose.one', { composeId: body['composeId'] })).status).toBe(200);
  });

  test('ignore two lists without a licence, without a message', async () => {
    const lists = { accessedGitProviders: ['git_hub_1'], accessedServers: ['srv_1'] };
    const stored = async (licence: Row) => {
      const world = seedWorld();
      addPerson(world, 'colleague');
      Object.assign(world.tables.user['user_1'] ?? {}, licence);
      const { call } = openWorld(world);
      expect((await call('user.assignPermissions', permissions({ id: 'colleague', ...lists }))).status).toBe(200);
      const { accessedGitProviders, accessedServers } = world.tables.member['colleague@org_1'] ?? {};
      return { accessedGitProviders, accessedServers };
    };
    expect(await stored({})).toEqual({ accessedGitProviders: [], accessedServers: [] });
    expect(await stored({ enableEnterpriseFeatures: true, isValidEnterpriseLicense: true })).toEqual(lists);
  });

  test('succeed for a stranger and change no member', async () => {
    const { call, world } = openWorld();
    const before = JSON.stringify(world);
    const given = permissions({ id: 'stranger', canCreateServices: true });
    expect(await call('user.assignPermissions', given)).toEqual({ status: 200, body: undefined });
    expect(JSON.stringify(world)).toBe(before);
  });

  test.each(Object.keys(permissions({ id: 'x' })))('are refused without %s', async (member) => {
    const { [member]: _left, ...given } = permissions({ id: 'user_1' });
    expect((await openWorld().call('user.assignPermissions', given)).status).toBe(400);
  });
});

describe('an invitation', () => {
  const invitation = {
    id: 'inv',
    organizationId: 'org_1',
    email: 'new@example.test',
    inviterId: 'user_1',
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-03T00:00:00.000Z',
  };
  const invited = (values: Row = {}) => {
    const world = seedWorld();
    addRow(world, 'invitation', { ...invitation, ...values });
    return world;
  };

  test('is listed and removed in its organization', async () => {
    const { call } = openWorld(invited());
    expect((await call('organization.allInvitations')).body).toEqual([
      { ...invitation, role: 'member', status: 'pending', teamId: null },
    ]);
    expect((await call('organization.removeInvitation', { invitationId: 'inv' })).body).toEqual([]);
    expect((await call('organization.removeInvitation', { invitationId: 'inv' })).status).toBe(404);
    expect((await call('organization.allInvitations')).body).toEqual([]);
  });

  test('shows to whom it is addressed while it is good', async () => {
    const world = invited({ email: 'colleague@example.test' });
    const key = addPerson(world, 'colleague');
    const { call, as, pass } = openWorld(world);
    const colleague = as(key);
    expect((await colleague('user.getInvitations')).body).toMatchObject([{ id: 'inv', organization: { id: 'org_1' } }]);
    expect((await call('user.getInvitations')).body).toEqual([]);
    pass(2 * 24 * 60 * 60 * 1000);
    expect((await colleague('user.getInvitations')).body).toEqual([]);
  });

  test('is the token that a newcomer gets', async () => {
    const { call, pass } = openWorld(invited());
    const told = { id: 'inv', email: 'new@example.test', status: 'pending', role: 'member', inviterId: 'user_1' };
    const ask = async () => (await call('user.getUserByToken', { token: 'inv' })).body;
    expect(await ask()).toEqual({ ...told, isExpired: false, userAlreadyExists: false });
    pass(2 * 24 * 60 * 60 * 1000);
    expect(await ask()).toMatchObject({ isExpired: true });
    expect((await call('user.getUserByToken', { token: 'x' })).status).toBe(404);
    const { body } = await openWorld(invited({ email: 'admin@example.test' })).call('user.getUserByToken', {
      token: 'inv',
    });
    expect(body).toMatchObject({ userAlreadyExists: true });
  });

  test('is sent as a link, and no mail goes out', async () => {
    const { call } = openWorld(invited());
    const send = (invitationId: string) => call('user.sendInvitation', { invitationId, notificationId: 'n' });
    expect((await send('inv')).body).toBe('https://platform.example.test/invitation?token=inv');
    expect((await send('x')).status).toBe(404);
  });

  test('goes with its organization and with who invited', async () => {
    const world = invited({ inviterId: 'colleague' });
    addPerson(world, 'colleague');
    const { call } = openWorld(world);
    await call('user.remove', { userId: 'colleague' });
    expect(world.tables.invitation).toEqual({});
  });
});

test('billing sells nothing and leads nowhere', async () => {
  const { call } = openWorld();
  const { body } = await call('stripe.getProducts');
  expect(Object.keys(body)).toEqual([
    'products',
    'subscriptions',
    'hobbyProductId',
    'startupProductId',
    'currentPlan',
    'isAnnualCurrent',
    'currentPriceAmount',
  ]);
  expect((await call('stripe.canCreateMoreServers')).body).toBe(true);
  expect((await call('stripe.createCustomerPortalSession')).body).toEqual({
    url: 'https://billing.example.test/portal',
  });
  const checkout = { tier: 'startup', productId: 'prod_startup', serverQuantity: 3, isAnnual: false };
  expect(await call('stripe.createCheckoutSession', checkout)).toMatchObject({
    status: 200,
    body: { sessionId: expect.any(String) as string },
  });
  expect((await call('stripe.createCheckoutSession', { ...checkout, serverQuantity: 2 })).status).toBe(400);
});

/** All 17 members, of which none may be left out. */
function permissions(values: Row): Row {
  const none = (names: readonly string[], value: Row[string]) => Object.fromEntries(names.map((name) => [name, value]));
  return {
    ...none(
      ['Projects', 'Environments', 'Services', 'GitProviders', 'Servers'].map((list) => `accessed${list}`),
      [],
    ),
    ...none(['canCreateProjects', 'canCreateServices', 'canDeleteProjects', 'canDeleteServices'], false),
    ...none(['canAccessToDocker', 'canAccessToTraefikFiles', 'canAccessToAPI', 'canAccessToSSHKeys'], false),
    ...none(['canAccessToGitProviders', 'canDeleteEnvironments', 'canCreateEnvironments'], false),
    ...values,
  };
}
