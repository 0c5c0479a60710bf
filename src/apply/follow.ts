import type { Client } from '../api/client.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Deployment } from '../observe/deployments.ts';
import { deploymentsIn, statusIn } from '../observe/deployments.ts';
import { readRow } from '../observe/read-row.ts';
import type { Clock } from '../state/clock.ts';

/** A service that was told to deploy, and how long to look at it. */
export interface Watch {
  readonly client: Client;
  readonly kind: Kind;
  readonly id: string;
  /** The service as it was before. */
  readonly before: Row;
  /** What the deployment bears in its description; without it, every new one is taken for the one that was ordered. */
  readonly mark?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** When it was ordered, by the clock that only grows. */
  readonly since: number;
  /** The longest that it may run, and that it may wait while nothing of this run moves. Milliseconds. */
  readonly limitMs: number;
  /** The longest to wait for one that may never have been ordered. Milliseconds. */
  readonly graceMs?: number;
  readonly traffic: Traffic;
  /** It runs from the moment that it was ordered, without a queue. */
  readonly isAtOnce?: boolean;
  /** Told when it is known that it runs. */
  readonly onBegin?: () => void;
}

/** The deployments of a run that go through the queue of the platform: while they move, those behind them may wait. */
export interface Traffic {
  running: number;
  /** When one of them began or ended last, by the clock that only grows. */
  movedAt: number;
}

/** How watching ended. `status`: that of the deployment, or of the service where no deployments are listed. */
export type Ending =
  | { readonly is: 'over'; readonly status: string; readonly deployment: Deployment | undefined; readonly row: Row }
  | { readonly is: 'not begun' | 'not over'; readonly row: Row }
  | { readonly is: 'interrupted' | 'gone' };

/** Milliseconds between two looks: few at first, because many deployments are over at once. */
const pauses = { first: 50, most: 2_000, mostLater: 5_000, laterFrom: 60_000 };

/**
 * Waits for what a service that was told to deploy makes of it. The status alone proves nothing: it stays what it was
 * until the queue takes the job, so what counts is a deployment that was not there before, and where the platform lists
 * none, a status that is another one than before.
 */
export async function follow(watch: Watch): Promise<Ending> {
  const { client, kind, id, clock, signal, traffic, limitMs, graceMs = limitMs } = watch;
  let begun: number | undefined;
  try {
    for (let pause = pauses.first; ; pause *= 2) {
      const row = await readRow(client, kind, id);
      if (row === undefined) return { is: 'gone' };
      const seen = look(watch, row, begun !== undefined);
      if (typeof seen === 'object') return { is: 'over', row, ...seen };
      const now = clock.monotonic();
      if (seen === 'running' && begun === undefined) {
        begun = watch.isAtOnce === true ? watch.since : now;
        traffic.running++;
        traffic.movedAt = now;
        watch.onBegin?.();
      }
      const left =
        begun !== undefined
          ? begun + limitMs - now
          : traffic.running > 0
            ? limitMs
            : Math.max(watch.since, traffic.movedAt) + graceMs - now;
      if (left <= 0) return { is: begun === undefined ? 'not begun' : 'not over', row };
      if (signal?.aborted === true) return { is: 'interrupted' };
      const most = now - watch.since < pauses.laterFrom ? pauses.most : pauses.mostLater;
      await clock.sleep(Math.min(pause, most, left), signal);
    }
  } finally {
    if (begun !== undefined) {
      traffic.running--;
      traffic.movedAt = clock.monotonic();
    }
  }
}

/** What a row shows of the deployment that is waited for. */
function look(
  { kind, before, mark }: Watch,
  row: Row,
  hasBegun: boolean,
): 'nothing' | 'running' | { readonly status: string; readonly deployment: Deployment | undefined } {
  const known = deploymentsIn(kind, before);
  const listed = deploymentsIn(kind, row);
  if (known !== undefined && listed !== undefined) {
    const ids = new Set(known.map((item) => item.id));
    const fresh = listed.filter((item) => !ids.has(item.id));
    const isOurs = ({ description }: Deployment) =>
      mark === undefined || description === undefined || description.includes(mark);
    const ours = fresh.filter(isOurs);
    if (ours.some(({ status }) => status === 'running')) return 'running';
    const newest = ours.at(-1);
    return newest === undefined ? 'nothing' : { status: newest.status, deployment: newest };
  }
  const status = statusIn(kind, row);
  if (status === 'running') return 'running';
  const isNew = hasBegun || status !== statusIn(kind, before);
  const isOver = status === 'done' || status === 'error' || (hasBegun && status !== undefined);
  return isNew && isOver ? { status, deployment: undefined } : 'nothing';
}
