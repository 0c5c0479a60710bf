import type { Group } from '../context.ts';
import { pick } from '../json.ts';
import { callerOf } from '../caller.ts';

/** The one operation of the `user` group that is served: who the key belongs to. */
export const user: Group = {
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
};

const userColumns = [
  'id',
  'firstName',
  'lastName',
  'email',
  'image',
  'allowImpersonation',
  'twoFactorEnabled',
  'billingCustomerId',
  'billingSubscriptionId',
  'serversQuantity',
  'isEnterpriseCloud',
  'sendInvoiceNotifications',
];
