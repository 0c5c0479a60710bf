import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError } from '../error-answers.ts';
import { omit, textOf, type Json } from '../json-rows.ts';
import type { Store } from '../table-store.ts';

const { find, remove } = rowsOf('security', 'Security');

/** The `security` group: basic authentication. One application has each user once. */
export const security: Group = {
  'security.create'({ store, newId, now }, input) {
    if (store.find('application', input['applicationId']) === undefined)
      throw new ApiError('BAD_REQUEST', 'Application not found');
    const row = { ...input, securityId: newId(), createdAt: now() };
    checkName(store, 'insert into "security"', row);
    store.insert('security', row);
    return true;
  },

  'security.one': find,

  // Answers nothing.
  'security.update'({ store }, input) {
    const row = { ...find({ store }, input), ...omit(input, ['securityId']) };
    checkName(store, 'update "security" set', row);
    store.update('security', row['securityId'], row);
    return undefined;
  },

  'security.delete': remove,
};

/** Refuses a second user of a name, with the text of the query, the password in it, as the platform does. */
function checkName(store: Store, query: string, row: Record<string, Json>): void {
  const others = store.children('security', 'applicationId', row['applicationId']);
  if (!others.some((one) => one['username'] === row['username'] && one['securityId'] !== row['securityId'])) return;
  const values = ['securityId', 'username', 'password', 'applicationId'].map((column) => textOf(row, column));
  throw new ApiError('BAD_REQUEST', `Failed query: ${query}\nparams: ${values.join(',')}`);
}
