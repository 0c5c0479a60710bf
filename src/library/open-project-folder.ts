import { defined } from '../formats/json.ts';
import type { ApplyEvent } from '../apply/job.ts';
import type { Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Permissions } from '../plan/safeguard.ts';
import type { SessionOptions } from '../workflow/session.ts';
import type { DriftDocument } from '../render/document-schemas.ts';
import { type Manifest, type ManifestOptions, readManifest, readOwnManifest } from './manifest-handle.ts';
import type { Plan } from './plan-handle.ts';
import type { Platform } from './platform-handle.ts';
import type { Result } from './result-handle.ts';
import { type DriftOptions, type PlanOptions, type Session, drift, plan, session } from './run-session.ts';

/** An apply of a project: of a plan that was shown before, or of what a new plan says. */
export type ApplyRequest = Omit<SessionOptions, 'purpose'> &
  (
    | Omit<PlanOptions, 'signal'>
    | (Pick<PlanOptions, 'asks' | 'destroys'> & { readonly plan: Plan | string; readonly full?: boolean })
  ) & {
    /** The permissions beyond an ordinary apply; none by default. */
    readonly permissions?: Partial<Permissions>;
    readonly onEvent?: (event: ApplyEvent) => void;
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
  readonly drift: (options?: DriftOptions) => Promise<DriftDocument>;
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
 * `platform` the project uses the one of the manifest, with TRUEUP_API_KEY of `env`.
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
 * @throws {Stop} `manifest`, with everything that is wrong in it; `usage`, when the folder does not exist; `refused`, when
 *   a source does not give a secret.
 */
export async function open(
  folder: string,
  { platform, ...options }: ManifestOptions & { readonly platform?: Platform } = {},
): Promise<Project> {
  const manifest = await (platform === undefined ? readOwnManifest : readManifest)(folder, options);
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
  const openSession: Project['session'] = (about, task) => work(() => session(manifest, platform, about, task));
  return {
    manifest,
    plan: ({ signal = ending.signal, ...about } = {}) =>
      work(() => plan(manifest, platform, { ...about, signal: AbortSignal.any([signal, ending.signal]) })),
    drift: ({ signal = ending.signal, ...about } = {}) =>
      work(() => drift(manifest, platform, { ...about, signal: AbortSignal.any([signal, ending.signal]) })),
    apply: ({ permissions, onEvent, ...request } = {}) =>
      openSession({ ...request, purpose: 'apply' }, async (open) => {
        const { signal } = ending;
        const { asks = true, destroys = false } = request;
        const made = await open.plan({
          ...('plan' in request ? { reviewed: request.plan, full: request.full === true, destroys, asks } : request),
          signal,
        });
        return open.apply(made, permissions, {
          signal,
          ...defined({ onEvent }),
        });
      }),
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
