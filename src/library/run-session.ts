import { stop } from '../diagnostics/diagnostic.ts';
import type { Plan as MadePlan } from '../plan/action.ts';
import type { Permissions } from '../plan/safeguard.ts';
import { readNarrowing } from '../plan/narrow.ts';
import { type CommandWords, lineOf } from '../drift/remedies.ts';
import { aboutPlan } from '../project/about-plan.ts';
import { platformOf } from '../project/open-connection.ts';
import { enterPreview, leavePreview } from '../project/previews.ts';
import { findDrift, refuseWrites } from '../drift/drift-run.ts';
import type { DriftDocument } from '../render/document-schemas.ts';
import { driftDocument } from '../drift/drift-document.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import type { Connection } from '../workflow/connection.ts';
import { plan as makePlan } from '../workflow/make-plan.ts';
import {
  type ApplyOptions,
  type PlanRequest,
  type SessionOptions,
  notOfThisSession,
  session as openSession,
} from '../workflow/session.ts';
import { systemClock } from '../state/clock.ts';
import { type Manifest, contentOf } from './manifest-handle.ts';
import { type Plan, keepPlan, planDocument, reviewedPlan } from './plan-handle.ts';
import { type Platform, openerOf } from './platform-handle.ts';
import { type Result, keepResult } from './result-handle.ts';

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

/** A plan, or the text of a plan file, to make again; `full`: reading everything, and not only what it touches. */
interface Reviewed extends Pick<PlanOptions, 'asks' | 'destroys'> {
  readonly reviewed: Plan | string;
  readonly full?: boolean;
}

/** The work of one session: only this session writes the state meanwhile. */
export interface Session {
  /**
   * Waits until no request of an earlier run can reach the platform any more, and plans. Sends GETs only. `reviewed` is a
   * plan, or the text of a plan file, to make again; one that deletes everything needs `destroys: true` here too. With
   * `full` it reads everything, and not only what that plan touches.
   *
   * @throws {Stop} when no plan can be made, or a reviewed plan is out of date. @throws {PlatformError} when a read fails.
   */
  readonly plan: (options?: PlanOptions | (Pick<PlanOptions, 'signal'> & Reviewed)) => Promise<Plan>;
  /**
   * Applies a plan of this session, once. What failed on the platform is in the result.
   *
   * @throws {Stop} `refused`, when the plan is of another session, was applied already, or needs a permission that is
   *   missing; nothing is sent then.
   */
  readonly apply: (plan: Plan, permissions?: Partial<Permissions>, options?: ApplyOptions) => Promise<Result>;
}

/**
 * Plans: reads the state and the platform with GETs, and writes nothing. Takes no lock. Without `platform` the one of the
 * manifest is read.
 *
 * @throws {Stop} when the platform or the state cannot be opened, or no plan can be made. @throws {PlatformError} when a
 *   read fails.
 */
export async function plan(manifest: Manifest, platform?: Platform, options: PlanOptions = {}): Promise<Plan> {
  const { opener, about } = prepare(manifest, platform);
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
 * takes no lock. Without `platform` the one of the manifest is read.
 *
 * @throws {Stop} as `plan` does; `manifest`, when the memory cannot be used; `refused`, when it cannot be written.
 * @throws {PlatformError} when a read fails.
 */
export async function drift(
  manifest: Manifest,
  platform?: Platform,
  { remembers = true, now = systemClock.wall(), signal }: DriftOptions = {},
): Promise<DriftDocument> {
  const { opener, headOf } = prepare(manifest, platform);
  const { manifest: read, folder } = contentOf(manifest);
  const connection = await opener.connect({ purpose: 'drift', mayWrite: refuseWrites });
  try {
    const found = await findDrift(read, connection, { folder, now, remembers, signal });
    const about = await headOf(found.plan, connection);
    const { counts } = connection.client;
    return driftDocument({ drift: found, counts, about, isFull: true, command: trueupCommand });
  } finally {
    await connection.close();
  }
}

function trueupCommand(command: CommandWords): string {
  const { words, flags } = lineOf(command);
  return ['trueup', ...words, ...flags].map(shellWord).join(' ');
}

/**
 * Takes the lock of the state, works, and releases it however the work ends. A lock that is lost meanwhile stops every
 * further write. Without `platform` the one of the manifest is used.
 *
 * @throws {Stop} `locked`, when another run holds the lock for longer than the wait; `authentication`, `refused` or
 *   `state`, when the platform or the state cannot be opened. @throws whatever `work` throws.
 */
export async function session<T>(
  manifest: Manifest,
  platform: Platform | undefined,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { opener, about } = prepare(manifest, platform);
  /** Plans with what they were made from; they end with the session. */
  const made = new Map<Plan, MadePlan>();
  return openSession(contentOf(manifest).manifest, opener, options, async (opened) => {
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
          const { full = false } = 'reviewed' in request ? request : {};
          const { asks = true } = request;
          const asked: PlanRequest = reviewed === undefined ? { ...purpose, asks } : { reviewed, full, asks };
          const inside = await opened.plan(asked, request.signal);
          const kept = keepPlan(inside, purpose, await about(inside, connection));
          made.set(kept, inside);
          return kept;
        },
        apply: async (given, permissions = {}, about = {}) => {
          const inside = made.get(given);
          if (inside === undefined) throw notOfThisSession();
          const shown = planDocument(given);
          const { manifest: read, folder } = contentOf(manifest);
          // Another state has another list of previews, which its owner keeps.
          const isListed = platform === undefined;
          if (isListed && shown.destroys !== true) await enterPreview(read.settings, folder, systemClock.wall());
          const result = await opened.apply(inside, { dataLoss: false, adoption: false, ...permissions }, about);
          made.delete(given);
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

function prepare(manifest: Manifest, platform: Platform | undefined) {
  const { manifest: read, secrets, folder } = contentOf(manifest);
  const redactor = secrets.redactor();
  const opener =
    platform === undefined
      ? platformOf(read.settings, { options: { ...folder, redactor } })
      : openerOf(platform)(redactor, read.settings.platform);
  /** The key is kept: the caller may write a file of the plan. */
  const about = async (made: MadePlan, connection: Connection) => {
    const { client, store } = connection;
    await store.keepKey();
    const head = await headOf(made, connection);
    return { counts: client.counts, now: systemClock.wall(), key: await store.key(), head };
  };
  const headOf = (made: MadePlan, connection: Connection) =>
    aboutPlan(made, {
      manifest: read,
      folder: folder.folder,
      connection,
      ...(platform === undefined ? {} : { platform: null }),
    });
  return { opener, about, headOf };
}

/** A reviewed plan that deletes everything only for who asks for that: the file alone does not say it to its reader. */
function reviewedAs({ reviewed, destroys = false }: Reviewed) {
  const plan = reviewedPlan(reviewed);
  if (!plan.file.destroys || destroys) return plan;
  throw stop('refused', 'plan-file', `${plan.name} deletes everything; nothing was sent`, {
    remedy: 'If that is meant, ask for it: destroys: true beside the plan.',
  });
}

function purposeOf(manifest: Manifest, { deploys = true, destroys = false, ...asked }: PlanOptions) {
  return { manifest: contentOf(manifest).manifest, deploys, destroys, narrowing: readNarrowing(asked) };
}
