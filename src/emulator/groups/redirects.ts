import type { Group } from '../context.ts';
import { ApiError, notFound } from '../errors.ts';
import { omit, type Row } from '../json.ts';
import type { Store } from '../store.ts';

/** The `redirects` group. The regular expression is not looked at, and a second redirect of one is taken. */
export const redirects: Group = {
  'redirects.create'({ store, newId, now }, input) {
    if (store.find('application', input['applicationId']) === undefined)
      throw new ApiError('BAD_REQUEST', 'Error creating this redirect');
    const counters = store.world.counters;
    counters.uniqueConfigKey += 1;
    store.insert('redirect', {
      ...input,
      redirectId: newId(),
      uniqueConfigKey: counters.uniqueConfigKey,
      createdAt: now(),
    });
    return true;
  },

  'redirects.one': ({ store }, input) => find(store, input),

  'redirects.update'({ store }, input) {
    const row = find(store, input);
    return store.update('redirect', row['redirectId'], omit(input, ['redirectId']));
  },

  'redirects.delete'({ store }, input) {
    const row = find(store, input);
    store.remove('redirect', row['redirectId']);
    return row;
  },
};

function find(store: Store, input: Row): Row {
  const row = store.find('redirect', input['redirectId']);
  if (row === undefined) throw notFound('Redirect');
  return row;
}
