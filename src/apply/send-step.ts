import { attempts, policies } from '../api/attempts.ts';
import type { OwnConnection } from '../api/client.ts';
import type { Operation } from '../api/contract.ts';
import { type PlatformError, unlessItFails } from '../api/platform-error.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import { attributeName } from '../kind/attribute.ts';
import { type Action, type Step, createsObject } from '../plan/action.ts';
import { compare } from '../plan/row-verdict.ts';
import { writesOrRemoves } from '../plan/decide.ts';
import { withPending } from '../state/pending-operation.ts';
import { attempt, isLost, mayLandLater } from './attempt.ts';
import { refuseChanged, refuseMoved, rowNow } from './freshness.ts';
import { type Job, report, sentAt } from './job.ts';
import { announceTime } from './announce.ts';
import { answersAll, buildMembers, carries, isMember, isUnproven, needsRow } from './fill-members.ts';
import { type Run, dispatch } from './apply-run.ts';
import { isAtHome, rowIn, scopeNow } from './rows.ts';

/**
 * Sends an update, a move or a deletion. When its outcome is unknown, reads the object and sends the request again if it
 * had no effect: executing it twice gives the same result.
 *
 * @throws {PlatformError} when the platform refused the request, or its outcome stays unknown.
 * @throws {Stop} when a person changed, since the plan, what the request would overwrite: it was not sent.
 */
export async function send(run: Run, job: Job, step: Step): Promise<unknown> {
  return attempt(run, policies[step.role], {
    send: (isAgain) => sendOnce(run, job, step, isAgain),
    look: async (lost) => {
      // The platform stored it in an earlier run: the object shows nothing of this request.
      if (!saysFailed(lost) && repeats(job.action, step)) return undefined;
      if (!(await tookEffect(run, job, step))) return undefined;
      seen(run, job, step, lost);
      return { found: undefined };
    },
  });
}

/** Notes that a request took effect whose outcome was lost. Reports an error of the platform: it did a part of its work. */
export function seen(run: Run, job: Job, step: Step, lost: PlatformError): void {
  const isDoubted = saysFailed(lost) && !(step.role === 'delete' && saysGone(lost));
  dispatch(run, job, { is: 'seen', isDoubted });
  if (isDoubted) report(job, storedAnyway(job.action, step, lost));
}

/** Some deletions of the platform answer 400 with these words where others answer 404. */
export function saysGone(error: PlatformError): boolean {
  return error.failure === 'not found' || (error.failure === 'invalid' && /not found/i.test(error.serverMessage));
}

/**
 * Whether an answer says that the request failed: one with a code, or with a status that speaks of the request. A proxy that
 * gets no answer (502, 504, 408), and an answer that cannot be read, say only that the outcome is unknown.
 */
function saysFailed({ status = 0, code }: PlatformError): boolean {
  return status >= 400 && (code !== undefined || (status <= 500 && status !== 408));
}

/** Records that a create or an update got an error as its answer: a run after a kill knows that what is stored is not proven. */
async function saveError(
  run: Run,
  { action: { address, attributes } }: Job,
  { role }: Step,
  error: unknown,
): Promise<void> {
  const record = run.journal.now(address);
  const isStoring = role === 'create' || role === 'update';
  if (!isStoring || !isLost(error) || !saysFailed(error) || record?.pending === undefined) return;
  const written = attributes.filter(({ decision }) => writesOrRemoves(decision));
  const unproven = written.map(({ attribute }) => attributeName(attribute));
  // A state that fails refuses the next record too, and the error of the platform says more.
  await run.journal.save(address, { record: withPending(record, { unproven }) }).catch(() => undefined);
}

/** Whether a step writes what the platform stored before with an error. */
function repeats({ attributes }: Action, step: Step): boolean {
  return step.role === 'update' && attributes.some((one) => isUnproven(one) && carries(step, one));
}

/** A warning: the platform did a part of what it answers that it could not do, as an update of a registry that it cannot log in to. */
function storedAnyway(
  { address, position }: Action,
  { role }: Step,
  { operation, status, code, serverMessage }: PlatformError,
): Diagnostic {
  const why = serverMessage === '' ? '' : `: "${serverMessage}"`;
  const { did, remedy } = role === 'create' || role === 'update' ? storing[role] : doing;
  // Without a code, a proxy may have answered.
  const answered =
    code === undefined
      ? `the answer to ${operation} was ${status}, and the platform`
      : `the platform answered ${operation} with ${status} and`;
  const message = `${address}: ${answered} ${did} all the same${why}`;
  return diagnostic('stored-anyway', message, { address, position, remedy });
}

