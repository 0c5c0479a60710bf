import type { Diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { type Row, defined, same } from '../formats/json.ts';
import type { Action } from '../plan/action.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { Deploys, DuplicatePlace, StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';

/**
 * How far the requests of an action got, as far as is known; it never shrinks. `may land later`: a request got no
 * answer of the platform itself, so that it may still take effect.
 */
export const reaches = ['not sent', 'not executed', 'may be executed', 'may land later'] as const;
export type Reach = (typeof reaches)[number];

/** Where an action is in its life. What cannot be together cannot be written down. */
export type Phase =
  /** Nothing was sent, and nothing announces it. */
  | { readonly is: 'planned' }
  /** Its pending operation is recorded durably; nothing was sent. */
  | { readonly is: 'announced' }
  /** A request is on its way since `at` (monotonic ms); `before` it the others got so far. */
  | { readonly is: 'sent'; readonly at: number; readonly before: Reach }
  /** The request of `at` has no usable answer; the platform is polled for its effect. */
  | { readonly is: 'unknown'; readonly at: number; readonly reach: Reach }
  /** Every request so far was acknowledged, or its effect was seen, or it was refused or not needed; the last went out at `at`. */
  | { readonly is: 'answered'; readonly at: number | undefined; readonly reach: Reach }
  /** It goes no further; its object is read back all the same. */
  | { readonly is: 'failed'; readonly reach: Reach }
  /** Its outcome is known and recorded. */
  | { readonly is: 'settled'; readonly reach: Reach; readonly result: Outcome['result'] };

/** The object of an action. The row is missing while only its id is known. */
interface JobObject {
  readonly id: string;
  readonly row?: Row | undefined;
}

/** How far an action got. Only `advance` says what comes next. */
interface Life {
  phase: Phase;
  /** The platform answered an error to a request, and the request took effect all the same. */
  isDoubted?: true;
  /** Why the run had stopped before it was its turn. */
  stopped?: string | undefined;
}

/** One action while it is applied. */
export interface Job extends Life {
  readonly action: Action;
  /** Its object as the plan read it; undefined where there was none. */
  readonly planned: ObservedObject | undefined;
  /** Its record before this run. */
  readonly known: StateRecord | undefined;
  /** That of the object above it; undefined at the top, and where the plan has none. */
  readonly parent: Job | undefined;
  readonly scope: Scope;
  /** Other actions refer to its object. */
  readonly isNeeded: boolean;
  /** Another deployment waits for its end by `after:`. */
  readonly isAwaited: boolean;
  /** The services that are stale as soon as something is sent for it. */
  readonly makesStale: readonly Job[];
  /** Of a service: the jobs that make it stale. */
  readonly staleThrough: readonly Job[];
  /** The object its address stands for now: of a replacement first the old one, then none, then the new one. */
  object: JobObject | undefined;
  /** Of a service: its deployments, with what the plan is about to make stale. */
  deploys: Deploys | undefined;
  /** Where duplicates of its object may be, because its create was sent more than once. */
  duplicates: readonly DuplicatePlace[];
  /** In the sequence of the reports; none twice. */
  diagnostics: readonly Diagnostic[];
}

/** A service with everything below it, or an object that stands by itself: writes to one scope are serialised. */
export interface Scope {
  readonly root: Job;
  readonly jobs: readonly Job[];
  /** Something of it is overwritten or deleted, and no request sends anything back as it is in that moment. */
  readonly mayReadAhead: boolean;
  /** Its last read: the id of the object, and when the read began (monotonic ms). */
  reading?:
    | { readonly id: string | undefined; readonly since: number; readonly row: Promise<Row | undefined> }
    | undefined;
  /** Its row as it was when everything below it was read back. */
  readBack?: Row | undefined;
  /** Its record says that the service is stale. */
  staleSaved?: Promise<void>;
  /** It is settled whether its service is stale. */
  isSettled?: true;
}

/** An event that moves an action on. */
export type JobEvent =
  /** Its pending operation was recorded. */
  | { readonly is: 'announced' }
  /** A request of it goes out now (monotonic ms). */
  | { readonly is: 'sent'; readonly at: number }
  /** A request turned out to change nothing, and was not sent. */
  | { readonly is: 'needless' }
  /** The platform acknowledged the request. */
  | { readonly is: 'answered' }
  /** The platform surely did not execute the request. */
  | { readonly is: 'refused' }
  /** The outcome of the request is unknown. */
  | { readonly is: 'lost'; readonly mayLandLater: boolean }
  /** The platform shows the effect of the request that was lost; `isDoubted`: it answered an error to it. */
  | { readonly is: 'seen'; readonly isDoubted?: boolean }
  /** It goes no further. */
  | { readonly is: 'failed' }
  /** It is not tried, because something else did not succeed, or because the run had `stopped` before. */
  | { readonly is: 'skipped'; readonly stopped?: string | undefined }
  /** Its outcome is known and recorded. */
  | { readonly is: 'settled'; readonly result: Outcome['result'] };

type Moving = Pick<Job, 'action' | 'phase'>;

/**
 * Gives how far an action is after an event.
 *
 * @throws {Error} when the event cannot happen in this phase: a mistake of Trueup itself.
 */
export function advance(job: Moving, event: JobEvent): Life {
  const { phase } = job;
  const reach = reachOf(job);
  switch (event.is) {
    case 'announced':
      // A create announces each time it is sent; what was sent before stays known.
      return running(job, event, phase.is === 'planned' ? { is: 'announced' } : phase);
    case 'sent':
      return running(job, event, { is: 'sent', at: event.at, before: reach });
    case 'needless':
      return running(job, event, { is: 'answered', at: sentAt(job), reach });
    case 'seen': {
      const seen = onItsWay(job, event, (at) => ({ is: 'answered', at, reach: furthest(reach, 'may be executed') }));
      return event.isDoubted === true ? { ...seen, isDoubted: true } : seen;
    }
    case 'answered':
      return onItsWay(job, event, (at) => ({ is: 'answered', at, reach: furthest(reach, 'may be executed') }));
    case 'refused':
      return onItsWay(job, event, (at) => ({ is: 'answered', at, reach: furthest(reach, 'not executed') }));
    case 'lost': {
      const far = event.mayLandLater ? 'may land later' : 'may be executed';
      return onItsWay(job, event, (at) => ({ is: 'unknown', at, reach: furthest(reach, far) }));
    }
    case 'failed':
      return { phase: phase.is === 'settled' ? phase : { is: 'failed', reach } };
    case 'skipped':
      if (isOver(job)) return { phase };
      // An old object that is gone is no action that was not tried.
      return mayHaveWritten(job)
        ? { phase: { is: 'failed', reach } }
        : { phase: { is: 'settled', reach, result: 'skipped' }, stopped: event.stopped };
    case 'settled':
      return { phase: { is: 'settled', reach, result: event.result } };
    default:
      return event satisfies never;
  }
}

/** Notes the id of a job's object, and perhaps its row. */
export function noteObject(job: Job, { id, row }: JobObject): void {
  job.object = { id, row: row ?? (job.object?.id === id ? job.object.row : undefined) };
}

/** Forgets the rows of a scope in which nothing is left to do, but those that other actions refer to. */
export function forgetRows(scope: Scope): void {
  scope.readBack = undefined;
  scope.reading = undefined;
  for (const job of scope.jobs) if (!job.isNeeded && job.object !== undefined) job.object = { id: job.object.id };
}

/** Adds a place where a create that is sent once more may leave a duplicate; none is there twice. */
export function withDuplicate(
  places: readonly DuplicatePlace[],
  { key, below }: DuplicatePlace,
): readonly DuplicatePlace[] {
  const place = key === undefined ? {} : defined({ key, below });
  return places.some((known) => same(known, place)) ? places : [...places, place];
}

/** Reports something about an action. */
export function report(job: Job, item: Diagnostic): void {
  const text = ({ message, details = [] }: Diagnostic) => [message, ...details].join('\n');
  if (!job.diagnostics.some((known) => text(known) === text(item))) job.diagnostics = [...job.diagnostics, item];
}

/** How far the requests of a job got. */
export function reachOf({ phase }: Life): Reach {
  switch (phase.is) {
    case 'planned':
    case 'announced':
      return 'not sent';
    case 'sent':
      return furthest(phase.before, 'not executed');
    case 'unknown':
    case 'answered':
    case 'failed':
    case 'settled':
      return phase.reach;
    default:
      return phase satisfies never;
  }
}

/** Whether a request of the action went out. */
export function isSent(job: Life): boolean {
  return reachOf(job) !== 'not sent';
}

/** Whether a request of the action was executed, or may have been. */
export function mayHaveWritten(job: Life): boolean {
  return isAtLeast(reachOf(job), 'may be executed');
}

/** Whether a request of the action may still take effect. */
export function mayLand(job: Life): boolean {
  return reachOf(job) === 'may land later';
}

/** When the last request of the action went out (monotonic ms); undefined while none did, and when it is over. */
export function sentAt({ phase }: Life): number | undefined {
  return phase.is === 'sent' || phase.is === 'unknown' || phase.is === 'answered' ? phase.at : undefined;
}

/** Whether the action goes no further. */
export function isOver({ phase }: Life): boolean {
  return phase.is === 'failed' || phase.is === 'settled';
}

/** The result of a job that is over; undefined while it goes on. */
export function resultOf({ phase }: Life): Outcome['result'] | undefined {
  if (phase.is === 'settled') return phase.result;
  return phase.is === 'failed' ? 'failed' : undefined;
}

/** The phase of a job that sends requests. */
function running(job: Moving, event: JobEvent, phase: Phase): Life {
  if (isOver(job)) throw impossible(job, event);
  return { phase };
}

/** The phase of a job after an outcome of its request in flight. */
function onItsWay(job: Moving, event: JobEvent, next: (at: number) => Phase): Life {
  if (job.phase.is !== 'sent' && job.phase.is !== 'unknown') throw impossible(job, event);
  return { phase: next(job.phase.at) };
}

function furthest(one: Reach, other: Reach): Reach {
  return isAtLeast(one, other) ? one : other;
}

function isAtLeast(one: Reach, other: Reach): boolean {
  return reaches.indexOf(one) >= reaches.indexOf(other);
}

function impossible({ action: { address }, phase }: Moving, event: JobEvent): Error {
  return new Error(`${address} is ${phase.is}, and cannot be ${event.is}`);
}

/** Something that happened while applying; a deployment has the address of its service. */
export type ApplyEvent = {
  readonly address: string;
  readonly action: Action['action'];
} & (
  | { readonly event: 'started' | 'done' }
  /** `reason`: what its first error says. */
  | { readonly event: 'failed'; readonly reason?: string | undefined }
  /** Sent, and the outcome is not known: of a deployment, that the run did not wait for its end. */
  | { readonly event: 'unverified'; readonly reason?: string | undefined }
  /** `stopped`: why the run had stopped before it was its turn; undefined where something else did not succeed. */
  | { readonly event: 'skipped'; readonly stopped?: string | undefined }
  /** A deployment was sent, and the run waits for this now; reported again only when it changes. */
  | {
      readonly event: 'waiting';
      /**
       * Its turn in the queue of the platform; the end of what runs; the answer to a request that lasts as long; the end of
       * a deployment of the same service that this run did not start; its containers, which have to stay up; the answer of its
       * address.
       */
      readonly for: 'queue' | 'deployment' | 'answer' | 'earlier' | 'health' | 'probe';
      /** The longest that the run waits for it. Milliseconds. */
      readonly limitMs?: number;
    }
);

/** The outcome of one action. */
export interface Outcome {
  readonly action: Action;
  /**
   * `unverified`: everything was sent, and what the platform has could not be read back, or not be written down, or the
   * platform answered an error to what it stored; of a deployment, it goes on, and the run ended without waiting for it.
   */
  readonly result: 'done' | 'failed' | 'skipped' | 'ignored' | 'unverified';
  /** A write of it was executed, or may have been. */
  readonly mayHaveWritten: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Why the run had stopped before it was the turn of this action, which was skipped. */
  readonly stopped?: string | undefined;
}

/** The outcome of a plan. */
export interface ApplyResult {
  readonly outcomes: readonly Outcome[];
  readonly state: State;
  /** Why the state could not be written at the end; what it lacks is found by the next run. */
  readonly unsaved?: Stop | undefined;
  /** The platform did not accept the API key, or the key had no right: nothing else failed. */
  readonly isKeyRefused?: true;
}
