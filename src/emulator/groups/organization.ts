import { callerOf, membership, callersOrganization, ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { notFound, forbidden } from '../error-answers.ts';
import { omit, type Json, type Row } from '../json-rows.ts';
import { isLicensed } from '../licence.ts';
import { rowView } from '../views.ts';

/** The `organization` group. A key sees all organizations of its user, and works in one of them. */
export const organization: Group = {
  // The new organization cannot be reached with the same key.
  'organization.create'(context, input) {
    const { store, newId, now } = context;
    const { userId = null } = callerOf(context);
    const createdAt = now();
    const row = store.insert('organization', { ...input, id: newId(), slug: newId(), createdAt, ownerId: userId });
    store.insert('member', { id: newId(), organizationId: row['id'] ?? null, userId, role: 'owner', createdAt });
    return row;
  },

  'organization.all'(context) {
    const { store } = context;
    return store.children('member', 'userId', callerOf(context)['userId']).flatMap((member) => {
      const row = store.find('organization', member['organizationId']);
      return row === undefined ? [] : [{ ...row, members: [member] }];
    });
  },

  'organization.one': ({ store }, input) => store.find('organization', input['organizationId']),

  'organization.active': (context) => rowView(context.store, 'organization', callersOrganization(context)),

  'organization.update'(context, input) {
    const { store } = context;
    if (store.find('organization', input['organizationId']) === undefined) throw notFound('Organization');
    const role = input['defaultRole'] ?? 'member';
    if (role === 'owner') throw forbidden('Cannot set owner as the default role');
    if (role !== 'admin' && role !== 'member') checkDefaultRole(context, input);
    return store.update('organization', input['organizationId'], omit(input, ['organizationId']));
  },

  // Everything in it goes with it, as rows only.
  'organization.delete'(context, input) {
    const { store } = context;
    const row = store.find('organization', input['organizationId']);
    if (row === undefined) throw notFound('Organization');
    if (store.children('organization', 'ownerId', callerOf(context)['userId']).length <= 1)
      throw forbidden('You must maintain at least one organization where you are the owner');
    store.remove('organization', row['id']);
    return [];
  },

  'organization.allInvitations': (context) =>
    ownRows(context, 'invitation').toSorted((a, b) => order(b).localeCompare(order(a))),

  'organization.removeInvitation'({ store }, input) {
    if (store.remove('invitation', input['invitationId']) === undefined) throw notFound('Invitation');
    return [];
  },

  'organization.updateMemberRole'(context, { memberId, role = null }) {
    const { store } = context;
    const caller = callerOf(context);
    const target = store.find('member', memberId);
    if (target === undefined) throw notFound('Member');
    if (target['organizationId'] !== caller['organizationId'])
      throw forbidden("You are not allowed to update this member's role");
    if (target['userId'] === caller['userId']) throw forbidden('You cannot change your own role');
    if (target['role'] === 'owner' || role === 'owner') throw forbidden('The owner role is nontransferable');
    if (caller['role'] === 'admin' && target['role'] === 'admin')
      throw forbidden('Only the organization owner can change admin roles. Admins can only modify member roles.');
    if (role !== 'admin' && role !== 'member' && !hasRole(context, target['organizationId'], role))
      throw notFound(`Custom role "${String(role)}"`);
    store.update('member', memberId, { role });
    return true;
  },

  'organization.setDefault'(context, input) {
    const { store } = context;
    const { userId } = callerOf(context);
    for (const { id } of store.children('member', 'userId', userId)) store.update('member', id, { isDefault: false });
    const chosen = membership(store, userId, input['organizationId']);
    store.update('member', chosen?.['id'], { isDefault: true });
    return { success: true };
  },
};

/** A role of one's own has to exist, and to be allowed. */
function checkDefaultRole(context: Context, { organizationId, defaultRole = null }: Row): void {
  if (!hasRole(context, organizationId, defaultRole)) throw notFound(`Role "${String(defaultRole)}"`);
  if (!isLicensed(context)) throw forbidden('Setting a custom role as default requires a valid enterprise license');
}

function hasRole({ store }: Context, organizationId: Json | undefined, name: Json): boolean {
  return store.children('organizationRole', 'organizationId', organizationId).some(({ role }) => role === name);
}

function order(invitation: Readonly<Record<string, unknown>>): string {
  return `${String(invitation['status'])} ${String(invitation['expiresAt'])}`;
}
