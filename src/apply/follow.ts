import { attempts } from '../api/attempts.ts';
import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { type Deployment, deploymentsIn, isFetchedIn, isOver, statusIn } from '../observe/listed-deployments.ts';
import type { Reader } from '../observe/reader.ts';
import type { Clock } from '../state/clock.ts';
import { type Rounds, createRounds } from './rounds.ts';

/** A service that is about to be deployed, or was asked to, and the limits of the wait. */
export interface Watch {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** The rounds of the run; by default it polls alone. */
  readonly rounds?: Rounds;
  /** The queue activity of the run; by default nothing else moves. */
  readonly queue?: QueueActivity;
  readonly kind: Kind;
  readonly id: string;
  readonly before: Before;
  /** Text in the description of the deployment; without it, every new deployment counts as ours. */
  readonly mark?: string | undefined;
  /** The id of the deployment, where an earlier look found it. */
  readonly knownId?: string | undefined;
  /** When its request went out (monotonic ms); now by default. */
  readonly since?: number | undefined;
  /** The longest that it may run, and that it may wait while nothing of this run moves. Milliseconds. */
  readonly limitMs: number;
  /** The longest wait for the beginning of a deployment that the platform may not have accepted. Milliseconds. */
  readonly graceMs?: number | undefined;
  /** The same of one that it accepted; `limitMs` by default. Milliseconds. */
  readonly beginMs?: number | undefined;
  /** Called when the deployment runs, with its id where the platform lists it. */
  readonly onBegin?: (id: string | undefined) => void | Promise<void>;
}

/** A service as it was before its deployment was started. */
interface Before {
  /** The ids of its deployments; undefined where the platform lists none. */
  readonly ids: ReadonlySet<string> | undefined;
  readonly status: string | undefined;
}

/** The deployments of a run that go through the queue of the platform: while they move, those behind them may wait. */
export interface QueueActivity {
  running: number;
  /** When one of them began or ended last (monotonic ms). */
  movedAt: number;
}

/** The end of the wait. `status`: that of the deployment, or of the service where no deployments are listed. */
export type Ending =
  | { readonly is: 'over'; readonly status: string; readonly deployment: Deployment | undefined; readonly row: Row }
  | { readonly is: 'not begun' | 'not over'; readonly row: Row }
  | { readonly is: 'interrupted' }
  | { readonly is: 'gone' };

/**
 * Waits for the end of a deployment. The status of the service alone proves nothing: it stays as it was until the queue
 * takes the job. So the end is that of a deployment that was not listed before; where the platform lists none, a status
 * that differs from the one before.
 *
 * @throws {PlatformError} when the service cannot be read.
 * @throws {Stop} `platform`, when the answer is not the row of the service.
 */
export async function follow(watch: Watch): Promise<Ending> {
  const { reader, clock, signal, kind, id, limitMs, graceMs, beginMs = limitMs } = watch;
  const { since = clock.monotonic(), rounds = createRounds(clock) } = watch;
  // What answers late does not go through the queue.
  const { queue = { running: 0, movedAt: since } } = answersLate(kind) ? {} : watch;
  const times = attempts.deployment;
  const owners: Owners = { ours: new Set(watch.knownId === undefined ? [] : [watch.knownId]), others: new Set() };
  let begun: number | undefined;
  try {
    for (let pause: number = times.firstPauseMs; ;) {
      // A look that takes its time shows what was the case when it began.
      const now = clock.monotonic();
      const row = await reader.row(kind, id);
      if (row === undefined) return { is: 'gone' };
      const seen = lookInList(watch, row, owners) ?? lookAtStatus(watch, row, begun !== undefined);
      if (seen.is === 'over') return { ...seen, is: 'over', row };
      if (seen.is === 'running' && begun === undefined) {
        begun = answersLate(kind) ? since : now;
        queue.running++;
        queue.movedAt = now;
        await watch.onBegin?.(seen.deployment?.id);
      }
      // What waits behind other deployments of this run waits as long as those move.
      const isMoving = begun !== undefined || queue.running > 0;
      const from = begun ?? (isMoving ? clock.monotonic() : Math.max(since, queue.movedAt));
      const left = from + (isMoving ? limitMs : (graceMs ?? beginMs)) - now;
      if (left <= 0) return { is: begun === undefined ? 'not begun' : 'not over', row };
      if (signal?.aborted === true) return { is: 'interrupted' };
      const isRare = now - since >= times.rarerAfterMs;
      const usual = { ...times, longestPauseMs: isRare ? times.longestRarePauseMs : times.longestPauseMs };
      const { pauseGrowth, longestPauseMs } = graceMs === undefined || begun !== undefined ? usual : times.inDoubt;
      await rounds.pause(Math.min(pause, longestPauseMs, left), signal);
      pause *= pauseGrowth;
    }
  } finally {
    if (begun !== undefined) {
      queue.running--;
      queue.movedAt = clock.monotonic();
    }
  }
}

/** The deployment in a row. */
type Seen =
  | { readonly is: 'nothing' }
  | {
      readonly is: 'running' | 'over';
      readonly status: string;
      readonly deployment: Deployment | undefined;
    };

/** The ids of the deployments that this run started, and of those that ran with another description. */
interface Owners {
  readonly ours: Set<string>;
  readonly others: Set<string>;
}

/** Looks in the list, if there is one. Keeps the ids: at its end the platform may describe a deployment by its commit. */
function lookInList({ kind, before, mark }: Watch, row: Row, { ours, others }: Owners): Seen | undefined {
  const listed = deploymentsIn(kind, row);
  if (before.ids === undefined || listed === undefined) return undefined;
  const fresh = listed.filter(({ id }) => before.ids?.has(id) === false);
  for (const item of fresh) {
    if (mark === undefined || item.description?.includes(mark) !== false) ours.add(item.id);
    else if (!isFetchedIn(item)) others.add(item.id);
  }
  const marked = fresh.filter(({ id }) => ours.has(id));
  // One that was over before the first look has no mark any more.
  const unmarked = fresh.filter((item) => isOver(item) && isFetchedIn(item) && !others.has(item.id));
  const own = marked.length > 0 ? marked : unmarked;
  const deployment = own.find((item) => !isOver(item)) ?? own.at(-1);
  if (deployment === undefined) return { is: 'nothing' };
  return { is: isOver(deployment) ? 'over' : 'running', status: deployment.status, deployment };
}

function lookAtStatus({ kind, before }: Watch, row: Row, hasBegun: boolean): Seen {
  const status = statusIn(kind, row);
  const isEnd = hasBegun || ((status === 'done' || status === 'error') && status !== before.status);
  if (status === undefined || (status !== 'running' && !isEnd)) return { is: 'nothing' };
  return { is: status === 'running' ? 'running' : 'over', status, deployment: undefined };
}

/** The deployments and the status in the row of a service. */
export function shownIn(kind: Kind, row: Row): Before {
  const listed = deploymentsIn(kind, row);
  return { ids: listed === undefined ? undefined : new Set(listed.map(({ id }) => id)), status: statusIn(kind, row) };
}

/** Whether the platform answers the request of a deployment when its work is over; it lists no deployments then. */
export function answersLate({ service }: Kind): boolean {
  return service?.deployments === undefined;
}
