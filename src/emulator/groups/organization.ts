import { callerOf, membership } from '../caller.ts';
import type { Group } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { omit, textOf } from '../json-rows.ts';
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

  'organization.active': (context) => rowView(context.store, 'organization', callerOf(context)['organizationId']),

  'organization.update'({ store }, input) {
    if (store.find('organization', input['organizationId']) === undefined) throw notFound('Organization');
    const role = input['defaultRole'] ?? 'member';
    if (role === 'owner') throw new ApiError('FORBIDDEN', 'Cannot set owner as the default role');
    // There are no roles of one's own without a licence.
    if (role !== 'admin' && role !== 'member') throw notFound(`Role "${textOf(input, 'defaultRole')}"`);
    return store.update('organization', input['organizationId'], omit(input, ['organizationId']));
  },

  // Everything in it goes with it, as rows only.
  'organization.delete'(context, input) {
    const { store } = context;
    const row = store.find('organization', input['organizationId']);
    if (row === undefined) throw notFound('Organization');
    if (store.children('organization', 'ownerId', callerOf(context)['userId']).length <= 1)
      throw new ApiError('FORBIDDEN', 'You must maintain at least one organization where you are the owner');
    store.remove('organization', row['id']);
    return [];
  },

  'organization.allInvitations': (context) =>
    context.store
      .children('invitation', 'organizationId', callerOf(context)['organizationId'])
      .toSorted((a, b) => order(b).localeCompare(order(a))),

  'organization.removeInvitation'({ store }, input) {
    if (store.remove('invitation', input['invitationId']) === undefined) throw notFound('Invitation');
    return [];
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

function order(invitation: Readonly<Record<string, unknown>>): string {
  return `${String(invitation['status'])} ${String(invitation['expiresAt'])}`;
}
