import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { worldWithMember } from '../../support/kind-world.ts';

/** Roles of one's own: their refusals, and the members who have them. */

const permissions = { service: ['read'] };
const role = { roleName: 'developer', permissions };

/** A platform with a role, which a member has. */
async function made() {
  const emulator = createEmulator({ world: worldWithMember() });
  await emulator.act('customRole.create', role);
  Object.assign(emulator.world.tables.member['member_9'] ?? {}, { role: 'developer' });
  return emulator;
}

test('a new name reaches the members, and not the default role of the organization', async () => {
  const emulator = await made();
  await emulator.act('organization.update', { organizationId: 'org_1', name: 'Example', defaultRole: 'developer' });
  const [{ ids }] = (await emulator.act('customRole.all')) as [{ ids: string[] }];
  const update = { ...role, newRoleName: 'reviewer', permissions: {} };
  expect(await emulator.act('customRole.update', update)).toMatchObject({
    id: ids[0],
    role: 'reviewer',
    permission: '{}',
  });
  expect(await emulator.act('customRole.all')).toMatchObject([
    { role: 'reviewer', ids, permissions: {}, memberCount: 1 },
  ]);
  expect(await emulator.act('customRole.membersByRole', { roleName: 'reviewer' })).toEqual([
    { id: 'member_9', userId: 'user_9', email: 'member@example.test', firstName: '', lastName: '' },
  ]);
  expect(emulator.world.tables.organization['org_1']).toMatchObject({ defaultRole: 'developer' });
  expect(await emulator.act('customRole.getStatements')).toMatchObject({ docker: ['read'] });
});

test('members have a new name already when the permissions are refused, and no role has it', async () => {
  const emulator = await made();
  const update = { ...role, newRoleName: 'reviewer', permissions: { docker: ['write'] } };
  await expect(emulator.act('customRole.update', update)).rejects.toThrow(/Invalid action .*write/);
  expect(await emulator.act('customRole.all')).toMatchObject([{ role: 'developer', memberCount: 0 }]);
  expect(emulator.world.tables.member['member_9']).toMatchObject({ role: 'reviewer' });
});

test('a role that goes is no default role any more', async () => {
  const emulator = await made();
  await emulator.act('customRole.create', { roleName: 'guest', permissions });
  await emulator.act('organization.update', { organizationId: 'org_1', name: 'Example', defaultRole: 'guest' });
  expect(await emulator.act('customRole.remove', { roleName: 'guest' })).toEqual({ deleted: 1 });
  expect(emulator.world.tables.organization['org_1']).toMatchObject({ defaultRole: null });
});

test.each([
  ['the same name again', 'create', role, 'already exists'],
  ['the name of another role', 'update', { ...role, roleName: 'role-1', newRoleName: 'developer' }, 'already exists'],
  ['a name of the platform', 'create', { ...role, roleName: 'admin' }, 'reserved role names'],
  ['to change a role of the platform', 'update', { ...role, roleName: 'member' }, 'Cannot modify built-in roles'],
  ['to delete a role of the platform', 'remove', { roleName: 'owner' }, 'Cannot delete built-in roles'],
  ['to delete a role that a member has', 'remove', { roleName: 'developer' }, '1 member(s) are currently assigned'],
  ['to delete none', 'remove', { roleName: 'none' }, /404 .*none.* not found/],
  ['a resource of its own', 'create', { roleName: 'b', permissions: { ac: ['read'] } }, 'managed internally'],
  ['an unknown resource', 'create', { roleName: 'b', permissions: { nothing: [] } }, 'Unknown resource: nothing'],
])('refuses %s', async (_title, operation, input, says) => {
  const emulator = await made();
  await expect(emulator.act(`customRole.${operation}`, input)).rejects.toThrow(says);
});

test('an organization has ten roles at most, and none without a licence', async () => {
  const emulator = await made();
  const create = (roleName: string) => emulator.act('customRole.create', { roleName, permissions });
  for (let n = 2; n <= 10; n++) await create(`role-${n}`);
  await expect(create('role-11')).rejects.toThrow('Maximum of 10 custom roles');
  const bare = createEmulator();
  expect(await bare.act('customRole.all')).toEqual([]);
  // Before the input is looked at.
  await expect(bare.act('customRole.create', { roleName: 'admin' })).rejects.toThrow(
    'Valid enterprise license required',
  );
  Object.assign(emulator.world.tables.user['user_1'] ?? {}, { isValidEnterpriseLicense: false });
  const update = { organizationId: 'org_1', name: 'Example', defaultRole: 'developer' };
  await expect(emulator.act('organization.update', update)).rejects.toThrow('requires a valid enterprise license');
});

test.each([
  [{ memberId: 'none', role: 'admin' }, 'Member not found'],
  [{ memberId: 'member_1', role: 'admin' }, 'cannot change your own role'],
  [{ memberId: 'member_9', role: 'owner' }, 'nontransferable'],
  [{ memberId: 'member_9', role: 'none' }, 'Custom role .*none.* not found'],
])('refuses the role of a member %j', async (input, says) => {
  const emulator = await made();
  await expect(emulator.act('organization.updateMemberRole', input)).rejects.toThrow(new RegExp(says));
  expect(await emulator.act('organization.updateMemberRole', { memberId: 'member_9', role: 'admin' })).toBe(true);
});
