import { createHash } from 'node:crypto';
import { pullProblem } from './images.ts';
import { derive } from './made-up-names.ts';
import type { ServiceOrder } from './service-orders.ts';

/** A container of a service, or a task of Swarm with its container, at one moment. Times are in milliseconds. */
export interface Life {
  readonly taskId: string;
  /** undefined: there is no container yet. */
  readonly containerId: string | undefined;
  readonly createdAt: number;
  readonly startedAt: number;
  readonly state:
    | 'pending'
    | 'preparing'
    | 'ready'
    | 'starting'
    | 'running'
    | 'complete'
    | 'failed'
    | 'rejected'
    | 'shutdown'
    | 'restarting';
  readonly since: number;
  readonly error: string;
  /** Of a container that ended. */
  readonly code: number | undefined;
  readonly health: 'starting' | 'healthy' | 'unhealthy' | undefined;
  readonly restarts: number;
}

/** The end that a container comes to by itself, some time after its start. */
interface End {
  readonly after: number;
  readonly state: 'complete' | 'failed' | 'rejected';
  readonly code: number;
  readonly error: string;
}

/** When something runs: from a time to another, seen at a third. */
interface Span {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** What ends a task of Swarm; undefined: nothing does. */
function endOf({ image, isPulledLater, isSwarm, behaviour }: ServiceOrder): End | undefined {
  const { exit, unhealthy, refusal } = behaviour;
  if (refusal !== undefined) return { after: 0, state: 'rejected', code: 0, error: refusal };
  if (isPulledLater && pullProblem(image) !== undefined)
    return { after: 0, state: 'rejected', code: 0, error: `No such image: ${image}` };
  // Docker itself leaves a container whose health check fails alone.
  if (unhealthy !== undefined && isSwarm) {
    const error = 'task: non-zero exit (137): dockerexec: unhealthy container';
    return { after: unhealthy, state: 'failed', code: 137, error };
  }
  if (exit === undefined) return undefined;
  const { code, after } = exit;
  if (code === 0) return { after, state: 'complete', code, error: '' };
  return { after, state: 'failed', code, error: `task: non-zero exit (${code})` };
}

/** Milliseconds until a new task runs, health check included; Infinity: it never does. */
export function timeToRun(order: ServiceOrder): number {
  const { healthy = 0, unhealthy, pending } = order.behaviour;
  const pull = pullOf(order);
  if (pending !== undefined || unhealthy !== undefined || endOf(order)?.state === 'rejected') return Infinity;
  return pull + healthy;
}

/** Milliseconds until Swarm takes an update back, because its first task fails within the time that it is watched. */
export function timeToRollback(order: ServiceOrder): number {
  const end = endOf(order);
  if (end === undefined || !order.update.rollsBack) return Infinity;
  const runs = timeToRun(order);
  const fails = pullOf(order) + end.after;
  return runs === Infinity || fails - runs <= order.update.monitor ? fails : Infinity;
}

function pullOf(order: ServiceOrder): number {
  if (!order.isPulledLater) return 0;
  return /\bstall:/.test(order.image) ? Infinity : (order.behaviour.pull ?? 0);
}

/** The tasks that Swarm makes one after another for one slot of a service, newest first. */
export function livesOf(order: ServiceOrder, span: Span): Life[] {
  const lives: Life[] = [];
  const end = endOf(order);
  const until = Math.min(span.now, span.to);
  const times = order.behaviour.exit?.times ?? Infinity;
  const period = Math.max(100, (end?.after ?? 0) + order.restart.delay);
  // Of thousands of restarts only the last ones are kept.
  const isEndless = times === Infinity && order.restart.attempts === 0;
  const skipped = isEndless && end !== undefined ? Math.max(0, Math.floor((until - span.from) / period) - 8) : 0;
  let created = span.from + skipped * period;
  let start = created + (skipped === 0 ? pullOf(order) : order.restart.delay);
  for (let n = skipped; ; n += 1) {
    const about = { order, span, n, created, start };
    const over = end === undefined || n >= times ? Infinity : start + end.after;
    if (end === undefined || over > until) {
      lives.push(living(about, until));
      break;
    }
    const { state, code, error } = end;
    lives.push({ ...atStart(about), state, since: over, code, error, health: undefined });
    if (over >= span.to || !restarts(order, code, n)) break;
    created = over;
    start = over + Math.max(order.restart.delay, period - end.after);
  }
  return lives.toReversed();
}

interface About {
  readonly order: ServiceOrder;
  readonly span: Span;
  readonly n: number;
  readonly created: number;
  readonly start: number;
}

function atStart({ order, span, n, created, start }: About) {
  const taskId = derive(`${span.id}#${n}`, 'task', 25);
  const hasContainer = endOf(order)?.state !== 'rejected';
  return {
    taskId,
    containerId: hasContainer ? createHash('sha256').update(taskId).digest('hex') : undefined,
    createdAt: created,
    startedAt: start,
    restarts: 0,
  };
}

/** A task that did not end by itself: as it is, or shut down. */
function living(about: About, until: number): Life {
  const { order, span, created, start, n } = about;
  const behaviour = order.behaviour;
  const life = { ...atStart(about), error: '', code: undefined, health: undefined };
  const health = healthAt(order, until - start);
  const none = { ...life, containerId: undefined };
  if (span.to <= span.now) return { ...life, state: 'shutdown', since: span.to, code: 0 };
  if (behaviour.pending !== undefined) return { ...none, state: 'pending', since: created, error: behaviour.pending };
  if (until < start)
    return n === 0 ? { ...none, state: 'preparing', since: created } : { ...life, state: 'ready', since: created };
  if (health === 'starting' || health === 'unhealthy')
    return { ...life, state: 'starting', since: start, health: 'starting' };
  return { ...life, state: 'running', since: start + (behaviour.healthy ?? 0), health };
}

/** The container of a service of a compose: docker starts the same one again. */
export function containerLife(order: ServiceOrder, span: Span): Life {
  const end = endOf(order);
  const times = order.behaviour.exit?.times ?? Infinity;
  let [start, restarted, pause] = [span.from, 0, 0];
  for (;;) {
    const life = { ...atStart({ order, span, n: 0, created: span.from, start }), error: '', restarts: restarted };
    const over = end === undefined || restarted >= times ? Infinity : start + end.after;
    if (span.to <= Math.min(span.now, over))
      return { ...life, state: 'shutdown', since: span.to, code: 0, health: undefined };
    if (end === undefined || over > span.now)
      return { ...life, state: 'running', since: start, code: undefined, health: healthAt(order, span.now - start) };
    const { state, code } = end;
    if (!restarts(order, code, restarted)) return { ...life, state, since: over, code, health: undefined };
    // Each pause is twice the one before, unless it ran for ten seconds.
    const next = end.after >= 10_000 ? 100 : Math.min(100 * 2 ** restarted, 60_000);
    if (span.now < over + next) return { ...life, state: 'restarting', since: over, code, health: undefined };
    const isSteady = next === pause && times === Infinity && order.restart.attempts === 0;
    const more = isSteady ? Math.max(1, Math.floor((span.now - start) / (end.after + next))) : 1;
    [start, restarted, pause] = [start + more * (end.after + next), restarted + more, next];
  }
}

function restarts({ restart }: ServiceOrder, code: number, n: number): boolean {
  if (restart.on === 'none' || (restart.on === 'failure' && code === 0)) return false;
  return restart.attempts === 0 || n < restart.attempts;
}

function healthAt(order: ServiceOrder, age: number): Life['health'] {
  const { healthy, unhealthy } = order.behaviour;
  if (!order.hasHealthCheck && healthy === undefined && unhealthy === undefined) return undefined;
  if (unhealthy !== undefined) return age < unhealthy ? 'starting' : 'unhealthy';
  return age < (healthy ?? 0) ? 'starting' : 'healthy';
}
