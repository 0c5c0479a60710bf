import type { Group } from '../context.ts';
import { ApiError } from '../error-answers.ts';
import { textOr } from '../json-rows.ts';
import { linesFor, linesOf, requireContainer } from '../container-log.ts';
import { ordersIn } from '../machine.ts';
import { searchServices } from '../search.ts';
import { traefikConfig } from '../traefik-config.ts';
import { find, queued } from './application.ts';
import { clearLogs } from './deployment.ts';
import { valuesToSet } from '../crud.ts';

/** What the real platform can do with an application beyond the document: change all of it, deploy it, give that up. */
export const applicationExtensions: Group = {
  // Partial; the appName is accepted and ignored.
  'application.update'({ store }, input) {
    const values = valuesToSet(input, ['applicationId', 'appName']);
    const { buildServerId } = values;
    if (typeof buildServerId === 'string' && store.find('server', buildServerId) === undefined)
      throw new ApiError('UNAUTHORIZED', 'You are not authorized to access this build server');
    if (store.update('application', input['applicationId'], values) === undefined)
      throw new ApiError('BAD_REQUEST', 'Error updating application');
    return true;
  },

  'application.refreshToken'(context, input) {
    const { applicationId } = find(context, input);
    context.store.update('application', applicationId, { refreshToken: context.newId() });
    return true;
  },

  'application.clearDeployments': (context, input) =>
    clearLogs(context.store, 'applicationId', find(context, input)['applicationId']),

  'application.readTraefikConfig': (context, input) => traefikConfig(context.store, find(context, input)) ?? null,

  'application.search': searchServices('application'),

  'application.readLogs'(context, input) {
    const container = requireContainer(context.store, textOr(find(context, input), 'appName'));
    return linesFor(input, linesOf(ordersIn(container)[0]));
  },

  // Also into an environment of another organization.
  'application.move'({ store }, input) {
    const { applicationId, targetEnvironmentId: environmentId = null } = input;
    if (store.find('environment', environmentId) === undefined)
      throw new ApiError('INTERNAL_SERVER_ERROR', 'Failed query: update "application" set "environmentId" = $1');
    const row = store.update('application', applicationId, { environmentId });
    if (row === undefined) throw new ApiError('INTERNAL_SERVER_ERROR', 'Failed to move application');
    return row;
  },

  'application.deploy': queued('Manual deployment', false),

  // Of every application on the server, whosever it is. The platform ends builds only, and no pulls.
  'application.killBuild'(context, input) {
    context.queue.kill('application', textOr(find(context, input), 'serverId'));
    return undefined;
  },
};
