import { attempts } from '../api/attempts.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Deployment } from '../observe/deployments.ts';
import { deploymentsIn, isFetchedIn, isOver, statusIn } from '../observe/deployments.ts';
import type { Reader } from '../observe/reader.ts';
import type { Clock } from '../state/clock.ts';

/** A service with a started deployment, and how long to poll it. */
export interface Watch {
  readonly reader: Reader;
  readonly kind: Kind;
  readonly id: string;
  /** The service as it was before. */
  readonly before: Row;
  /** What the deployment bears in its description; without it, every new one is taken for the one that was ordered. */
  readonly mark?: string | undefined;
  /** Its id, where it was seen before. */
  readonly knownId?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** When it was started (monotonic ms). */
  readonly since: number;
  /** The longest that it may run, and that it may wait while nothing of this run moves. Milliseconds. */
  readonly limitMs: number;
  /** The longest wait for one that may never have been accepted. Milliseconds. */
  readonly graceMs?: number;
  readonly queue: QueueActivity;
  /** It runs from the moment of its start, without a queue. */
  readonly isAtOnce?: boolean;
  /** Told when it is known that it runs, with its id where the platform lists it. */
  readonly onBegin?: (id: string | undefined) => void | Promise<void>;
}

/** The deployments of a run that go through the queue of the platform: while they move, those behind them may wait. */
export interface QueueActivity {
  running: number;
  /** When one of them began or ended last, by the clock that only grows. */
  movedAt: number;
}

/** How watching ended. `status`: that of the deployment, or of the service where no deployments are listed. */
export type Ending =
  | { readonly is: 'over'; readonly status: string; readonly deployment: Deployment | undefined; readonly row: Row }
  | { readonly is: 'not begun' | 'not over'; readonly row: Row }
  | { readonly is: 'interrupted' | 'gone' };

/**
 * Waits for what a service that was told to deploy makes of it. The status alone proves nothing: it stays what it was
 * until the queue takes the job, so what counts is a deployment that was not there before, and where the platform lists
 * none, a status that is another one than before.
 */
export async function follow(watch: Watch): Promise<Ending> {
  const { reader, kind, id, clock, signal, queue } = watch;
  const times = attempts.deployment;
  let begun: number | undefined;
  const ours = new Set(watch.knownId === undefined ? [] : [watch.knownId]);
  try {
    for (let pause: number = times.firstPauseMs; ;) {
      // A look that takes its time shows what was the case when it began.
      const now = clock.monotonic();
      const row = await reader.row(kind, id);
      if (row === undefined) return { is: 'gone' };
      const seen = look(watch, row, { hasBegun: begun !== undefined, ours });
      if (seen.is === 'over') return { ...seen, row };
      if (seen.is === 'running' && begun === undefined) {
        begun = watch.isAtOnce === true ? watch.since : now;
        queue.running++;
        queue.movedAt = now;
        await watch.onBegin?.(seen.id);
      }
      const left = leftOf(watch, begun) - now;
      if (left <= 0) return { is: begun === undefined ? 'not begun' : 'not over', row };
      if (signal?.aborted === true) return { is: 'interrupted' };
      const isRare = now - watch.since >= times.rarerAfterMs;
      const usual = { ...times, longestPauseMs: isRare ? times.longestRarePauseMs : times.longestPauseMs };
      const isKnown = watch.graceMs === undefined || begun !== undefined;
      const { pauseGrowth, longestPauseMs } = isKnown ? usual : times.inDoubt;
      await clock.sleep(Math.min(pause, longestPauseMs, left), signal);
      pause *= pauseGrowth;
    }
  } finally {
    if (begun !== undefined) {
      queue.running--;
      queue.movedAt = clock.monotonic();
    }
  }
}

/** Until when to look. What waits behind others of this run waits as long as those move. */
function leftOf({ clock, since, queue, limitMs, graceMs = limitMs }: Watch, begun: number | undefined): number {
  if (begun !== undefined) return begun + limitMs;
  if (queue.running > 0) return clock.monotonic() + limitMs;
  return Math.max(since, queue.movedAt) + graceMs;
}

/** What a row shows of the deployment that is waited for. */
type Seen =
  | { readonly is: 'nothing' }
  | { readonly is: 'running'; readonly id: string | undefined }
  | { readonly is: 'over'; readonly status: string; readonly deployment: Deployment | undefined };

function look(watch: Watch, row: Row, about: { readonly hasBegun: boolean; readonly ours: Set<string> }): Seen {
  const { kind, before } = watch;
  const known = deploymentsIn(kind, before);
  const listed = deploymentsIn(kind, row);
  return known === undefined || listed === undefined
    ? lookAtStatus(watch, row, about.hasBegun)
    : lookAtList(watch, new Set(known.map(({ id }) => id)), listed, about.ours);
}

/** What the list shows. Whose a deployment is, is remembered: at its end the platform may describe it by its commit. */
function lookAtList(
  { mark }: Watch,
  known: ReadonlySet<string>,
  listed: readonly Deployment[],
  ours: Set<string>,
): Seen {
  const fresh = listed.filter(({ id }) => !known.has(id));
  for (const item of fresh) if (mark === undefined || item.description?.includes(mark) !== false) ours.add(item.id);
  const marked = fresh.filter(({ id }) => ours.has(id));
  // One that ended before the first poll has no mark any more.
  const own = marked.length > 0 ? marked : fresh.filter((item) => isOver(item) && isFetchedIn(item));
  const running = own.find((item) => !isOver(item));
  if (running !== undefined) return { is: 'running', id: running.id };
  const newest = own.at(-1);
  return newest === undefined ? { is: 'nothing' } : { is: 'over', status: newest.status, deployment: newest };
}

function lookAtStatus({ kind, before }: Watch, row: Row, hasBegun: boolean): Seen {
  const status = statusIn(kind, row);
  if (status === 'running') return { is: 'running', id: undefined };
  const isNew = hasBegun || status !== statusIn(kind, before);
  const isEnd = status === 'done' || status === 'error' || (hasBegun && status !== undefined);
  return isNew && isEnd ? { is: 'over', status, deployment: undefined } : { is: 'nothing' };
}
