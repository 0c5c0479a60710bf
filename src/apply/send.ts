import { attempts, policies } from '../api/attempts.ts';
import type { OwnConnection } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { servedName } from '../kind/wire.ts';
import type { Action, Step } from '../plan/action.ts';
import { compare } from '../plan/compare.ts';
import { writesOrRemoves } from '../plan/decide.ts';
import { attempt, isLost, mayLandLater } from './attempt.ts';
import { refuseChanged, refuseMoved, rowNow } from './freshness.ts';
import { sentAt } from './job.ts';
import { announceTime } from './announce.ts';
import { report } from './report.ts';
import { answersAll, buildMembers, needsRow } from './request.ts';
import type { Run } from './run.ts';
import { happen, idOf, jobOf } from './run.ts';
import { isAtHome, rowIn, scopeNow } from './scope.ts';

/**
 * Sends an update, a move or a deletion. When its outcome is unknown, reads the object and sends the request again if it
 * had no effect: executing it twice gives the same result.
 *
 * @throws {PlatformError} when the platform refused the request, or its outcome stays unknown.
 * @throws {Stop} when a person changed, since the plan, what the request would overwrite: it was not sent.
 */
export async function send(run: Run, action: Action, step: Step): Promise<unknown> {
  return attempt(run, policies[step.role], {
    send: (isAgain) => sendOnce(run, action, step, isAgain),
    look: async (lost) => {
      if (!(await tookEffect(run, action, step))) return undefined;
      happen(run, action.address, { is: 'seen' });
      if (lost.status === 400 && step.role === 'update') report(run, action, storedAnyway(action, lost));
      return { found: undefined };
    },
  });
}

/** A warning: the platform did what it answers that it could not do, as an update of a registry that it cannot log in to. */
function storedAnyway({ address, position, kind }: Action, { operation, serverMessage }: PlatformError): Diagnostic {
  const why = serverMessage === '' ? '' : `: "${serverMessage}"`;
  const message = `${address}: the platform answered ${servedName(kind, operation)} with 400 and stored the new values all the same${why}`;
  return diagnostic('stored-anyway', message, { address, position });
}

/**
 * Takes a connection, reads the object again, records the time and sends one request: nothing comes between the read and
 * the request. Sends nothing when the object has every change already.
 */
export async function sendOnce(run: Run, action: Action, step: Step, isAgain = false): Promise<unknown> {
  const { address } = action;
  return run.input.client.withConnection(step.operation, async (own) => {
    const now = await lookBefore(run, action, { step, own, isAgain });
    const members = buildMembers({ ...requestInput(run, action), step, now });
    if (members === undefined) {
      happen(run, address, { is: 'needless' });
      return undefined;
    }
    await announceTime(run, address, isAgain || own.hasPaused);
    happen(run, address, { is: 'sent', at: run.clock.monotonic() });
    const answer = await noting(run, address, own.invoke(step.operation, members));
    happen(run, address, { is: 'answered' });
    return answer;
  });
}

/** Waits for the answer to a request; when it fails, notes at once whether the request may have been executed. */
export async function noting(run: Run, address: string, answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    // A deployment that the run no longer waits for may fail after its action is over.
    if (jobOf(run, address).phase.is === 'sent') {
      happen(run, address, isLost(error) ? { is: 'lost', mayLandLater: mayLandLater(error) } : { is: 'refused' });
    }
    throw error;
  }
}

/**
 * Refuses what a person changed since the plan; gives the object as it is. Reads an object that this run has just created
 * only for members that the request sends back and the create did not answer.
 */
async function lookBefore(
  run: Run,
  action: Action,
  { step, own, isAgain }: { readonly step: Step; readonly own: OwnConnection; readonly isAgain: boolean },
): Promise<Row | undefined> {
  const { hasPaused } = own;
  const now = run.clock.monotonic();
  const isFresh = now - (sentAt(jobOf(run, action.address)) ?? now) <= attempts.reading.freshMs;
  const isNew = action.createsObject && step.role !== 'delete' && !isAgain && !hasPaused && isFresh;
  const check = { step, client: own, isAnew: hasPaused };
  if (step.role === 'create') await refuseMoved(run, action, action.scope, check);
  // Nothing of others is in what is not there yet.
  if (step.role === 'create') return needsRow(step) ? {} : undefined;
  const row = isNew ? undefined : await refuseChanged(run, action, check);
  if (row !== undefined || !needsRow(step)) return row;
  // What is gone already is no hindrance: the platform answers that it does not have it.
  if (step.role === 'delete') return run.input.plan.observed.objects.get(action.address)?.row;
  return answersAll(step, requestInput(run, action).made) ?? rowNow(run, action, { client: own });
}

/** Whether the platform shows the effect of a request. An effect that no read can prove counts as missing. */
export async function tookEffect(run: Run, action: Action, step: Step): Promise<boolean> {
  if (idOf(run, action.address) === undefined || idOf(run, action.scope) === undefined) return false;
  try {
    const row = rowIn(run, action, await scopeNow(run, action.scope, { isAnew: true }));
    if (step.role === 'delete') return row === undefined;
    if (row === undefined) return false;
    return step.role === 'move' ? isAtHome(run, action, row) : holds(run, action, step, row);
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

/** Whether a row has every change of a step. */
function holds(run: Run, action: Action, { changed, members }: Step, row: Row): boolean {
  const compared = compare(action, row, run.outputs);
  return changed.every((name) => {
    const member = members[name];
    const carried = compared.filter(({ planned: { attribute, wanted, decision } }) => {
      // An operation of its own may take a field under another name: `password` for `databasePassword`.
      const isCarried = attribute.field === name || (member?.is === 'wanted' && member.wanted === wanted);
      return isCarried && writesOrRemoves(decision);
    });
    // A row does not tell which entries of a set the request was to remove.
    const isSet = member?.is === 'set';
    return carried.length > 0 && !isSet && carried.every(({ verdict }) => verdict === 'as wanted');
  });
}

/** The input of `buildMembers`, apart from the step and the object as it is now. */
export function requestInput(run: Run, action: Action) {
  return {
    action,
    outputs: run.outputs,
    addSecret: run.input.addSecret,
    made: action.createsObject ? jobOf(run, action.address).object?.row : undefined,
    idOf: (address: string) => idOf(run, address),
  };
}
