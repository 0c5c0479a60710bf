import { attempts } from '../api/attempts.ts';
import { stop } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import { type Plan as MadePlan, isDeployment } from '../plan/action.ts';
import type { Permissions } from '../plan/safeguard.ts';
import { serveRemembered } from '../observe/discover.ts';
import { evaluateOutputs } from '../operate/read-outputs.ts';
import { everything, readNarrowing } from '../plan/narrow.ts';
import { type CommandWords, lineOf } from '../drift/remedies.ts';
import { aboutPlan } from '../project/about-plan.ts';
import { type Given, platformOf as platformIn } from '../project/open-connection.ts';
import { enterPreview, leavePreview } from '../project/previews.ts';
import { findDrift, refuseWrites } from '../drift/drift-run.ts';
import { driftDocument } from '../drift/drift-document.ts';
import { planDocument as documentOf } from '../documents/plan-document.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import type { Connection } from '../workflow/connection.ts';
import { plan as makePlan } from '../workflow/make-plan.ts';
import {
  type ApplyOptions,
  type PlanRequest,
  type SessionOptions as OpeningOptions,
  outdated,
  session as openSession,
} from '../workflow/session.ts';
import { systemClock } from '../state/clock.ts';
import { longestTimeoutMs } from '../state/wait-out.ts';
import { type Drift, keepDrift } from './drift-handle.ts';
import { type Manifest, contentOf } from './manifest-handle.ts';
import { countOf, timeOf } from './numbers.ts';
import { type Plan, keepPlan, planDocument, reviewedPlan } from './plan-handle.ts';
import { type Platform, platformOf } from './platform-handle.ts';
import { type Result, keepResult } from './result-handle.ts';
import { type StateLocation, openerOf } from './state-handle.ts';

/** The platform and the state of a run; what is left out is that of the manifest. */
export interface Places {
  readonly platform?: Platform | undefined;
  readonly state?: StateLocation | undefined;
}

/** The purpose and the limits of a session; 4 requests at a time by default. */
export interface SessionOptions extends Omit<OpeningOptions, 'deploying'> {
  /** false: it does not wait for deployments that the platform accepted; `follow` sees them through. */
  readonly waits?: boolean;
  /** The longest that a deployment of a kind may take, in milliseconds; 15 minutes by default, 24 days at most. */
  readonly deployLimitMs?: (kind: string) => number;
}

/** The purpose of a plan. */
export interface PlanOptions {
  /** false: others deploy. */
  readonly deploys?: boolean;
  /** true: deletes everything that the state holds. */
  readonly destroys?: boolean;
  /** Addresses, or patterns with `*`: the plan has only these, what is below them and what they need. */
  readonly target?: readonly string[];
  /** Addresses, or patterns with `*`: the plan leaves these out, what is below them and what needs them. */
  readonly exclude?: readonly string[];
  /** Addresses whose objects are deleted and created again on purpose. */
  readonly replace?: readonly string[];
  /** true: puts back drift that was accepted as well. */
  readonly includeAccepted?: boolean;
  /** Repeat changes whose deployment failed and that were taken back. */
  readonly retryFailed?: boolean;
  /** false: apply asks no address after a deployment. */
  readonly asks?: boolean;
  /** Ends the pauses of planning, which then rejects with a Stop. */
  readonly signal?: AbortSignal;
}

/**
 * A plan, or the text of a plan file, to make again; `full`: reading everything, and not only what it touches. `continues`: an apply
 * of it began and did not end, and the caller knows that nothing else was applied since. What is left of it is made then.
 */
interface Reviewed extends Pick<PlanOptions, 'asks' | 'destroys'> {
  readonly reviewed: Plan | string;
  readonly full?: boolean;
  readonly continues?: boolean;
}

/** The work of one session: only this session writes the state meanwhile. */
export interface Session {
  /**
   * Waits until no request of an earlier run or apply can reach the platform any more, and plans. Sends GETs only.
   * `reviewed` is a plan, or the text of a plan file, to make again; one that deletes everything needs `destroys: true` here too. With
   * `full` it reads everything, and not only what that plan touches.
   *
   * @throws {Stop} when no plan can be made, or a reviewed plan is out of date. @throws {PlatformError} when a read fails.
   */
  readonly plan: (options?: PlanOptions | (Pick<PlanOptions, 'signal'> & Reviewed)) => Promise<Plan>;
  /**
   * Applies a plan of this session. What failed on the platform is in the result. The other plans of the session are out of
   * date then: they go on from the state before it.
   *
   * @throws {Stop} `refused`, when the plan is of another session, was made before the end of an apply, or needs a
   *   permission that is missing; nothing is sent then.
   */
  readonly apply: (plan: Plan, permissions?: Partial<Permissions>, options?: ApplyOptions) => Promise<Result>;
}

