import { callerOf, callersOrganization } from '../caller.ts';
import type { Group } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { pick, textOf } from '../json-rows.ts';
import { platformMetrics } from '../new-settings.ts';
import { permissionsOf } from '../permissions.ts';
import { rowView } from '../views.ts';
import { userKeys } from './user-keys.ts';
import { userMembers } from './user-members.ts';
import { valuesToSet } from '../crud.ts';

/** The `user` group: the caller himself, his keys, and the members of his organization. */
export const user: Group = {
  ...userKeys,
  ...userMembers,

  'user.get'(context) {
    const member = callerOf(context);
    const account = context.store.find('user', member['userId']) ?? {};
    const keys = context.store.children('apiKey', 'referenceId', member['userId']);
    return {
      ...member,
      user: {
        ...pick(account, userColumns),
        apiKeys: keys.map((key) => pick(key, ['id', 'name', 'prefix', 'enabled', 'expiresAt', 'createdAt'])),
      },
    };
  },

  'user.session'(context) {
    const { userId = null, organizationId = null } = callerOf(context);
    return { user: { id: userId }, session: { activeOrganizationId: organizationId } };
  },

  'user.getPermissions': (context) => permissionsOf(callerOf(context)),

  // Always the caller. The platform writes an id into the primary key; here it is ignored.
  'user.update'(context, input) {
    const { userId } = callerOf(context);
    checkPasswords(input['password'], input['currentPassword']);
    const besides = ['id', 'password', 'currentPassword'];
    const values = valuesToSet(input, besides, ['BAD_REQUEST', 'No values to set']);
    return context.store.update('user', userId, values);
  },

  // Only backups of the platform's own server are the user's. Here destinations come with their keys.
  'user.getBackups'(context) {
    const { store } = context;
    const { userId } = callerOf(context);
    return {
      ...store.find('user', userId),
      backups: store.children('backup', 'userId', userId).map((backup) => ({
        ...backup,
        destination: rowView(store, 'destination', backup['destinationId']),
        deployments: store.children('deployment', 'backupId', backup['backupId']),
      })),
      apiKeys: store.children('apiKey', 'referenceId', userId),
    };
  },

  'user.getServerMetrics': (context) => rowView(context.store, 'user', callerOf(context)['userId']),

  'user.getMetricsToken'(context) {
    const { store } = context;
    const organization = store.find('organization', callersOrganization(context));
    const owner = store.find('user', organization?.['ownerId']);
    return { serverIp: null, enabledFeatures: owner?.['enablePaidFeatures'] ?? false, metricsConfig: platformMetrics };
  },

  'user.getContainerMetrics'(_context, input) {
    throw new ApiError(
      'INTERNAL_SERVER_ERROR',
      `No monitoring data available for "${textOf(input, 'appName')}": the emulator reaches no monitoring`,
    );
  },

  // Only in the cloud edition can it be true.
  'user.haveRootAccess': () => false,

  'user.getInvitations'(context) {
    const { store, now } = context;
    const account = store.find('user', callerOf(context)['userId']);
    return store
      .children('invitation', 'email', account?.['email'])
      .filter((invitation) => invitation['status'] === 'pending' && textOf(invitation, 'expiresAt') > now())
      .map((invitation) => ({
        ...invitation,
        organization: rowView(store, 'organization', invitation['organizationId']),
      }));
  },

  // The token is the id of an invitation.
  'user.getUserByToken'({ store, now }, input) {
    const invitation = store.find('invitation', input['token']);
    if (invitation === undefined) throw notFound('Invitation');
    return {
      ...pick(invitation, ['id', 'email', 'status', 'role', 'inviterId']),
      isExpired: textOf(invitation, 'expiresAt') <= now(),
      userAlreadyExists: store.children('user', 'email', invitation['email']).length > 0,
    };
  },
};

/** The emulator stores no password: any current one is right, but there must be one. */
function checkPasswords(password: unknown, currentPassword: unknown): void {
  if ((password ?? '') === '' && (currentPassword ?? '') === '') return;
  if ((currentPassword ?? '') === '') throw new ApiError('BAD_REQUEST', 'Current password is incorrect');
  if ((password ?? '') === '') throw new ApiError('BAD_REQUEST', 'New password is required');
}

const userColumns = [
  'id',
  'firstName',
  'lastName',
  'email',
  'image',
  'allowImpersonation',
  'twoFactorEnabled',
  'stripeCustomerId',
  'stripeSubscriptionId',
  'serversQuantity',
  'isEnterpriseCloud',
  'sendInvoiceNotifications',
];
