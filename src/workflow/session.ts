import { defined } from '../formats/json.ts';
import type { ApplyEvent, ApplyResult } from '../apply/job.ts';
import type { Deploying } from '../apply/apply-run.ts';
import { attempts } from '../api/attempts.ts';
import { msToWait, waitOut } from '../state/wait-out.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { lateOperations } from '../kind/command-call.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Settings } from '../manifest/settings.ts';
import type { Plan } from '../plan/action.ts';
import type { Values } from '../plan/shown-values.ts';
import { type Permissions, requirePermissions } from '../plan/safeguard.ts';
import type { Connection } from './connection.ts';
import { applyPlan } from './apply-plan.ts';
import { planAhead } from './plan-ahead.ts';
import { type PlanOptions, plan } from './make-plan.ts';
import { type ReviewedPlan, planAgain, reviewedAhead } from './reviewed.ts';
import { type Clock, systemClock } from '../state/clock.ts';
import type { Lease } from '../state/lease.ts';

/** A platform and its state, as a session reaches them. */
export interface Platform {
  readonly kinds: readonly Kind[];
  /** Opens a connection; sends nothing yet. */
  readonly connect: (about: Connecting) => Promise<OpenConnection>;
}

/** The purpose and the limits of a connection. */
export interface Connecting {
  /** Shown to a run that waits for the lock: `apply`. */
  readonly purpose: string;
  /** Most requests at a time. */
  readonly connections?: number;
  /** The deadline of each request, in milliseconds. */
  readonly deadlineMs?: (operation: string) => number;
  /** Called right before each write; throws when no write may start any more. */
  readonly mayWrite?: () => void;
}

/** An open connection to a platform and its state; `close` ends it and releases the lock of the state. */
export interface OpenConnection extends Connection {
  readonly close: () => Promise<void>;
  /** Gives up the requests on their way, with unknown outcome; every later one fails, unsent. Never throws. */
  readonly abandon?: () => void;
}

/** The purpose and the limits of a session; 4 requests at a time by default. */
export interface SessionOptions extends Pick<Connecting, 'purpose' | 'connections'> {
  /** Longest wait for the lock that another run holds, in milliseconds; 0 by default. */
  readonly lockTimeoutMs?: number;
  /** Ends that wait. */
  readonly signal?: AbortSignal | undefined;
  /** Waiting for deployments: at most 15 minutes each by default. */
  readonly deploying?: Deploying;
  /** In-flight timeout: the time a request without an answer may take to reach the platform. 60,000 ms by default. */
  readonly inFlightTimeoutMs?: number;
  readonly clock?: Clock;
  /** Called with the milliseconds when the session waits for requests of an earlier run, or of its own last apply. */
  readonly onWait?: (ms: number) => void;
}

/** The plan that a session makes: of the manifest, or the one in a plan file again. */
export type PlanRequest = {
  /** The values that the plan shows; `usual` by default. */
  readonly values?: Values;
  /** false: apply asks no address after a deployment. */
  readonly asks?: boolean;
} & (
  | Omit<PlanOptions, 'touched'>
  | {
      readonly reviewed: ReviewedPlan;
      /** true: reads everything, and not only what the reviewed plan touches. */
      readonly full?: boolean;
      /** true: an apply of it began and did not end; what is left of it is planned. */
      readonly continues?: boolean;
    }
);

/** The listeners of an apply. */
export interface ApplyOptions {
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Stops new work; requests in flight are finished and saved. */
  readonly signal?: AbortSignal;
}

/** The work of one session: only this process writes the state meanwhile. */
export interface Session {
  readonly connection: Connection;
  /**
   * Waits until no request of an earlier run or apply can reach the platform any more, and plans. Sends GETs only.
   *
   * @throws {Stop} when no plan can be made, a reviewed plan is out of date, or the signal aborts during a pause.
   * @throws {PlatformError} when a read fails.
   */
  readonly plan: (request?: PlanRequest, signal?: AbortSignal) => Promise<Plan>;
  /**
   * Applies a plan of this session. What failed on the platform is in the result. The other plans of the session are out of
   * date then: they go on from the state before it.
   *
   * @throws {Stop} `refused`, when the plan is of another session, was made before the end of an apply, or needs a
   *   permission that is missing; nothing is sent then.
   */
  readonly apply: (plan: Plan, permissions: Permissions, options?: ApplyOptions) => Promise<ApplyResult>;
  /** Ends the connection and releases the lock now, for a process that is about to end. */
  readonly close: () => Promise<void>;
  /** Gives up the requests on their way, so that the run can save and end soon. Never throws. */
  readonly abandon: () => void;
}

/** A connection that has the lock of its state. */
interface Locked {
  readonly connection: OpenConnection;
  readonly lease: Lease;
}

/** A session that has its lock while its manifest is still checked. */
export interface EarlySession extends Locked {
  /** Gives up what it reads, and releases the lock. */
  readonly close: () => Promise<void>;
}

/**
 * Begins a session whose manifest is still checked: takes the lock, if that is free, and begins the reads that a plan with the
 * state sends in any case. It reads nothing as long as requests of an earlier run can still take effect.
 *
 * @throws {Stop} `locked`, when another run holds the lock; `refused`, when a reviewed plan is not of these settings.
 */
