import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError } from '../error-answers.ts';

const { find, update, remove } = rowsOf('redirect', 'Redirect');

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

  'redirects.one': find,

  'redirects.update': update,

  'redirects.delete': remove,
};
