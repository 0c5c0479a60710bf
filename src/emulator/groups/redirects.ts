import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError } from '../error-answers.ts';

const { find, add, update, remove } = rowsOf('redirect', 'Redirect');

/** The `redirects` group. The regular expression is not looked at, and a second redirect of one is taken. */
export const redirects: Group = {
  'redirects.create'(context, input) {
    const { store } = context;
    if (store.find('application', input['applicationId']) === undefined)
      throw new ApiError('BAD_REQUEST', 'Error creating this redirect');
    const counters = store.world.counters;
    counters.uniqueConfigKey += 1;
    add(context, { ...input, uniqueConfigKey: counters.uniqueConfigKey });
    return true;
  },

  'redirects.one': find,

  'redirects.update': update,

  'redirects.delete': remove,
};
