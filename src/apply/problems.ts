import { PlatformError } from '../api/errors.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Action } from '../plan/action.ts';
import type { Run } from './run.ts';

/**
 * Tells of a failure, after some of which nothing new is started. What is no failure of the platform or the disk is ours,
 * and is thrown once the state is saved.
 */
export function complain(run: Run, action: Action, error: unknown): void {
  const about = { address: action.address, position: action.position };
  if (error instanceof Stop) {
    for (const item of error.diagnostics) report(run, action, item);
    if (error.failure === 'state') run.stopped = 'the state cannot be saved';
    if (error.failure === 'locked') run.stopped = 'the lock of the state is lost';
  } else if (error instanceof PlatformError) {
    report(run, action, diagnostic('platform-answer', error.message, about));
    if (isShutOut(error)) run.stopped = 'the platform takes no more requests';
  } else {
    run.defect ??= { error };
    run.stopped = 'of an internal error';
  }
}

/** Whether the platform accepts the key no more, or has taken no requests for longer than anybody waits. */
function isShutOut({ failure, code }: PlatformError): boolean {
  return failure === 'throttled' || (failure === 'authentication' && code === undefined);
}

/** Adds something to what is said of an action; nothing is said twice. */
export function report(run: Run, action: Action, item: Diagnostic): void {
  const list = run.problems.get(action.address);
  if (list === undefined) run.problems.set(action.address, [item]);
  else if (!list.some(({ message }) => message === item.message)) list.push(item);
}

/** Tells that a request was made again, because nobody knows what became of it. */
export function reportAgain(
  run: Run,
  action: Action,
  { what, done }: { readonly what: string; readonly done: string },
): void {
  const message = `nobody said what became of ${what}, and nothing of it showed for ${run.fenceMs / 1_000} s: it was ${done} again`;
  report(run, action, diagnostic('repeated', message, { address: action.address }));
}
