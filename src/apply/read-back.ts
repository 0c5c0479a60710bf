import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { rowId } from '../observe/answers.ts';
import type { Action } from '../plan/action.ts';
import { comesWithParent, createsObject, goesWithParent, isHeld, isKept } from '../plan/action.ts';
import type { Job } from './job.ts';
import { isOver, isSent, mayLand, resultOf } from './job.ts';
import { report, reportFailure } from './report.ts';
import { recordOf, claim, happen, hasWritten, idOf, jobOf, saveRecord, scopeOf } from './run.ts';
import { poll } from './attempt.ts';
import type { Run, Scope } from './run.ts';
import type { ScopeRow } from '../observe/scope-row.ts';
import { findById, scopeRow } from '../observe/scope-row.ts';
import { createdAmong } from './find-created.ts';
import { isAtHome, readScope } from './scope.ts';
import type { Settled } from '../plan/settle.ts';
import { sentPairs, settle } from '../plan/settle.ts';
import { withoutError } from '../state/pending.ts';
import type { Pending } from '../state/record.ts';

/** The object of an action as its scope shows it; `unread`: nothing could be read. */
type Found =
  | { readonly is: 'row'; readonly row: Row }
  | { readonly is: 'gone' }
  | { readonly is: 'unread'; readonly error?: unknown };

/** Reads a scope back once everything in it is over, and settles each of its actions. `isGone`: a list proved that it is gone. */
export async function readBack(run: Run, address: string, isGone = false): Promise<void> {
  const scope = scopeOf(run, address);
  const { actions } = scope;
  const isTouched = actions.some((action) => isSent(jobOf(run, action.address)));
  const after = !isTouched ? undefined : isGone ? scopeRow(scope.root, undefined) : await readAgain(run, scope);
  const found = isTouched ? foundIn(run, scope, after) : actions.map((action) => asPlanned(run, action));
  const staying = new Set(actions.flatMap(({ address: one }, index) => (found[index]?.is === 'row' ? [one] : [])));
  // All at once, so that their records become durable together.
  const settling = actions.map(async (action, index) => {
    const one = found[index] ?? { is: 'unread' };
    if (one.is === 'unread' && one.error !== undefined) {
      reportFailure(run, action, one.error);
      happen(run, action.address, { is: 'failed' });
    }
    await settleAction(run, action, one, staying).catch((error: unknown) => {
      reportFailure(run, action, error);
      const job = jobOf(run, action.address);
      happen(run, action.address, { is: 'settled', result: resultOf(job) ?? (isSent(job) ? 'unverified' : 'failed') });
    });
  });
  await Promise.all(settling);
  if (after?.row !== undefined) scope.readBack = after.row;
}

/** Reads a scope: again, for a little while, when it does not show what was written. */
async function readAgain(run: Run, scope: Scope): Promise<ScopeRow | undefined> {
  const { root, actions } = scope;
  const id = idOf(run, root.address);
  if (id === undefined) return undefined;
  const look = async (): Promise<ScopeRow> => {
    const since = run.clock.monotonic();
    const after = await readScope(run.together, root, id);
    scope.reading = { id, since, row: Promise.resolve(after) };
    return after;
  };
  try {
    return await poll(run, look, {
      isSeen: (after) => {
        const found = foundIn(run, scope, after);
        return actions.every((action, index) => isShown(run, action, found[index] ?? { is: 'unread' }));
      },
    });
  } catch (error) {
    reportFailure(run, root, error);
    return undefined;
  }
}

/** Whether what was sent for an action shows in what was read back. */
function isShown(run: Run, action: Action, found: Found): boolean {
  const job = jobOf(run, action.address);
  if (!isSent(job) || isOver(job) || found.is === 'unread') return true;
  if (action.action === 'delete' || found.is === 'gone') return (action.action === 'delete') === (found.is === 'gone');
  return isAtHome(run, action, found.row) && settleRow(run, action, found.row).isKept;
}

/** The objects of a scope's actions, in a row of it. */
function foundIn(run: Run, { actions }: Scope, after: ScopeRow | undefined): Found[] {
  const claimed = new Set(actions.flatMap((action) => idOf(run, action.address) ?? []));
  return actions.map((action) => {
    const found = lookFor(run, action, after, (id) => claimed.has(id) || run.creations.taken.has(id));
    if (found.is === 'row') claimed.add(rowId(action.kind, found.row) ?? '');
    return found;
  });
}

function lookFor(run: Run, action: Action, after: ScopeRow | undefined, isTaken: (id: string) => boolean): Found {
  if (after === undefined) return { is: 'unread' };
  try {
    const job = jobOf(run, action.address);
    const row =
      job.object !== undefined
        ? findById(after, action, job.object.id)
        : createsObject(action) && isSent(job)
          ? createdAmong(run, after.rowsOf(action), action, isTaken)
          : undefined;
    return row === undefined ? { is: 'gone' } : { is: 'row', row };
  } catch (error) {
    return { is: 'unread', error };
  }
}

function asPlanned(run: Run, action: Action): Found {
  const row = run.input.plan.observed.objects.get(action.address)?.row;
  return row === undefined ? { is: 'unread' } : { is: 'row', row };
}

/** Settles an action; `staying`: the objects of its scope that are still there. */
async function settleAction(run: Run, action: Action, found: Found, staying: ReadonlySet<string>): Promise<void> {
  const { address } = action;
  if (isHeld(action)) happen(run, address, { is: 'settled', result: 'done' });
  else if (action.action === 'forget') {
    await run.journal.save(address, null, 'with the rest');
    happen(run, address, { is: 'settled', result: 'done' });
  } else if (resultOf(jobOf(run, address)) !== 'skipped') {
    if (action.action === 'delete') await settleDeletion(run, action, found, staying);
    else await settleObject(run, action, found);
  }
}

