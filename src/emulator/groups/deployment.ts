import { callersOrganization } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { pick, textOf, type Json, type Row } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import { placed } from '../placed.ts';
import { organizationOf } from '../rules/rule.ts';
import type { Store } from '../table-store.ts';

const { find } = rowsOf('deployment', 'Deployment');

/** The `deployment` group, which the API document does not have: runs by what they belong to, and what waits. */
export const deployment: Group = {
  // An unknown id has no deployments.
  'deployment.all': ({ store }, input) => runsOf(store, 'applicationId', input['applicationId']),
  'deployment.allByCompose': ({ store }, input) => runsOf(store, 'composeId', input['composeId']),

  'deployment.allByServer'(context, input) {
    const server = context.store.find('server', input['serverId']);
    if (server === undefined) throw notFound('Server');
    checkMachine(context, server['serverId'], 'server');
    return runsOf(context.store, 'serverId', server['serverId']);
  },

  // Of applications and compose stacks only.
  'deployment.allCentralized': (context) =>
    newestFirst(
      (['application', 'compose'] as const).flatMap((table) =>
        placed(context, table).flatMap(({ service, place }) =>
          context.store
            .children('deployment', `${table}Id`, service[`${table}Id`])
            .map((run) => centralView(context.store, run, { table, service, place })),
        ),
      ),
    ),

  // Of every organization; where a service is, only of one's own.
  'deployment.queueList': (context) =>
    context.queue.list().map((job) => ({ ...job, servicePath: pathOf(context, job['data'] as Row) })), // every job has data

  // No deployment of the emulator is kept for a rollback.
  'deployment.allByType'(context, input) {
    const type = textOf(input, 'type');
    if (type === 'schedule') {
      const schedule = context.store.find('schedule', input['id']);
      if (schedule === undefined) throw notFound('Schedule');
      checkMachine(context, schedule['serverId'], 'schedule');
    }
    return runsOf(context.store, `${type}Id`, input['id']).map((run) => ({ ...run, rollback: null }));
  },

  // Only runs of schedules have a process that can be ended.
  'deployment.killProcess'(context, input) {
    const run = findOwn(context, input);
    if (run['pid'] === null) throw new ApiError('BAD_REQUEST', 'Deployment is not running');
    context.store.update('deployment', run['deploymentId'], { status: 'error', finishedAt: context.now() });
    return undefined;
  },

  // With its log.
  'deployment.removeDeployment'(context, input) {
    const run = findOwn(context, input);
    return context.store.remove('deployment', run['deploymentId']);
  },

  // What a deployment that succeeded writes is made up.
  'deployment.readLogs'(context, input) {
    const { deploymentId } = findOwn(context, input);
    const kept = context.store.find('log', deploymentId);
    const text = kept === undefined ? 'Initializing deployment' : textOf(kept, 'text');
    return `${text.split('\n').slice(-Number(input['tail'])).join('\n')}\n`;
  },
};

/** Deletes the logs of a service; the rows of its deployments stay. */
export function clearLogs(store: Store, column: string, id: Json | undefined): true {
  for (const { deploymentId = null } of store.children('deployment', column, id))
    if (store.update('log', deploymentId, { text: '' }) === undefined) store.insert('log', { deploymentId, text: '' });
  return true;
}

function runsOf(store: Store, column: string, id: Json | undefined): Row[] {
  return newestFirst(store.children('deployment', column, id));
}

/** A deployment; one of a schedule on a machine only of the own organization, all others of any. */
function findOwn(context: Context, input: Row): Row {
  const run = find(context, input);
  if (run['applicationId'] !== null || run['composeId'] !== null) return run;
  checkMachine(context, context.store.find('schedule', run['scheduleId'])?.['serverId'], 'deployment');
  return run;
}

function checkMachine(context: Context, serverId: Json | undefined, thing: string): void {
  const server = context.store.find('server', serverId);
  if (server === undefined || server['organizationId'] === callersOrganization(context)) return;
  throw new ApiError('UNAUTHORIZED', `You don't have access to this ${thing}.`);
}

function centralView(
  store: Store,
  run: Row,
  { table, service, place }: { readonly table: 'application' | 'compose'; readonly service: Row; readonly place: Row },
): Row {
  const server = (id: Json | undefined): Json => {
    const row = store.find('server', id);
    return row === undefined ? null : pick(row, ['serverId', 'name', 'serverType']);
  };
  const { projectId = null, projectName = null, environmentId = null, environmentName = null } = place;
  const view = {
    ...pick(service, [`${table}Id`, 'name', 'appName', 'icon']),
    environment: { environmentId, name: environmentName, project: { projectId, name: projectName } },
    server: server(service['serverId']),
    ...(table === 'application' ? { buildServer: server(service['buildServerId']) } : {}),
  };
  const buildServer = server(run['buildServerId']);
  return { ...run, application: null, compose: null, [table]: view, server: server(run['serverId']), buildServer };
}

/** Where the pages of the platform show the service of a job. */
function pathOf(context: Context, data: Row): Row {
  const { store } = context;
  const table = data['applicationType'] === 'compose' ? 'compose' : 'application';
  const row = store.find(table, data[`${table}Id`]);
  if (row === undefined) return { href: null, label: '—' };
  const label = table === 'compose' ? 'Compose' : 'Application';
  if (organizationOf(store, row) !== callersOrganization(context)) return { href: null, label };
  const environment = store.find('environment', row['environmentId']) ?? {};
  const [project, place, id] = [environment['projectId'], environment['environmentId'], row[`${table}Id`]].map(String);
  return { href: `/dashboard/project/${project}/environment/${place}/services/${table}/${id}`, label };
}
