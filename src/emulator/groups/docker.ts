import { callersOrganization } from '../caller.ts';
import type { Context, Group, Handler, Reply } from '../context.ts';
import { duration } from '../docker-words.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { headStart } from '../images.ts';
import { textOf, type Json, type Row } from '../json-rows.ts';
import { ordersIn } from '../machine.ts';
import { whyUnreachable } from '../reach.ts';
import { tasksOf, type Task } from '../tasks.ts';

/** The `docker` group: what the platform makes of the texts of docker. An error of docker is an empty list. */
export const docker: Group = {
  // Names with `dokploy` are left out.
  'docker.getContainers': onServer([], (context, input) =>
    containersOn(context, input)
      .filter((task) => !containerName(task).includes('dokploy'))
      .map((task) => {
        const { containerId, name, state, status } = containerView(context, task);
        const about = { containerId, name, image: task.order.image, ports: '', state, status };
        return input['serverId'] === undefined ? about : { ...about, serverId: input['serverId'] };
      }),
  ),

  // Without a type it is a search for what begins with the name, as a pattern; a stack shows what shall run.
  'docker.getContainersByAppNameMatch': onServer([], (context, input) => {
    const appName = textOf(input, 'appName');
    if (input['appType'] === 'stack')
      return stackTasks(context, input)
        .filter(isDesired)
        .map((task) => stackView(context, task));
    if (input['appType'] === 'docker-compose')
      return containersOn(context, input, (service) => service['appName'] === appName)
        .filter(({ order }) => !order.isSwarm)
        .map((task) => containerView(context, task));
    const begins = new RegExp(`^${appName}`);
    return containersOn(context, input)
      .filter((task) => begins.test(containerName(task)))
      .map((task) => containerView(context, task));
  }),

  'docker.getServiceContainersByAppName': onServer([], (context, input) => {
    const name = textOf(input, 'appName');
    const has = (service: Row) => ordersIn(service).some((order) => order.isSwarm && order.name === name);
    const tasks = tasksOn(context, input, has).filter(({ order }) => order.name === name);
    return tasks.map((task, at) => taskView(context, task, tasks[at - 1]));
  }),

  'docker.getStackContainersByAppName': onServer([], (context, input) => {
    const tasks = stackTasks(context, input);
    return tasks.map((task, at) => taskView(context, task, tasks[at - 1]));
  }),

  // All that docker knows, variables included.
  'docker.getConfig': onServer(undefined, (context, input) => {
    const found = findContainer(context, input['serverId'] ?? null, textOf(input, 'containerId'));
    return found === undefined ? undefined : inspected(context, found);
  }),
};

/** Asks docker on a server; where it cannot be reached, the answer is what the platform makes of an error. */
function onServer(failed: Reply, ask: (context: Context, input: Row) => Reply): Handler {
  return (context, input) => {
    const { serverId } = input;
    if (serverId === undefined || serverId === '') return ask(context, input);
    const server = context.store.find('server', serverId);
    if (server === undefined) throw notFound('Server');
    if (server['organizationId'] !== callersOrganization(context)) throw new ApiError('UNAUTHORIZED', 'UNAUTHORIZED');
    return whyUnreachable(context.store, serverId) === undefined ? ask(context, input) : failed;
  };
}

/** A container on a machine by its name or the beginning of its id. */
export function findContainer(context: Context, serverId: Json, wanted: string): Task | undefined {
  return containersOn(context, { serverId }).find(
    (task) => containerName(task) === wanted || (task.containerId ?? '').startsWith(wanted),
  );
}

/** The tasks of the services on a machine that are asked for, by service. */
function tasksOn(context: Context, { serverId }: Row, isAsked = (_service: Row): boolean => true): Task[] {
  const services = Object.values(context.store.world.tables.container);
  const asked = services.filter((service) => (service['serverId'] ?? '') === (serverId ?? '') && isAsked(service));
  return asked.flatMap((service) => tasksOf(context, textOf(service, 'appName')));
}

