import { once } from '../api/once.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { type Row, defined } from '../formats/json.ts';
import { rowId } from '../observe/checked-answers.ts';
import { type Job, type Scope, isOver, isSent, mayHaveWritten, mayLand, report, resultOf } from './job.ts';
import { reportFailure } from './report-failure.ts';
import { type Run, claim, dispatch, recordOf, saveRecord, settleRow } from './apply-run.ts';
import { poll } from './attempt.ts';
import { createdAmong } from './find-created.ts';
import { isAtHome, rowIn, rowsBelow } from './rows.ts';
import {
  comesWithParent,
  createsObject,
  goesWithParent,
  isDeferred,
  isDeletion,
  isMove,
  isReplacement,
  leavesState,
} from '../plan/action.ts';
import { failedNoteOf } from '../plan/failed-change.ts';
import { type Settled, sentPairs } from '../plan/settle.ts';
import { withoutError } from '../state/pending-operation.ts';
import type { Pending } from '../state/record.ts';

/** The object of a job as its scope shows it, held against what was wanted; `unread`: nothing could be read. */
type Found =
  | { readonly is: 'row'; readonly row: Row; readonly settled: () => Settled }
  | { readonly is: 'gone' }
  | { readonly is: 'unread'; readonly error?: unknown };

/** The row of a scope after its writes, and the objects of its jobs in it. */
interface After {
  readonly row: Row | 'gone' | 'unread';
  readonly found: readonly Found[];
}

/** Reads a scope back once everything in it is over, and settles each of its jobs. `isGone`: a list proved that it is gone. */
export async function readBack(run: Run, scope: Scope, isGone = false): Promise<void> {
  const { jobs } = scope;
  const { row, found } = !jobs.some(isSent)
    ? { row: 'unread' as const, found: jobs.map((job) => asPlanned(run, job)) }
    : isGone
      ? afterOf(run, scope, 'gone')
      : await readAgain(run, scope);
  const staying = new Set(jobs.filter((_, at) => found[at]?.is === 'row'));
  // All at once, so that their records become durable together.
  const settling = jobs.map(async (job, at) => {
    const one = found[at] ?? { is: 'unread' };
    if (one.is === 'unread' && one.error !== undefined) {
      reportFailure(run, job, one.error);
      dispatch(run, job, { is: 'failed' });
    }
    await settleJob(run, job, one, staying).catch((error: unknown) => {
      reportFailure(run, job, error);
      dispatch(run, job, { is: 'settled', result: resultOf(job) ?? (isSent(job) ? 'unverified' : 'failed') });
    });
  });
  await Promise.all(settling);
  if (typeof row !== 'string') scope.readBack = row;
}

/** Reads a scope: again, for a little while, when it does not show what was written. */
async function readAgain(run: Run, scope: Scope): Promise<After> {
  const { root, jobs } = scope;
  const id = root.object?.id;
  if (id === undefined) return afterOf(run, scope, 'unread');
  const look = async (): Promise<After> => {
    const since = run.clock.monotonic();
    const row = await run.together.row(root.action.kind, id);
    scope.reading = { id, since, row: Promise.resolve(row) };
    return afterOf(run, scope, row ?? 'gone');
  };
  try {
    return await poll(run, look, {
      isSeen: ({ found }) => jobs.every((job, at) => isShown(job, found[at] ?? { is: 'unread' })),
    });
  } catch (error) {
    reportFailure(run, root, error);
    return afterOf(run, scope, 'unread');
  }
}

/** Whether what was sent for an action shows in what was read back. */
function isShown(job: Job, found: Found): boolean {
  if (!isSent(job) || isOver(job) || found.is === 'unread') return true;
  const isGoing = isDeletion(job.action);
  if (isGoing || found.is === 'gone') return isGoing === (found.is === 'gone');
  return isAtHome(job, found.row) && found.settled().isKept;
}

function afterOf(run: Run, { jobs }: Scope, row: After['row']): After {
  const claimed = new Set(jobs.flatMap(({ object }) => object?.id ?? []));
  const found = jobs.map((job) => {
    const one = lookFor(run, job, row, (id) => claimed.has(id) || run.creations.taken.has(id));
    if (one.is === 'row') claimed.add(rowId(job.action.kind, one.row) ?? '');
    return one;
  });
  return { row, found };
}

function lookFor(run: Run, job: Job, after: After['row'], isTaken: (id: string) => boolean): Found {
  if (typeof after === 'string') return { is: after };
  const { action, object } = job;
  try {
    const row =
      object !== undefined
        ? rowIn(job, after)
        : createsObject(action) && isSent(job)
          ? createdAmong(run, rowsBelow(job.scope.root, after, action.kind), job, isTaken)
          : undefined;
    return row === undefined ? { is: 'gone' } : foundAs(run, job, row);
  } catch (error) {
    return { is: 'unread', error };
  }
}

function asPlanned(run: Run, job: Job): Found {
  return job.planned === undefined ? { is: 'unread' } : foundAs(run, job, job.planned.row);
}

/** Whether it shows what was wanted, and what the state keeps of it, follow from one comparison. */
function foundAs(run: Run, job: Job, row: Row): Found {
  return { is: 'row', row, settled: once(() => settleReadBack(run, job, row)) };
}

/** Settles a job; `staying`: those of its scope whose objects are still there. */
async function settleJob(run: Run, job: Job, found: Found, staying: ReadonlySet<Job>): Promise<void> {
  const { action } = job;
  const isForgotten = leavesState(action) && !isDeletion(action);
  if (isDeferred(action) || isForgotten) {
    if (isForgotten) await run.journal.save(action.address, 'gone', 'with the rest');
    dispatch(run, job, { is: 'settled', result: 'done' });
  } else if (resultOf(job) !== 'skipped') {
    if (isDeletion(action)) await settleDeletion(run, job, found, staying);
    else await settleObject(run, job, found);
  }
}

