import type { Group } from '../context.ts';
import { ApiError } from '../errors.ts';
import { omit, textOr } from '../json.ts';
import { find, queued } from './application.ts';

/** What the real platform can do with an application beyond the document: change all of it, deploy it, give that up. */
export const applicationExtensions: Group = {
  // Partial; the appName is accepted and ignored.
  'application.update'({ store }, input) {
    const values = omit(input, ['applicationId', 'appName']);
    if (Object.keys(values).length === 0) throw new ApiError('INTERNAL_SERVER_ERROR', 'No values to set');
    if (store.update('application', input['applicationId'], values) === undefined)
      throw new ApiError('BAD_REQUEST', 'Error updating application');
    return true;
  },

  'application.deploy': queued('Manual deployment', false),

  // Of every application on the server, whosever it is. The platform ends builds only, and no pulls.
  'application.killBuild'(context, input) {
    context.queue.kill('application', textOr(find(context, input), 'serverId'));
    return undefined;
  },
};
