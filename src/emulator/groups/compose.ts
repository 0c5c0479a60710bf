import {
  convertedFile,
  formatComposeFile,
  mountsOfService,
  parseComposeFile,
  serviceNames,
  withSuffix,
} from '../compose-text.ts';
import { composeDeployment } from '../compose-deploy.ts';
import { fetchSource, isFromGit, sourceOnDisk } from '../compose-source.ts';
import type { Group, Handler } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { linesFor, linesOf } from '../container-log.ts';
import { deployJob } from '../deployment.ts';
import { ApiError, notFound, failed } from '../error-answers.ts';
import { disconnected } from '../git-hosts.ts';
import { omit, textOf, textOr } from '../json-rows.ts';
import { hasContainer, startContainer, stopContainer } from '../machine.ts';
import { derive } from '../made-up-names.ts';
import { joinNetworks } from '../networks-joined.ts';
import { createService, moveService, saveEnvironment, setStatus, stale } from '../services.ts';
import { reachServer } from '../reach.ts';
import { searchServices } from '../search.ts';
import { serviceView } from '../views.ts';
import { clearLogs } from './deployment.ts';
import { findContainer } from './docker.ts';

const { find } = rowsOf('compose', 'Compose');

/** The `compose` group. */
export const compose: Group = {
  'compose.create': (context, input) => createService(context, 'compose', { input }),

  'compose.one': (context, input) => ({
    ...serviceView(context.store, 'compose', find(context, input)),
    hasGitProviderAccess: true,
    unauthorizedProvider: null,
  }),

  // The appName is accepted and ignored; an unknown id is a success with an empty body.
  'compose.update': ({ store }, input) =>
    store.update('compose', input['composeId'], omit(input, ['composeId', 'appName'])),

  'compose.delete': stale('compose', ({ store }, row) => {
    store.remove('container', row['appName']);
    store.remove('composeFile', row['appName']);
    store.remove('compose', row['composeId']);
  }),

  'compose.deploy': queued('Manual deployment', 'Deployment queued', false),
  'compose.redeploy': queued('Rebuild deployment', 'Redeployment queued', true),

  'compose.start'(context, input) {
    const row = find(context, input);
    // A stack is called started without anything being done.
    if (row['composeType'] === 'docker-compose') {
      if (!hasContainer(context.store, row)) setStatus(context, 'compose', row, 'idle');
      startContainer(context, row);
    }
    setStatus(context, 'compose', row, 'done');
    return true;
  },

  'compose.stop'(context, input) {
    const row = find(context, input);
    if (row['composeType'] === 'docker-compose' && !hasContainer(context.store, row)) {
      setStatus(context, 'compose', row, 'error');
      throw failed('Command execution failed: no such file or directory');
    }
    stopContainer(context, row);
    setStatus(context, 'compose', row, 'idle');
    return true;
  },

  'compose.cleanQueues'({ queue }, input) {
    queue.clean(textOf(input, 'composeId'));
    return { success: true, message: 'Queues cleaned successfully' };
  },

  // Kills every compose build on the server, whosever it is.
  'compose.killBuild'(context, input) {
    context.queue.kill('compose', textOr(find(context, input), 'serverId'));
    return undefined;
  },

  'compose.refreshToken'(context, input) {
    const row = find(context, input);
    context.store.update('compose', row['composeId'], { refreshToken: context.newId() });
    return true;
  },

  'compose.saveEnvironment': saveEnvironment('compose'),

  'compose.clearDeployments': (context, input) =>
    clearLogs(context.store, 'composeId', find(context, input)['composeId']),

  'compose.disconnectGitProvider'(context, input) {
    const { composeId } = find(context, input);
    context.store.update('compose', composeId, { ...disconnected, sourceType: 'github', composeStatus: 'idle' });
    return true;
  },

  'compose.move': moveService('compose'),

  'compose.search': searchServices('compose'),

  // Of any container of the machine, by its name or its id. What docker says of an unknown one counts as a log.
  'compose.readLogs'(context, input) {
    const { serverId = null } = find(context, input);
    reachServer(context.store, serverId);
    const found = findContainer(context, serverId, textOf(input, 'containerId'));
    const lines =
      found === undefined
        ? [`Error response from daemon: No such container: ${textOf(input, 'containerId')}`]
        : linesOf(found.order);
    return linesFor(input, lines);
  },

  'compose.loadServices'(context, input) {
    const row = find(context, input);
    const text = input['type'] === 'fetch' ? fetchSource(context.store, row) : sourceOnDisk(context.store, row);
    const content = text === undefined ? null : parseComposeFile(text);
    if (content === null) throw notFound('Services');
    return serviceNames(content);
  },

  'compose.loadMountsByService'(context, input) {
    const row = find(context, input);
    if (!hasContainer(context.store, row)) return undefined;
    const content = parseComposeFile(sourceOnDisk(context.store, row) ?? '');
    return mountsOfService(content, textOf(row, 'appName'), textOf(input, 'serviceName'));
  },

  'compose.fetchSourceType'(context, input) {
    const row = find(context, input);
    fetchSource(context.store, row);
    return textOf(row, 'sourceType');
  },

  'compose.getConvertedCompose'(context, input) {
    const row = find(context, input);
    const content = parseComposeFile(fetchSource(context.store, row));
    const domains = context.store.children('domain', 'composeId', row['composeId']);
    const converted = convertedFile(content, row, domains);
    joinNetworks(context.store, converted, row);
    return formatComposeFile(converted);
  },

  'compose.randomizeCompose'(context, input) {
    const row = find(context, input);
    const suffix = textOr(input, 'suffix');
    const wanted = suffix === '' ? derive(context.newId(), 'randomize', 8) : suffix;
    return formatComposeFile(withSuffix(parseComposeFile(textOf(row, 'composeFile')), wanted));
  },

  'compose.isolatedDeployment': (context, input) =>
    formatComposeFile(parseComposeFile(fetchSource(context.store, find(context, input)))),

  'compose.getDefaultCommand'(context, input) {
    const row = find(context, input);
    const path = isFromGit(row) ? textOf(row, 'composePath') : 'docker-compose.yml';
    const appName = textOf(row, 'appName');
    return row['composeType'] === 'stack'
      ? `docker stack deploy -c ${path} ${appName} --prune --with-registry-auth`
      : `docker compose -p ${appName} -f ${path} up -d --build --remove-orphans`;
  },

  'compose.deployTemplate'() {
    throw new ApiError('BAD_REQUEST', 'The templates are on the internet, which the emulator does not reach');
  },
};

/** Answers before the work: the status stays what it was until the queue takes the job. */
function queued(title: string, message: string, isRebuild: boolean): Handler {
  return (context, input) => {
    const composeId = textOf(find(context, input), 'composeId');
    const order = {
      title: textOr(input, 'title', title),
      description: textOr(input, 'description'),
      isRebuild,
    };
    context.queue.add(deployJob(context, composeDeployment, composeId, order));
    return { success: true, message, composeId };
  };
}
