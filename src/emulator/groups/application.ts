import { applicationDeployment, runImage } from '../application-deploy.ts';
import { grantToCaller } from '../caller.ts';
import type { Context, Group, Handler } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { deployJob } from '../deployment.ts';
import { ApiError } from '../error-answers.ts';
import { disconnected } from '../git-hosts.ts';
import { omit, textOf, textOr, type Row } from '../json-rows.ts';
import { startContainer, stopContainer } from '../machine.ts';
import { suffixedAppName } from '../made-up-names.ts';
import { checkAppName, checkPlacement } from '../placement.ts';
import { applicationView } from '../views.ts';

/** The row that an input names. */
export const { find } = rowsOf('application', 'Application');

/** The `application` group. */
export const application: Group = {
  'application.create'(context, input) {
    checkPlacement(context, input);
    const applicationId = context.newId();
    const appName = suffixedAppName('app', input['appName'] as string | undefined, applicationId);
    checkAppName(context, appName);
    const row = context.store.insert('application', {
      ...input,
      applicationId,
      appName,
      refreshToken: context.newId(),
      createdAt: context.now(),
    });
    grantToCaller(context, 'accessedServices', applicationId);
    return row;
  },

  'application.one': (context, input) => ({
    ...applicationView(context.store, find(context, input)),
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
    setStatus(context, find(context, input), 'running');
    return undefined;
  },

  'application.redeploy': queued('Rebuild deployment', true),

  'application.start': stale((context, row) => {
    startContainer(context, row);
    setStatus(context, row, 'done');
  }),

  'application.stop': stale((context, row) => {
    stopContainer(context, row);
    setStatus(context, row, 'idle');
  }),

  // The appName in the body is required and ignored.
  'application.reload'(context, input) {
    const row = find(context, input);
    try {
      runImage(context, row);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setStatus(context, row, 'error');
      throw new ApiError('INTERNAL_SERVER_ERROR', 'Error reloading application');
    }
    setStatus(context, row, 'done');
    return true;
  },

  // The volumes stay on the machine.
  'application.delete': stale(({ store }, row) => {
    store.remove('container', row['appName']);
    store.remove('code', row['appName']);
    store.remove('application', row['applicationId']);
  }),
};

/** Puts a deployment into the queue; the answer is empty and the status stays until the queue takes the job. */
export function queued(title: string, isRebuild: boolean): Handler {
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

/** Answers with what the application was before the operation did its work. */
function stale(work: (context: Context, row: Row) => void): Handler {
  return (context, input) => {
    const row = find(context, input);
    const before = applicationView(context.store, row);
    work(context, row);
    return before;
  };
}

function setStatus({ store }: Context, row: Row, applicationStatus: string): void {
  store.update('application', row['applicationId'], { applicationStatus });
}
