import { diagnose } from '../api/diagnose.ts';
import { isOfKey, PlatformError } from '../api/platform-error.ts';
import { storeLogin } from '../api/stored-logins.ts';
import { diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { versionNow } from '../observe/discover.ts';
import type { Action } from '../plan/action.ts';
import { type Job, report } from './job.ts';
import type { Run } from './apply-run.ts';

/**
 * Reports a failure; some failures let nothing new start. An error that is neither of the platform nor of the disk is a
 * mistake of Trueup, and is thrown once the state is saved.
 */
export function reportFailure(run: Run, job: Job, error: unknown): void {
  const { address, position } = job.action;
  if (doesNotFit(error)) run.ending.misfit ??= job;
  run.ending.isOfKey = run.ending.isOfKey !== false && error instanceof PlatformError && isOfKey(error);
  if (error instanceof Stop) {
    for (const item of error.diagnostics) report(job, item);
    if (error.failure === 'state') run.ending.reason = 'the state cannot be saved';
    if (error.failure === 'locked') run.ending.reason = 'the lock of the state is lost';
  } else if (error instanceof PlatformError) {
    const login = (error.status ?? 0) >= 500 ? storeLogin(error.operation, job.object?.id ?? '') : undefined;
    const item = diagnose(error, { address, position });
    report(job, login === undefined ? item : { ...item, remedy: `${login} ${item.remedy}` });
    if (endsAll(error)) run.ending.reason = 'the platform takes no more requests';
  } else {
    run.ending.defect ??= { error };
    run.ending.reason = 'of an internal error';
  }
}

/** Whether an answer is none that the contract of the platform has: it may be another version by now. */
function doesNotFit(error: unknown): boolean {
  if (error instanceof Stop) return error.diagnostics.some(({ code }) => code === 'platform-answer');
  if (!(error instanceof PlatformError)) return false;
  return error.failure === 'unreadable' || (error.failure === 'invalid' && error.issues.length > 0);
}

/**
 * Says at an action that failed by an answer of unknown form when the platform has another version than it was planned for:
 * one GET, and none without such a failure or without a known version.
 */
export async function reportUpgrade(run: Run): Promise<void> {
  const { misfit } = run.ending;
  const { client, plan } = run.input;
  const planned = plan.base.platform?.version ?? undefined;
  if (misfit === undefined || planned === undefined) return;
  const now = await versionNow(client);
  if (now === undefined || now === planned) return;
  const { address, position } = misfit.action;
  const message = `the platform was upgraded from ${planned} to ${now} meanwhile: the plan was made for ${planned}`;
  const remedy = 'Plan again: Trueup then finds out what the new version serves.';
  report(misfit, diagnostic('upgraded', message, { address, position, remedy }));
}

/** Whether the platform no longer accepts the key, or has taken no requests for longer than the limit. */
function endsAll({ failure, isKeyRefused, isShutOut }: PlatformError): boolean {
  return isShutOut || failure === 'throttled' || isKeyRefused;
}

/** Reports that a request was sent again, because its outcome stayed unknown. */
export function reportAgain(run: Run, job: Job, what: string, again: 'sent' | 'started'): void {
  const message = `${what} got no answer and had no visible effect within ${run.input.inFlightTimeoutMs / 1_000} s; ${again} it again`;
  report(job, diagnostic('repeated', message, { address: job.action.address }));
}

/** The error that ends an action because of the object on the platform. */
export function refusal({ address, position }: Action, message: string): Stop {
  return stop('platform', 'platform-answer', message, { address, position, remedy: 'Plan again.' });
}

/** The error of an action that could take any of several objects. */
export function ambiguous({ address, position }: Action, message: string): Stop {
  const remedy = 'Write id: with the one that is meant, or remove the other on the platform.';
  return stop('platform', 'ambiguous', message, { address, position, remedy });
}
