import { type Row, isRow } from '../../formats/json.ts';
import type { ContainerList } from '../../kind/service.ts';

/** The tasks of an application or a database, which are services of Swarm. */
export function tasksOfService(row: Row): ContainerList {
  // The platform lets Swarm put the former version back where the service does not say otherwise.
  const update = isRow(row['updateConfigSwarm']) ? row['updateConfigSwarm'] : { FailureAction: 'rollback' };
  const check = row['healthCheckSwarm'];
  return {
    call: 'docker.getServiceContainersByAppName',
    members: membersOf(row),
    of: 'tasks',
    isEmpty: copiesOf(row) === 0,
    rollsBackMs:
      update['FailureAction'] === 'rollback' && Number(update['MaxFailureRatio'] ?? 0) === 0
        ? monitorOf(update['Monitor'])
        : 0,
    isChecked: isRow(check) && Array.isArray(check['Test']) && check['Test'].length > 0 && check['Test'][0] !== 'NONE',
  };
}

/** The containers of a compose, or the tasks of a stack. */
export function containersOfCompose(row: Row): ContainerList {
  const members = membersOf(row);
  const other = { isEmpty: false, isChecked: false };
  if (row['composeType'] !== 'stack') {
    const call = 'docker.getContainersByAppNameMatch';
    return { ...other, call, members: { ...members, appType: 'docker-compose' }, of: 'containers', rollsBackMs: 0 };
  }
  const file = String(row['composeFile'] ?? '');
  const rollsBackMs = /\bfailure_action\W+rollback\b/u.test(file)
    ? /\bmonitor\W/u.test(file)
      ? Infinity
      : usualMonitorMs
    : 0;
  return { ...other, call: 'docker.getStackContainersByAppName', members, of: 'stack', rollsBackMs };
}

/** How long Swarm watches a task of an update where nothing says so: https://docs.docker.com/reference/cli/docker/service/create */
const usualMonitorMs = 5_000;

/** The same as a service says it, in nanoseconds. */
function monitorOf(monitor: unknown): number {
  return Number(monitor) > 0 ? Number(monitor) / 1e6 : usualMonitorMs;
}

function membersOf({ appName, serverId }: Row): Record<string, string> {
  return { appName: String(appName), ...(typeof serverId === 'string' && serverId !== '' ? { serverId } : {}) };
}

/** How many copies a service is to have. */
function copiesOf({ modeSwarm: mode, replicas }: Row): unknown {
  const replicated = isRow(mode) ? mode['Replicated'] : { Replicas: replicas };
  return isRow(replicated) ? replicated['Replicas'] : undefined;
}
