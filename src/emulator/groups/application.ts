import { applicationDeployment, runImage } from '../application-deploy.ts';
import type { Group, Handler } from '../context.ts';
import { rowsOf, valuesToSet } from '../crud.ts';
import { deployJob } from '../deployment.ts';
import { ApiError, failed } from '../error-answers.ts';
import { disconnected } from '../git-hosts.ts';
import { omit, textOf, textOr, type Row } from '../json-rows.ts';
import { ordersIn } from '../machine.ts';
import { createService, moveService, setStatus, stale, startAndStop } from '../services.ts';
import { serviceView } from '../views.ts';
import { linesFor, linesOf, requireContainer } from '../container-log.ts';
import { searchServices } from '../search.ts';
import { traefikConfig } from '../traefik-config.ts';
import { clearLogs } from './deployment.ts';

const { find } = rowsOf('application', 'Application');

/** The `application` group, with what is beyond the API document: change all of it, deploy it, give that up. */
export const application: Group = {
  'application.create': (context, input) => createService(context, 'application', { input }),

  'application.one': (context, input) => ({
    ...serviceView(context.store, 'application', find(context, input)),
    hasGitProviderAccess: true,
    unauthorizedProvider: null,
  }),

  'application.saveEnvironment': save({}),
  'application.saveBuildType': save({}),

  // Saving a source makes it the source, and a running application idle; the columns of the others stay as they are.
  'application.saveGithubProvider': save({ sourceType: 'github', applicationStatus: 'idle' }),
  'application.saveGitlabProvider': save({ sourceType: 'gitlab', applicationStatus: 'idle' }),
  'application.saveBitbucketProvider': save({ sourceType: 'bitbucket', applicationStatus: 'idle' }),
  'application.saveGiteaProvider': save({ sourceType: 'gitea', applicationStatus: 'idle' }),
  'application.saveDockerProvider': save({ sourceType: 'docker', applicationStatus: 'idle' }),
  'application.saveGitProvider': save({ sourceType: 'git', applicationStatus: 'idle' }),
  'application.disconnectGitProvider': save({ ...disconnected, sourceType: 'github', applicationStatus: 'idle' }),

  // Nothing ends it.
  'application.markRunning'(context, input) {
    setStatus(context, 'application', find(context, input), 'running');
    return undefined;
  },

  'application.redeploy': queued('Rebuild deployment', true),

  ...startAndStop('application'),

  // The appName in the body is required and ignored.
  'application.reload'(context, input) {
    const row = find(context, input);
    try {
      runImage(context, row);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setStatus(context, 'application', row, 'error');
      throw failed('Error reloading application');
    }
    setStatus(context, 'application', row, 'done');
    return true;
  },

  // The volumes stay on the machine.
  'application.delete': stale('application', ({ store }, row) => {
    store.remove('container', row['appName']);
    store.remove('code', row['appName']);
    store.remove('application', row['applicationId']);
  }),

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

  'application.move': moveService('application'),

  'application.deploy': queued('Manual deployment', false),

  // Of every application on the server, whosever it is. The platform ends builds only, and no pulls.
  'application.killBuild'(context, input) {
    context.queue.kill('application', textOr(find(context, input), 'serverId'));
    return undefined;
  },
};

/** Puts a deployment into the queue; the answer is empty and the status stays until the queue takes the job. */
function queued(title: string, isRebuild: boolean): Handler {
  return (context, input) => {
    const id = textOf(find(context, input), 'applicationId');
    const order = { title: textOr(input, 'title', title), description: textOr(input, 'description'), isRebuild };
    context.queue.add(deployJob(context, applicationDeployment, id, order));
    return undefined;
  };
}

/** Writes what was sent, and with it what the operation always sets. */
function save(forced: Row): Handler {
  return (context, input) => {
    const row = find(context, input);
    context.store.update('application', row['applicationId'], { ...omit(input, ['applicationId']), ...forced });
    return true;
  };
}