/** What `docker ps -a` lists on a machine, newest first. */
function containersOn(context: Context, input: Row, isAsked?: (service: Row) => boolean): Task[] {
  return tasksOn(context, input, isAsked)
    .filter(({ isHere }) => isHere)
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

function stackTasks(context: Context, input: Row): Task[] {
  const name = textOf(input, 'appName');
  return tasksOn(context, input, (service) => service['appName'] === name).filter(
    ({ order }) => order.isSwarm && order.name !== name,
  );
}

function isDesired(task: Task): boolean {
  return desiredState(task) === 'running';
}

function desiredState({ state }: Task): string {
  if (state === 'ready') return 'ready';
  return ['pending', 'preparing', 'starting', 'running'].includes(state) ? 'running' : 'shutdown';
}

function containerName({ name, order, taskId }: Task): string {
  return order.isSwarm ? `${name}.${taskId}` : name;
}

const containerStates: Readonly<Record<Task['state'], string>> = {
  pending: 'created',
  preparing: 'created',
  ready: 'created',
  starting: 'running',
  running: 'running',
  restarting: 'restarting',
  complete: 'exited',
  failed: 'exited',
  rejected: 'exited',
  shutdown: 'exited',
};

/** A line of `docker ps`. */
function containerView(context: Context, task: Task) {
  const state = containerStates[task.state];
  const ago = (time: number) => duration(Date.parse(context.now()) - time);
  const health = task.health === 'starting' ? 'health: starting' : task.health;
  const up = `Up ${ago(task.startedAt - headStart(task.order))}${health === undefined ? '' : ` (${health})`}`;
  const ended = `${state === 'restarting' ? 'Restarting' : 'Exited'} (${task.code ?? 0}) ${ago(task.since)} ago`;
  const statuses: Readonly<Record<string, string>> = { created: 'Created', running: up };
  return {
    containerId: (task.containerId ?? '').slice(0, 12),
    name: containerName(task),
    state,
    status: statuses[state] ?? ended,
  };
}

function currentState(context: Context, { state, since, order }: Task): string {
  const from = state === 'running' ? since - headStart(order) : since;
  const ago = duration(Date.parse(context.now()) - from).toLowerCase();
  return `${state.charAt(0).toUpperCase()}${state.slice(1)} ${ago} ago`;
}

/** A line of `docker service ps`: the id is that of the task. Older tasks of a slot are indented. */
function taskView(context: Context, task: Task, before: Task | undefined): Row {
  return {
    containerId: task.taskId,
    name: before?.name === task.name ? `\\_ ${task.name}` : task.name,
    state: desiredState(task),
    node: task.node,
    currentState: currentState(context, task),
    error: quoted(task.error),
  };
}

/** A task of a stack with its container. */
function stackView(context: Context, task: Task): Row {
  const now = currentState(context, task);
  return {
    containerId: (task.containerId ?? '').slice(0, 12),
    name: `${task.name}.${task.taskId}`,
    node: task.node,
    state: task.state,
    status: task.error === '' ? now : `${now} (${quoted(task.error)})`,
  };
}

function quoted(error: string): string {
  return error === '' ? '' : `"${error}"`;
}

/** A part of what `docker inspect` prints. */
function inspected(context: Context, task: Task): Row {
  const { order, health, startedAt, since, code } = task;
  const status = containerStates[task.state];
  const isRunning = status === 'running';
  const time = (at: number): string => new Date(at).toISOString();
  const checks = health === undefined ? {} : { Health: healthView(health, time(Date.parse(context.now()))) };
  return {
    Id: task.containerId ?? '',
    Created: time(task.createdAt),
    Name: `/${containerName(task)}`,
    State: {
      Status: status,
      Running: isRunning,
      Paused: false,
      Restarting: status === 'restarting',
      OOMKilled: false,
      Dead: false,
      ExitCode: code ?? 0,
      Error: '',
      StartedAt: time(startedAt),
      FinishedAt: isRunning || code === undefined ? '0001-01-01T00:00:00Z' : time(since),
      ...checks,
    },
    RestartCount: task.restarts,
    Config: { Image: order.image, Env: [...order.env] },
  };
}

function healthView(health: string, now: string): Json {
  const isWell = health !== 'unhealthy';
  const check = { Start: now, End: now, ExitCode: isWell ? 0 : 1, Output: isWell ? '' : 'connection refused' };
  return { Status: health, FailingStreak: isWell ? 0 : 3, Log: health === 'starting' ? [] : [check] };
}
