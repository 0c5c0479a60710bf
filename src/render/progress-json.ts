import type { ApplyEvent } from '../apply/job.ts';
import type { EventDocument } from './documents.ts';
import type { Running } from './progress-view.ts';

/** The members of all events: the time, and the requests sent so far. */
export interface Moment {
  /** In ISO 8601. */
  readonly time: string;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** One event of an apply as a document; `took`: the milliseconds that its action has run. */
export function eventJson(
  applied: ApplyEvent,
  about: Moment & { readonly kind: string; readonly took: number | undefined },
): EventDocument {
  const { address, action, event } = applied;
  return {
    ...head(about),
    event,
    address,
    action,
    kind: about.kind,
    for: event === 'waiting' ? applied.for : undefined,
    seconds: about.took === undefined ? undefined : seconds(about.took),
    requests: requests(about),
  };
}

/** The running actions after a silence, as a document. */
export function heartbeatJson(running: readonly Running[], moment: Moment): EventDocument {
  return {
    ...head(moment),
    event: 'heartbeat',
    running: running.map(({ address, action, took, waits }) => ({
      address,
      action,
      for: waits?.for,
      seconds: seconds(took),
    })),
    requests: requests(moment),
  };
}

function head({ time }: Moment): Pick<EventDocument, 'format' | 'version' | 'time'> {
  return { format: 'trueup/event', version: 1, time };
}

function requests({ counts }: Moment): EventDocument['requests'] {
  return { reads: counts.reads, writes: counts.writes };
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}
