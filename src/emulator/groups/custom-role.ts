import { ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { pick, textOf, type Json, type Row } from '../json-rows.ts';
import { statements } from '../permissions.ts';
import { rowsOf } from '../crud.ts';

const builtIn: readonly Json[] = ['owner', 'admin', 'member'];

/** Resources that no role of one's own can have. */
const internal = ['organization', 'invitation', 'team', 'ac'];

const { add } = rowsOf('organizationRole', 'Role');

/** The `customRole` group: roles of one's own. Operations name a role by its name. */
export const customRole: Group = {
  'customRole.all': (context) =>
    ownRows(context, 'organizationRole').map((row) => ({
      ...pick(row, ['role', 'createdAt']),
      permissions: JSON.parse(textOf(row, 'permission')) as Row,
      ids: [row['id'] ?? null],
      memberCount: membersWith(context, row['role']).length,
    })),

  'customRole.create'(context, { roleName = null, permissions = {} }) {
    const roles = ownRows(context, 'organizationRole');
    if (roles.length >= 10) throw new ApiError('BAD_REQUEST', 'Maximum of 10 custom roles per organization reached');
    refuseTaken(roles, roleName);
    checkPermissions(permissions);
    return add(context, { role: roleName, permission: JSON.stringify(permissions) });
  },

  // A new name reaches the members before the permissions are looked at.
  'customRole.update'(context, { roleName = null, newRoleName = roleName, permissions = {} }) {
    if (builtIn.includes(roleName)) throw new ApiError('BAD_REQUEST', 'Cannot modify built-in roles');
    const roles = ownRows(context, 'organizationRole');
    if (newRoleName !== roleName) {
      refuseTaken(roles, newRoleName);
      for (const { id } of membersWith(context, roleName)) context.store.update('member', id, { role: newRoleName });
    }
    checkPermissions(permissions);
    const row = roles.find(({ role }) => role === roleName);
    const values = { role: newRoleName, permission: JSON.stringify(permissions), updatedAt: context.now() };
    return context.store.update('organizationRole', row?.['id'], values);
  },

  'customRole.remove'(context, { roleName = null }) {
    const { store } = context;
    if (builtIn.includes(roleName)) throw new ApiError('BAD_REQUEST', 'Cannot delete built-in roles');
    const { length } = membersWith(context, roleName);
    const refused = `Cannot delete role "${String(roleName)}": ${length} member(s) are currently assigned to it.`;
    if (length > 0) throw new ApiError('BAD_REQUEST', `${refused} Reassign them first.`);
    const row = ownRows(context, 'organizationRole').find(({ role }) => role === roleName);
    if (row === undefined) throw notFound(`Role "${String(roleName)}"`);
    store.remove('organizationRole', row['id']);
    const organization = store.find('organization', row['organizationId']);
    if (organization?.['defaultRole'] === roleName)
      store.update('organization', organization['id'], { defaultRole: null });
    return { deleted: 1 };
  },

  'customRole.membersByRole': (context, { roleName = null }) =>
    membersWith(context, roleName).map((member) => {
      const user = context.store.find('user', member['userId']) ?? {};
      return { ...pick(member, ['id', 'userId']), ...pick(user, ['email', 'firstName', 'lastName']) };
    }),

  'customRole.getStatements': () => statements,
};

function membersWith(context: Context, role: Json | undefined): Row[] {
  return ownRows(context, 'member').filter((member) => member['role'] === role);
}

function refuseTaken(roles: readonly Row[], name: Json): void {
  if (roles.some(({ role }) => role === name)) throw new ApiError('CONFLICT', `Role "${String(name)}" already exists`);
}

function checkPermissions(permissions: Json): void {
  for (const [resource, actions] of Object.entries(permissions as Record<string, string[]>)) {
    const refuse = (message: string) => new ApiError('BAD_REQUEST', message);
    if (internal.includes(resource))
      throw refuse(`Resource "${resource}" is managed internally and cannot be assigned to custom roles`);
    const valid = Object.hasOwn(statements, resource) ? statements[resource] : undefined;
    if (valid === undefined) throw refuse(`Unknown resource: ${resource}`);
    const wrong = actions.find((action) => !valid.includes(action));
    if (wrong !== undefined)
      throw refuse(`Invalid action "${wrong}" for resource "${resource}". Valid actions: ${valid.join(', ')}`);
  }
}