const again = 'Fix what the platform names, and apply again: Trueup sends it again until the platform accepts it.';
const storing = {
  create: { did: 'stored the new object', remedy: again },
  update: { did: 'stored the new values', remedy: again },
} as const;
const doing = {
  did: 'did it',
  remedy: 'Look at the platform for what is left of it: no later run knows of that.',
} as const;

/**
 * Takes a connection, reads the object again, records the time and sends one request: nothing comes between the read and
 * the request. Sends nothing when the object has every change already.
 */
export async function sendOnce(run: Run, job: Job, step: Step, isAgain = false): Promise<unknown> {
  return run.input.client.withConnection(step.operation, async (own) => {
    const now = await lookBefore(run, job, { step, own, isAgain });
    const members = buildMembers({ ...requestInput(run, job), step, now });
    if (members === undefined) {
      dispatch(run, job, { is: 'needless' });
      return undefined;
    }
    await announceTime(run, job, isAgain || own.hasPaused);
    const answer = await invoke(run, job, own, step.operation, members).catch(async (error: unknown) => {
      await saveError(run, job, step, error);
      throw error;
    });
    dispatch(run, job, { is: 'answered' });
    return answer;
  });
}

/** Sends a request now; when it fails, notes at once whether it may have been executed. */
export async function invoke(
  run: Run,
  job: Job,
  own: OwnConnection,
  operation: Operation,
  members: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  dispatch(run, job, { is: 'sent', at: run.clock.monotonic() });
  try {
    return await own.invoke(operation, members);
  } catch (error) {
    // A deployment that the run no longer waits for may fail after its action is over.
    if (job.phase.is === 'sent') {
      dispatch(run, job, isLost(error) ? { is: 'lost', mayLandLater: mayLandLater(error) } : { is: 'refused' });
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
  job: Job,
  { step, own, isAgain }: { readonly step: Step; readonly own: OwnConnection; readonly isAgain: boolean },
): Promise<Row | undefined> {
  const { hasPaused } = own;
  const now = run.clock.monotonic();
  const isFresh = now - (sentAt(job) ?? now) <= attempts.reading.freshMs;
  const isNew = createsObject(job.action) && step.role !== 'delete' && !isAgain && !hasPaused && isFresh;
  const check = { step, client: own, refetch: hasPaused };
  if (step.role === 'create') await refuseMoved(run, job, job.scope, check);
  // Nothing of others is in what is not there yet.
  if (step.role === 'create') return needsRow(step) ? {} : undefined;
  const row = isNew ? undefined : await refuseChanged(run, job, check);
  if (row !== undefined || !needsRow(step)) return row;
  // What is gone already is no hindrance: the platform answers that it does not have it.
  if (step.role === 'delete') return job.planned?.row;
  return answersAll(step, requestInput(run, job).made) ?? rowNow(run, job, { client: own });
}

/** Whether the platform shows the effect of a request. An effect that no usable answer proves counts as missing. */
export async function tookEffect(run: Run, job: Job, step: Step): Promise<boolean> {
  if (job.object === undefined || job.scope.root.object === undefined) return false;
  const took = await unlessItFails(async () => {
    const row = rowIn(job, await scopeNow(run, job.scope, { refetch: true }));
    if (step.role === 'delete') return row === undefined;
    if (row === undefined) return false;
    return step.role === 'move' ? isAtHome(job, row) : holds(run, job.action, step, row);
  });
  return took ?? false;
}

/** Whether a row has every change of a step. */
function holds(run: Run, action: Action, { changed, members }: Step, row: Row): boolean {
  const compared = compare(action, row, run.outputs);
  return changed.every((name) => {
    const member = members[name];
    const carried = compared.filter(
      ({ planned }) => isMember(name, member, planned) && writesOrRemoves(planned.decision),
    );
    // A row does not tell which entries of a set the request was to remove.
    const isSet = member?.is === 'set';
    return carried.length > 0 && !isSet && carried.every(({ verdict }) => verdict === 'as wanted');
  });
}

/** The input of `buildMembers`, apart from the step and the object as it is now. */
export function requestInput(run: Run, { action, object }: Job) {
  return {
    action,
    outputs: run.outputs,
    addSecret: run.input.addSecret,
    made: createsObject(action) ? object?.row : undefined,
    idOf: (address: string) => run.jobs.get(address)?.object?.id,
  };
}