/**
 * Plans: reads the state and the platform with GETs, and writes nothing. Takes no lock.
 *
 * @throws {Stop} when the platform or the state cannot be opened, or no plan can be made. @throws {PlatformError} when a
 *   read fails.
 */
export async function plan(manifest: Manifest, places: Places = {}, options: PlanOptions = {}): Promise<Plan> {
  const { opener, about } = prepare(manifest, places);
  const purpose = purposeOf(manifest, options);
  const connection = await opener.connect({ purpose: 'plan' });
  const ask = options.asks === false ? undefined : connection.ask;
  try {
    const made = await makePlan(purpose.manifest, { ...connection, ask, signal: options.signal }, purpose);
    return keepPlan(made, purpose, await about(made, connection));
  } finally {
    await connection.close();
  }
}

/** How a platform is compared. */
export interface DriftOptions {
  /** false: the memory stays as it is; true by default. */
  readonly remembers?: boolean;
  /** Milliseconds since 1970; the clock of this machine by default. */
  readonly now?: number;
  /** Ends the pauses of reading, which then rejects with a Stop. */
  readonly signal?: AbortSignal;
}

/**
 * Compares the platform with what was applied last, as `trueup drift` does, and remembers what it found. Sends GETs only, and
 * takes no lock.
 *
 * @throws {Stop} as `plan` does; `manifest`, when the memory cannot be used; `refused`, when it cannot be written.
 * @throws {PlatformError} when a read fails.
 */
export async function drift(
  manifest: Manifest,
  places: Places = {},
  { remembers = true, now = systemClock.wall(), signal }: DriftOptions = {},
): Promise<Drift> {
  const { opener, about } = prepare(manifest, places);
  const { manifest: read, folder } = contentOf(manifest);
  const connection = await opener.connect({ purpose: 'drift', mayWrite: refuseWrites });
  try {
    const found = await findDrift(read, connection, { folder, now, remembers, signal });
    const known = await about(found.plan, connection);
    const { counts, head } = known;
    const document = driftDocument({ drift: found, counts, about: head, isFull: true, command: trueupCommand });
    return keepDrift(document, keepPlan(found.plan, purposeOf(manifest, {}), known));
  } finally {
    await connection.close();
  }
}

/** A command as a line of a shell; for the library itself. */
export function trueupCommand(command: CommandWords): string {
  const { words, flags } = lineOf(command);
  return ['trueup', ...words, ...flags].map(shellWord).join(' ');
}

/** An output of a manifest. */
export interface Output {
  readonly name: string;
  readonly value: string;
}

/**
 * Evaluates the outputs of a manifest, in their order, without those that hold a secret. Sends GETs only, and takes no lock.
 *
 * @throws {Stop} `refused`, when an output refers to an object that is not applied yet, and as `plan`. @throws {PlatformError} when a
 *   read fails.
 */
export async function outputs(manifest: Manifest, places: Places = {}): Promise<readonly Output[]> {
  const { manifest: read } = contentOf(manifest);
  const connection = await prepare(manifest, places).opener.connect({ purpose: 'output' });
  try {
    const state = await connection.store.read();
    serveRemembered(connection.client, state);
    const found = await evaluateOutputs({ ...connection, manifest: read, state, names: [...read.outputs.keys()] });
    return found.flatMap(({ name, value, isSensitive }) =>
      isSensitive || value === undefined ? [] : [{ name, value }],
    );
  } finally {
    await connection.close();
  }
}

/**
 * Takes the lock of the state, works, and releases it however the work ends. A lock that is lost meanwhile stops every
 * further write.
 *
 * @throws {Stop} `locked`, when another run holds the lock for longer than the wait; `authentication`, `refused` or
 *   `state`, when the platform or the state cannot be opened; `usage`, when a number of the options is none.
 * @throws whatever `work` throws.
 */
export async function session<T>(
  manifest: Manifest,
  places: Places,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { opener, about } = prepare(manifest, places);
  /** Plans with what they were made from; they end with the session. */
  const made = new Map<Plan, MadePlan>();
  return openSession(contentOf(manifest).manifest, opener, openingFor(options), async (opened) => {
    const { connection } = opened;
    const { counts } = connection.client;
    try {
      return await work({
        plan: async (request = {}) => {
          const reviewed = 'reviewed' in request ? reviewedAs(request) : undefined;
          const purpose =
            reviewed === undefined
              ? purposeOf(manifest, request)
              : { ...reviewed.file, manifest: contentOf(manifest).manifest };
          const { full = false, continues = false } = 'reviewed' in request ? request : {};
          const { asks = true } = request;
          const asked: PlanRequest =
            reviewed === undefined ? { ...purpose, asks } : { reviewed, full, continues, asks };
          const inside = await opened.plan(asked, request.signal);
          const kept = keepPlan(inside, purpose, await about(inside, connection));
          made.set(kept, inside);
          return kept;
        },
        apply: async (given, permissions = {}, about = {}) => {
          const inside = made.get(given);
          if (inside === undefined) throw outdated();
          const shown = planDocument(given);
          const { manifest: read, folder } = contentOf(manifest);
          // Another state has another list of previews, which its owner keeps.
          const isListed = places.state === undefined;
          if (isListed && shown.destroys !== true) await enterPreview(read.settings, folder, systemClock.wall());
          const result = await opened.apply(inside, { dataLoss: false, adoption: false, ...permissions }, about);
          made.clear();
          if (isListed && shown.destroys === true) await leavePreview(read.settings, folder, connection.store);
          return keepResult(result, {
            plan: shown,
            counts,
            isInterrupted: about.signal?.aborted === true,
          });
        },
      });
    } finally {
      made.clear();
    }
  });
}

