import type { ApplyEvent } from '../apply/result.ts';
import type { EventDocument } from './documents.ts';
import type { Running } from './progress-view.ts';

/** What all events tell: when it was, and how many requests were sent until then. */
export interface Moment {
  /** In ISO 8601. */
  readonly time: string;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** One event of an apply for programs; `took`: how long its action goes on or took, in milliseconds. */
export function eventJson(
  told: ApplyEvent,
  about: Moment & { readonly kind: string; readonly took: number | undefined },
): EventDocument {
  const { address, action, event } = told;
  return {
    ...head(about),
    event,
    address,
    action,
    kind: about.kind,
    ...(event === 'waiting' ? { for: told.for } : {}),
    ...(about.took === undefined ? {} : { seconds: seconds(about.took) }),
    requests: requests(about),
  };
}

/** What goes on while nothing happens, for programs. */
export function heartbeatJson(running: readonly Running[], moment: Moment): EventDocument {
  return {
    ...head(moment),
    event: 'heartbeat',
    running: running.map(({ address, action, took, waits }) => ({
      address,
      action,
      ...(waits === undefined ? {} : { for: waits.for }),
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
