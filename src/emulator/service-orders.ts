import { mountsIn, serviceMaps } from './compose-text.ts';
import { portsIn } from './published-ports.ts';
import { behaviourIn, type Behaviour } from './images.ts';
import { textOf, textOr, type Json, type Row, isMap, mapOf } from './json-rows.ts';

/** A service as docker is told to run it: what a deployment makes of a row. */
export interface ServiceOrder {
  /** Of the docker service; of a compose the project and the service, or the name that the file gives. */
  readonly name: string;
  /** The file names the container, which then has no number. */
  readonly isNamed: boolean;
  readonly image: string;
  readonly behaviour: Behaviour;
  /** As `address:port/protocol` of the host. */
  readonly ports: readonly string[];
  readonly replicas: number;
  /** Containers of compose are renewed where they stand; Swarm makes a new task each time. */
  readonly isSwarm: boolean;
  /** The node pulls the image, after the deployment; else the deployment did. */
  readonly isPulledLater: boolean;
  readonly hasHealthCheck: boolean;
  readonly restart: { readonly on: 'any' | 'failure' | 'none'; readonly delay: number; readonly attempts: number };
  readonly update: { readonly rollsBack: boolean; readonly isStartFirst: boolean; readonly monitor: number };
  /** Its variables, with their values. */
  readonly env: readonly string[];
  /** A compose starts nothing anew whose definition is the same. */
  readonly definition: string;
}

const second = 1e9; // in nanoseconds, as docker counts

/** What a deployment adds to the row of an application or a database. */
export interface Settings {
  readonly image: string;
  /** Decides how Swarm updates it. */
  readonly isDatabase: boolean;
  readonly env: readonly string[];
  readonly ports: readonly string[];
  /** Where its volumes and folders are mounted. */
  readonly mounts: readonly string[];
}

/** The docker service of an application or a database. Each deployment makes a new task of it. */
export function orderOfRow(row: Row, { image, isDatabase, env, ports, mounts }: Settings): ServiceOrder {
  const name = textOf(row, 'appName');
  const { Condition, Delay, MaxAttempts } = mapOf(row['restartPolicySwarm']);
  const update = mapOf(row['updateConfigSwarm'] ?? { FailureAction: 'rollback', Order: orderOf(isDatabase) });
  return {
    name,
    isNamed: false,
    image,
    behaviour: behaviourIn(image, mounts, env),
    ports,
    replicas: replicasOf(row),
    isSwarm: true,
    isPulledLater: false,
    hasHealthCheck: isHealthCheck(mapOf(row['healthCheckSwarm'])['Test']),
    restart: {
      on: conditionOf(Condition, isJob(mapOf(row['modeSwarm']))),
      delay: numberOr(Delay, 5 * second) / 1e6,
      attempts: numberOr(MaxAttempts, 0),
    },
    update: {
      rollsBack: update['FailureAction'] === 'rollback',
      isStartFirst: update['Order'] === 'start-first',
      monitor: numberOr(update['Monitor'], 5 * second) / 1e6,
    },
    env,
    definition: '',
  };
}

function orderOf(isDatabase: boolean): string {
  return isDatabase ? 'stop-first' : 'start-first';
}

function replicasOf(row: Row): number {
  const { modeSwarm: mode, replicas } = row;
  if (!isMap(mode)) return numberOr(replicas, 1);
  // Docker starts one of an empty mode.
  const isOne = mode['Global'] !== undefined || isJob(mode);
  return isOne ? 1 : numberOr(mapOf(mode['Replicated'])['Replicas'], 1);
}

/** What a service of a compose gets from outside of its definition. */
export interface Surroundings {
  readonly env: readonly string[];
  readonly refusal?: string | undefined;
}

/** The services of a compose, from its file as the deployment wrote it. */
export function ordersOfCompose(content: Row, row: Row, aboutOf: (service: Row) => Surroundings): ServiceOrder[] {
  const appName = textOf(row, 'appName');
  const isSwarm = row['composeType'] === 'stack';
  return Object.entries(serviceMaps(content)).flatMap(([name, service]) => {
    const deploy = mapOf(service['deploy']);
    const image = textOr(service, 'image', `${appName}-${name}`);
    const { env, refusal } = aboutOf(service);
    return {
      name: isSwarm ? `${appName}_${name}` : textOr(service, 'container_name', `${appName}-${name}`),
      isNamed: !isSwarm && typeof service['container_name'] === 'string',
      image,
      behaviour: {
        ...behaviourIn(
          image,
          mountsIn(service).map(({ target }) => target),
          env,
        ),
        refusal,
      },
      ports: portsIn(service, isSwarm),
      replicas: numberOr(deploy['replicas'] ?? service['scale'], 1),
      isSwarm,
      isPulledLater: isSwarm,
      hasHealthCheck: isHealthCheck(mapOf(service['healthcheck'])['test']),
      restart: isSwarm ? restartOfStack(deploy) : restartOfContainer(service['restart']),
      update: {
        rollsBack: mapOf(deploy['update_config'])['failure_action'] === 'rollback',
        isStartFirst: mapOf(deploy['update_config'])['order'] === 'start-first',
        monitor: 5000,
      },
      env,
      definition: JSON.stringify([service, env]),
    };
  });
}

function restartOfStack({ restart_policy, mode }: Row): ServiceOrder['restart'] {
  const policy = mapOf(restart_policy);
  const [, delay = '5'] = /^(\d+)s$/.exec(textOr(policy, 'delay')) ?? [];
  return {
    on: conditionOf(policy['condition'], mode === 'replicated-job' || mode === 'global-job'),
    delay: Number(delay) * 1000,
    attempts: numberOr(policy['max_attempts'], 0),
  };
}

function restartOfContainer(restart: Json | undefined): ServiceOrder['restart'] {
  const [, on, attempts = '0'] = /^(always|unless-stopped|on-failure)(?::(\d+))?$/.exec(String(restart)) ?? [];
  const when = on === 'on-failure' ? 'failure' : 'any';
  return { on: on === undefined ? 'none' : when, delay: 0, attempts: Number(attempts) };
}

/** A task of a job that ends with 0 is complete: https://docs.docker.com/reference/cli/docker/service/create/#jobs */
function conditionOf(condition: Json | undefined, ofJob: boolean): ServiceOrder['restart']['on'] {
  if (condition === 'none') return 'none';
  return condition === 'on-failure' || ofJob ? 'failure' : 'any';
}

function isJob(mode: Row): boolean {
  return mode['ReplicatedJob'] !== undefined || mode['GlobalJob'] !== undefined;
}

function isHealthCheck(test: Json | undefined): boolean {
  const [first] = Array.isArray(test) ? test : [test];
  return first !== undefined && first !== null && first !== 'NONE';
}

function numberOr(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
