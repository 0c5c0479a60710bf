import { defined } from '../formats/json.ts';
import type { ApplyEvent } from '../apply/job.ts';
import type { Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Permissions } from '../plan/safeguard.ts';
import { type Adoption, adopt } from './adopt-drift.ts';
import type { Drift } from './drift-handle.ts';
import { type Manifest, type ManifestOptions, readManifest } from './manifest-handle.ts';
import type { Plan } from './plan-handle.ts';
import type { Result } from './result-handle.ts';
import {
  type DriftOptions,
  type Output,
  type Places,
  type PlanOptions,
  type Session,
  type SessionOptions,
  drift,
  follow,
  outputs,
  plan,
  session,
} from './run-session.ts';

/** A run that waits for what it began: its limits, and who hears of it. */
export interface FollowRequest extends Omit<SessionOptions, 'purpose'> {
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Ends the run: nothing new is sent, requests in flight are finished and saved. */
  readonly signal?: AbortSignal;
}

/** An apply of a project: of a plan that was shown before, or of what a new plan says. */
export type ApplyRequest = FollowRequest &
  (
    | Omit<PlanOptions, 'signal'>
    | (Pick<PlanOptions, 'asks' | 'destroys'> & { readonly plan: Plan | string; readonly full?: boolean })
  ) & {
    /** The permissions beyond an ordinary apply; none by default. */
    readonly permissions?: Partial<Permissions>;
  };

/** A folder with a manifest, as it was read when the project was opened. It keeps no connection open. */
export interface Project {
  readonly manifest: Manifest;
  /**
   * Plans. Sends GETs only, and takes no lock.
   *
   * @throws {Stop} when the platform or the state cannot be opened, or no plan can be made. @throws {PlatformError} when a
   *   read fails.
   */
  readonly plan: (options?: PlanOptions) => Promise<Plan>;
  /**
   * Compares the platform with what was applied last, and remembers what it found. Sends GETs only, and takes no lock.
   *
   * @throws {Stop} and {PlatformError}, as `drift` does.
   */
  readonly drift: (options?: DriftOptions) => Promise<Drift>;
  /**
   * Writes what drifted into the files, as `trueup drift adopt --all` does. Sends GETs only, and takes no lock. The project stays
   * as it was read: open it again to plan with these files.
   *
   * @throws {Stop} and {PlatformError}, as `adopt` does.
   */
  readonly adopt: (options?: Omit<DriftOptions, 'remembers'>) => Promise<Adoption>;
  /**
   * Takes the lock, plans again and applies. With `plan`, which may be the text of a plan file, it applies that plan or
   * a part of it and nothing else; a plan that deletes everything needs `destroys: true` here too. It reads what the plan
   * touches, and with `full` everything.
   *
   * @throws {Stop} `refused`, when the plan is out of date or a permission is missing, and as `session`; nothing is sent
   *   then. What failed on the platform is in the result.
   */
  readonly apply: (request?: ApplyRequest) => Promise<Result>;
  /**
   * Waits for the deployments that earlier runs started and did not wait for (`apply({ waits: false })`). Undefined: there is
   * none.
   *
   * @throws {Stop} as `session`.
   */
  readonly follow: (request?: FollowRequest) => Promise<Result | undefined>;
  /**
   * Evaluates the outputs of the manifest, without those that hold a secret. Sends GETs only, and takes no lock.
   *
   * @throws {Stop} and {PlatformError}, as `outputs` does.
   */
  readonly outputs: () => Promise<readonly Output[]>;
  /**
   * Takes the lock, works, and releases it.
   *
   * @throws {Stop} as `session`. @throws whatever `work` throws.
   */
  readonly session: <T>(options: SessionOptions, work: (session: Session) => Promise<T>) => Promise<T>;
  /**
   * Ends the project: a plan that runs ends in its next pause, and an apply finishes the requests in flight and saves them.
   * Never throws.
   */
  readonly close: () => Promise<void>;
}

/**
 * Opens the project in a folder: reads the manifest with its secrets, as the command line does, and checks it. Without
 * `platform` and `state` the project uses those of the manifest, with TRUEUP_API_KEY of `env`.
 *
 * ```ts
 * import { open, planDocument, planText, resultDocument } from 'trueup';
 *
 * const project = await open('infra');
 * const plan = await project.plan();
 * process.stdout.write(planText(plan));
 * if (planDocument(plan).hasChanges) {
 *   const result = await project.apply({ plan, permissions: { adoption: true } });
 *   process.stdout.write(`${resultDocument(result).ending}\n`);
 * }
 * await project.close();
 * ```
 *
 * `destroys: true` opens it for plans and applies with `destroys: true` alone: of a preview only the settings are read, so that no
 * mistake in a block and no missing variable keeps it.
 *
 * @throws {Stop} `manifest`, with everything that is wrong in it; `usage`, when the folder does not exist, or when the file
 *   has `preview:` and no preview is named; `refused`, when a source does not give a secret.
 */
export async function open(
  folder: string,
  { platform, state, destroys = false, ...options }: ManifestOptions & Places & { readonly destroys?: boolean } = {},
): Promise<Project> {
  const places: Places = { platform, state };
  const manifest = await readManifest(folder, options, {
    platform: platform === undefined,
    state: state === undefined,
    destroys,
  });
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  const work = <T>(begin: () => Promise<T>): Promise<T> => {
    if (ending.signal.aborted) return Promise.reject(closed());
    const promise = begin();
    running.add(promise);
    const forget = () => void running.delete(promise);
    promise.then(forget, forget);
    return promise;
  };
  const ended = (signal = ending.signal) => AbortSignal.any([signal, ending.signal]);
  const openSession: Project['session'] = ({ signal, ...about }, task) =>
    work(() => session(manifest, places, { ...about, signal: ended(signal) }, task));
  return {
    manifest,
    plan: ({ signal, ...about } = {}) => work(() => plan(manifest, places, { ...about, signal: ended(signal) })),
    drift: ({ signal, ...about } = {}) => work(() => drift(manifest, places, { ...about, signal: ended(signal) })),
    adopt: ({ signal, ...about } = {}) => work(() => adopt(manifest, places, { ...about, signal: ended(signal) })),
    apply: ({ permissions, onEvent, signal: given, ...request } = {}) =>
      openSession({ ...request, signal: given, purpose: 'apply' }, async (open) => {
        const signal = ended(given);
        const { asks = true, destroys = false } = request;
        const made = await open.plan({
          ...('plan' in request ? { reviewed: request.plan, full: request.full === true, destroys, asks } : request),
          signal,
        });
        return open.apply(made, permissions, { signal, ...defined({ onEvent }) });
      }),
    follow: ({ signal, ...about } = {}) =>
      work(() => follow(manifest, places, { ...about, purpose: 'follow', signal: ended(signal) })),
    outputs: () => work(() => outputs(manifest, places)),
    session: openSession,
    close: async () => {
      ending.abort();
      await Promise.allSettled(running);
    },
  };
}

function closed(): Stop {
  return usage('the project is closed', 'Open it again.');
}