/** @throws {Stop} `usage`, when a number is none that a session can go by. */
function openingFor({
  waits = true,
  deployLimitMs = () => attempts.deployment.limitMs,
  ...options
}: SessionOptions): OpeningOptions {
  const { connections, lockTimeoutMs, inFlightTimeoutMs } = options;
  if (connections !== undefined) countOf('connections', connections);
  if (lockTimeoutMs !== undefined) timeOf('lockTimeoutMs', lockTimeoutMs);
  // The state keeps it, as JSON.
  if (inFlightTimeoutMs !== undefined) timeOf('inFlightTimeoutMs', inFlightTimeoutMs, longestTimeoutMs);
  const limitMs = (kind: string): number => timeOf(`deployLimitMs of ${kind}`, deployLimitMs(kind));
  return { ...options, deploying: { waits, limitMs } };
}

/**
 * Takes the lock, and waits for the deployments that earlier runs started and did not wait for: watches the services after them.
 * Sends GETs only: it changes nothing of what the manifest says, and restores nothing, as the former values were in the memory of
 * the run that wrote over them. Undefined: the state has no such deployment.
 *
 * @throws {Stop} as `session`.
 */
export function follow(
  manifest: Manifest,
  places: Places,
  { signal, onEvent, ...options }: SessionOptions & ApplyOptions,
): Promise<Result | undefined> {
  const { opener, about } = prepare(manifest, places);
  const { manifest: read } = contentOf(manifest);
  return openSession(read, opener, openingFor({ ...options, signal }), async (opened) => {
    const { connection } = opened;
    const { deployments = {} } = (await connection.store.read()) ?? {};
    if (Object.values(deployments).every(({ pending }) => pending === undefined)) return undefined;
    const narrowing = { ...everything, followsOnly: true } as const;
    const purpose = { manifest: read, deploys: true, destroys: false, narrowing };
    const made = await opened.plan(purpose, signal);
    // Of a service that is gone from the platform, nothing goes on.
    if (!made.actions.some(isDeployment)) return undefined;
    const { counts, head } = await about(made, connection);
    const shown = documentOf({ plan: made, counts, about: head });
    const result = await opened.apply(made, { dataLoss: false, adoption: false }, defined({ signal, onEvent }));
    const isInterrupted = signal?.aborted === true;
    return keepResult(result, { plan: shown, counts, isInterrupted });
  });
}

/** Opens the platform of a manifest, and says what plans of it are about; for the library itself. */
export function prepare(manifest: Manifest, { platform, state }: Places) {
  const { manifest: read, secrets, folder } = contentOf(manifest);
  const redactor = secrets.redactor();
  const { platform: given, ...reading } = platform === undefined ? {} : platformOf(platform);
  const places: Given = { platform: given, openStore: state && openerOf(state) };
  const opener = platformIn(read.settings, { options: { ...folder, redactor }, given: places, ...reading });
  /** The key is kept: the caller may write a file of the plan. */
  const about = async (made: MadePlan, connection: Connection) => {
    const { client, store } = connection;
    await store.keepKey();
    const head = await aboutPlan(made, {
      manifest: read,
      folder: folder.folder,
      connection,
      ...(given === undefined ? {} : { platform: given }),
    });
    return { counts: client.counts, now: systemClock.wall(), key: await store.key(), head };
  };
  return { opener, about };
}

/** A reviewed plan that deletes everything only for who asks for that: the file alone does not say it to its reader. */
function reviewedAs({ reviewed, destroys = false }: Reviewed) {
  const plan = reviewedPlan(reviewed);
  if (!plan.file.destroys || destroys) return plan;
  throw stop('refused', 'plan-file', `${plan.name} deletes everything; nothing was sent`, {
    remedy: 'If that is meant, ask for it: destroys: true beside the plan.',
  });
}

/** What a plan is for; for the library itself. */
export function purposeOf(manifest: Manifest, { deploys = true, destroys = false, ...asked }: PlanOptions) {
  return { manifest: contentOf(manifest).manifest, deploys, destroys, narrowing: readNarrowing(asked) };
}