/** The result of an action of a service whose change failed before, and is not repeated. */
function refused(job: Job): 'failed' | undefined {
  const note = failedNoteOf(job.action);
  if (note === undefined) return undefined;
  report(job, { ...note, severity: 'error' });
  return 'failed';
}

async function settleDeletion(run: Run, job: Job, found: Found, staying: ReadonlySet<Job>): Promise<void> {
  const { address } = job.action;
  const failed = resultOf(job);
  if (found.is === 'gone') {
    await run.journal.save(address, 'gone');
    dispatch(run, job, { is: 'settled', result: doneBy(job) });
  } else if (found.is === 'unread') {
    dispatch(run, job, { is: 'settled', result: failed ?? 'unverified' });
  } else {
    // An object that has no deletion of its own stays with its parent, which has the message.
    const staysAlong = goesWithParent(job.action) && job.parent !== undefined && staying.has(job.parent);
    if (failed === undefined && !staysAlong) {
      const message = `${address} was to be deleted and is still there`;
      report(job, diagnostic('platform-answer', message, { address, remedy: 'Apply again.' }));
    }
    await restore(run, job);
    dispatch(run, job, { is: 'settled', result: 'failed' });
  }
}

/** Restores the old record, unless the request may still take effect. */
async function restore(run: Run, job: Job): Promise<void> {
  const { address } = job.action;
  const { known } = job;
  if (known === undefined || mayLand(job)) return;
  // A variable that it mentions may have been written all the same.
  const isStale = job.staleThrough.some((other) => other !== job && mayHaveWritten(other));
  if (!isStale) job.deploys = run.input.plan.base.deployments[address];
  await run.journal.save(address, { record: known, deploys: job.deploys ?? null });
}

async function settleObject(run: Run, job: Job, found: Found): Promise<void> {
  const { action } = job;
  const { address } = action;
  const failed = resultOf(job) ?? refused(job);
  const row = found.is === 'row' ? found.row : undefined;
  const id = job.object?.id ?? (row && rowId(action.kind, row));
  const { listedOnce } = action.kind.identity;
  if (id === undefined && listedOnce !== undefined && failed === undefined) {
    const message = `${address} was created and is listed only once ${listedOnce}`;
    report(job, diagnostic('pending', message, { address, remedy: 'Apply again after that.' }));
    await saveRecord(run, job, recordOf(job, null, sentPairs(action, run.outputs, run.input.digests)));
    dispatch(run, job, { is: 'settled', result: 'done' });
    return;
  }
  const isGone = found.is === 'gone';
  if (id === undefined || isGone) {
    // Nothing is where something was to be created or changed. The record stays, so that the next run looks again.
    if (failed === undefined) {
      report(job, diagnostic('unverified', missing(job, isGone), { address, remedy: 'Plan again.' }));
    }
    dispatch(run, job, { is: 'settled', result: failed ?? (isSent(job) && isGone ? 'failed' : 'unverified') });
    return;
  }
  if (failed !== undefined && isReplacement(action) && id === action.id) {
    await restore(run, job); // the old object is still there, and what is known of it still holds
    dispatch(run, job, { is: 'settled', result: failed });
    return;
  }
  if (row !== undefined && failed === undefined && isMove(action) && !isAtHome(job, row)) {
    const message = `${address} was to be moved and is still where it was`;
    report(job, diagnostic('platform-answer', message, { address, remedy: 'Apply again.' }));
    dispatch(run, job, { is: 'settled', result: 'failed' });
    return;
  }
  claim(run, job, { id });
  const settled = found.is === 'row' ? found.settled() : settleReadBack(run, job, undefined);
  for (const note of settled.notes) report(job, note);
  const isUnsure = found.is === 'unread' && isSent(job);
  const result = failed ?? (isUnsure ? 'unverified' : settled.isKept ? doneBy(job) : 'ignored');
  const record = recordOf(job, id, settled.pairs());
  // It may still use what it was to release.
  const former = result === 'done' ? [] : (job.known?.dependsOn ?? []);
  const dependsOn = [...new Set([...record.dependsOn, ...former])];
  const pending = stillPending(run, job, { isRead: row !== undefined, hasFailed: failed !== undefined });
  const kept = { ...record, id, dependsOn, ...defined({ pending }) };
  await saveRecord(run, job, kept, isSent(job) ? undefined : 'with the rest');
  dispatch(run, job, { is: 'settled', result });
}

/** Says that an action has no object; `isGone`: the platform was read and does not have it, else nothing could be read. */
function missing(job: Job, isGone: boolean): string {
  const { address } = job.action;
  if (!isSent(job)) {
    const what = isGone ? `${address} is not on the platform any more` : `${address} could not be read`;
    return `${what}; nothing was sent for it`;
  }
  return `${address} was sent, and ${isGone ? 'the platform does not have it' : 'it is not known whether the platform has it'}`;
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
function doneBy(job: Job): 'done' | 'unverified' {
  return job.isDoubted === true ? 'unverified' : 'done';
}

/** Compares what an action wanted with its object as it was read back. */
function settleReadBack(run: Run, job: Job, after: Row | undefined): Settled {
  const { action } = job;
  const isOwn = createsObject(action) && !comesWithParent(action);
  return settleRow(run, job, { after, made: isOwn ? job.object?.row : undefined, wasSent: !isOver(job) });
}