export async function beginSession(
  settings: Settings,
  platform: Platform,
  { request, ...options }: Omit<SessionOptions, 'lockTimeoutMs'> & { readonly request: PlanRequest },
): Promise<EarlySession> {
  const { connection, lease } = await openLocked(platform, options);
  const close = async (): Promise<void> => {
    connection.abandon?.();
    await connection.close();
  };
  try {
    const { inFlightTimeoutMs, clock } = withDefaults(options);
    const isQuiet = (await msToWait(connection.store, { lease, inFlightTimeoutMs, clock })) === 0;
    const reading = { ...connection, clock };
    const begun = () =>
      'reviewed' in request
        ? reviewedAhead(request.reviewed, settings, reading, request)
        : planAhead(settings, reading, request);
    return { connection: { ...connection, ahead: isQuiet ? await begun() : undefined }, lease, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Connects, takes the lock of the state, and works; releases the lock and disconnects however the work ends. A lock that
 * is lost meanwhile stops every further write. `early` is this session, where it was begun already.
 *
 * @throws {Stop} `locked`, when another run holds the lock for longer than the wait. @throws whatever `work` throws.
 */
export async function session<T>(
  manifest: Manifest,
  platform: Platform,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
  early?: EarlySession,
): Promise<T> {
  const { deploying, connections, inFlightTimeoutMs, clock, onWait } = withDefaults(options);
  const { connection, lease } = early ?? (await openLocked(platform, options));
  /** Plans that go on from the state as it is; undefined while an apply changes it. */
  let current: Set<Plan> | undefined = new Set();
  /** Who sent requests before: the holder before this session, then its own applies. */
  let earlier: Pick<Lease, 'inherited' | 'quietSince'> = lease;
  try {
    return await work({
      connection,
      plan: async (request = {}, signal) => {
        const waiting = { lease: earlier, inFlightTimeoutMs, clock, ...defined({ signal, onWait }) };
        await waitOut(connection.store, waiting);
        if (signal?.aborted === true) throw interrupted();
        const plans = current;
        const ask = request.asks === false ? undefined : connection.ask;
        const reading = { ...connection, ask, clock, signal, values: request.values };
        const made = await ('reviewed' in request
          ? planAgain(request.reviewed, manifest, reading, request)
          : plan(manifest, reading, request));
        // A plan of tens of thousands of objects takes long, and so does what is printed of it: no timer runs meanwhile.
        await lease.keep();
        plans?.add(made);
        return made;
      },
      apply: async (made, permissions, about = {}) => {
        if (current?.has(made) !== true) throw outdated();
        requirePermissions(made, permissions);
        current = undefined;
        try {
          await lease.keep();
          return await applyPlan(made, connection, {
            permissions,
            connections,
            inFlightTimeoutMs,
            quietSince: earlier.quietSince,
            clock,
            ...defined({ deploying }),
            ...about,
          });
        } finally {
          earlier = { inherited: undefined, quietSince: clock.monotonic() };
          current = new Set();
        }
      },
      close: connection.close,
      abandon: () => connection.abandon?.(),
    });
  } finally {
    current = undefined;
    await connection.close();
  }
}

function withDefaults({
  connections = 4,
  inFlightTimeoutMs = attempts.effect.timeoutMs,
  clock = systemClock,
  ...others
}: SessionOptions) {
  return { ...others, connections, inFlightTimeoutMs, clock };
}

async function openLocked(platform: Platform, options: SessionOptions): Promise<Locked> {
  const { purpose, deploying, connections, lockTimeoutMs = 0, signal } = withDefaults(options);
  let lease: Lease | undefined;
  const connection = await platform.connect({
    purpose,
    connections,
    mayWrite: () => lease?.check(),
    ...defined({ deadlineMs: deploying && deadlinesFor(deploying, platform.kinds) }),
  });
  try {
    lease = await connection.store.lock({ purpose, timeoutMs: lockTimeoutMs, signal });
    return { connection, lease };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Ends a session that did not wait long enough to plan. */
function interrupted(): Stop {
  const message = 'the run was interrupted while it waited for requests of an earlier run; nothing was planned';
  return stop('refused', 'unverified', message, { remedy: 'Run it again.' });
}

/** Requests that last as long as a deployment get the time of the longest one; apply itself gives up sooner. */
function deadlinesFor({ limitMs }: Deploying, kinds: readonly Kind[]): (operation: string) => number {
  const late = lateOperations(kinds);
  const longest = Math.max(...kinds.map(({ kind }) => limitMs(kind))) + attempts.request.deadlineMs;
  return (operation) => (late.has(operation) ? longest : attempts.request.deadlineMs);
}

/** The refusal of a plan that does not go on from the state as it is. Never throws. */
export function outdated(): Stop {
  const message = 'the plan was made in another session, or before the end of an apply of this one; nothing was sent';
  return stop('refused', 'plan-outdated', message, { remedy: 'Plan again in this session, and apply that plan.' });
}