async function settleDeletion(run: Run, action: Action, found: Found, staying: ReadonlySet<string>): Promise<void> {
  const { address } = action;
  const failed = resultOf(jobOf(run, address));
  if (found.is === 'gone') {
    await run.journal.save(address, null);
    happen(run, address, { is: 'settled', result: doneBy(run, address) });
  } else if (found.is === 'unread') {
    happen(run, address, { is: 'settled', result: failed ?? 'unverified' });
  } else {
    // An object that has no deletion of its own stays with its parent, which has the message.
    const staysAlong = goesWithParent(action) && staying.has(action.parent ?? '');
    if (failed === undefined && !staysAlong) {
      const message = `${address} was to be deleted and is still there`;
      report(run, action, diagnostic('platform-answer', message, { address, remedy: 'Apply again.' }));
    }
    await restore(run, address);
    happen(run, address, { is: 'settled', result: 'failed' });
  }
}

/** Restores the old record, unless the request may still take effect. */
async function restore(run: Run, address: string): Promise<void> {
  const before = run.input.plan.base.resources[address];
  const job = jobOf(run, address);
  if (before === undefined || mayLand(job)) return;
  // A variable that it mentions may have been written all the same.
  const through = job.action.service?.staleness?.through ?? [];
  const isStale = through.some((other) => other !== address && hasWritten(run, other));
  const deploys = isStale ? job.deploys : run.input.plan.base.deployments[address];
  happen(run, address, { is: 'deploys', deploys });
  await run.journal.saveService(address, { record: before, deploys: deploys ?? null });
}

async function settleObject(run: Run, action: Action, found: Found): Promise<void> {
  const { address } = action;
  const job = jobOf(run, address);
  const failed = resultOf(job);
  const id = job.object?.id ?? (found.is === 'row' ? rowId(action.kind, found.row) : undefined);
  const { listedOnce } = action.kind.identity;
  if (id === undefined && listedOnce !== undefined && failed === undefined) {
    const message = `${address} was created and is listed only once ${listedOnce}`;
    report(run, action, diagnostic('pending', message, { address, remedy: 'Apply again after that.' }));
    await saveRecord(run, address, recordOf(run, action, null, sentPairs(action, run.outputs, run.input.digests)));
    happen(run, address, { is: 'settled', result: 'done' });
    return;
  }
  if (id === undefined || found.is === 'gone') {
    // Nothing is where something was to be created or changed. The record stays, so that the next run looks again.
    if (failed === undefined) {
      const message = `${address} was sent, and the platform does not have it`;
      report(run, action, diagnostic('unverified', message, { address, remedy: 'Plan again.' }));
    }
    happen(run, address, { is: 'settled', result: failed ?? (isSent(job) ? 'failed' : 'unverified') });
    return;
  }
  if (failed !== undefined && action.action === 'replace' && id === action.id) {
    await restore(run, address); // the old object is still there, and what is known of it still holds
    happen(run, address, { is: 'settled', result: failed });
    return;
  }
  if (
    found.is === 'row' &&
    failed === undefined &&
    action.action === 'move' &&
    !isKept(action) &&
    !isAtHome(run, action, found.row)
  ) {
    const message = `${address} was to be moved and is still where it was`;
    report(run, action, diagnostic('platform-answer', message, { address, remedy: 'Apply again.' }));
    happen(run, address, { is: 'settled', result: 'failed' });
    return;
  }
  claim(run, address, { id });
  const settled = settleRow(run, action, found.is === 'row' ? found.row : undefined);
  for (const note of settled.notes) report(run, action, note);
  const isUnsure = found.is === 'unread' && isSent(job);
  const result = failed ?? (isUnsure ? 'unverified' : settled.isKept ? doneBy(run, address) : 'ignored');
  const record = recordOf(run, action, id, settled.pairs());
  // What it was to let go of, it may still use.
  const former = result === 'done' ? [] : (run.input.plan.base.resources[address]?.dependsOn ?? []);
  const dependsOn = [...new Set([...record.dependsOn, ...former])];
  const pending = stillPending(run, job, { isRead: found.is === 'row', hasFailed: failed !== undefined });
  const kept = { ...record, id, dependsOn, ...(pending === undefined ? {} : { pending }) };
  await saveRecord(run, address, kept, isSent(job) ? undefined : 'with the rest');
  happen(run, address, { is: 'settled', result: result });
}

/** The pending operation of an action that is settled: one that may still land, or that the pairs do not say is unproven. */
function stillPending(
  run: Run,
  job: Job,
  { isRead, hasFailed }: { readonly isRead: boolean; readonly hasFailed: boolean },
): Pending | undefined {
  const pending = run.journal.now(job.action.address)?.pending;
  if (pending === undefined) return undefined;
  if (!mayLand(job)) return !isRead && job.isDoubted === true ? pending : undefined;
  return isRead && !hasFailed ? withoutError(pending) : pending;
}

/** The result of an action whose effect shows: the platform may have answered an error to it. */
function doneBy(run: Run, address: string): 'done' | 'unverified' {
  return jobOf(run, address).isDoubted === true ? 'unverified' : 'done';
}

/** Compares what an action wanted with its object as it was read back. */
function settleRow(run: Run, action: Action, after: Row | undefined): Settled {
  const { outputs, input } = run;
  const job = jobOf(run, action.address);
  const isOwn = createsObject(action) && !comesWithParent(action);
  const made = isOwn ? job.object?.row : undefined;
  const isDoubted = job.isDoubted === true;
  const { digests, client } = input;
  return settle({ action, after, made, wasSent: !isOver(job), isDoubted, outputs, digests, redact: client.redact });
}
