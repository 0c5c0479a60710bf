import { attempts, policies } from '../api/attempts.ts';
import type { Row } from '../formats/json.ts';
import { valueAt } from '../kind/row-values.ts';
import { type Step, createsFirst, createsObject, isDeposed } from '../plan/action.ts';
import { knownPairs, pendingCreate, withWrite } from '../state/pending-operation.ts';
import type { StateRecord } from '../state/record.ts';
import { announceCreate, creationOf } from './announce.ts';
import { attempt, isLost, mayLandLater, poll } from './attempt.ts';
import { findAnswered, findLost, isAskedFor, isFoundInList, linkOf, unclaimedWithKey } from './find-created.ts';
import { type Job, report, resultOf, sentAt, withDuplicate } from './job.ts';
import { chosenId, created } from './fill-members.ts';
import { reportAgain, refusal } from './report-failure.ts';
import { type Run, claim, digestsAt, recordNow, recordOf, saveRecord, sentNow, settleRow } from './apply-run.ts';
import { listOf, readOwn, readSiblings, readerOfLists, rowsBelow } from './rows.ts';
import { seen, sendOnce } from './send-step.ts';
import { PlatformError } from '../api/platform-error.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { rowId } from '../observe/checked-answers.ts';
import { differencesFromCreate } from '../observe/lost-create.ts';

/** An object that was created, with its row as far as it is known. */
type Created = { readonly id: string; readonly row: Row };

/** Creates an object: records the create, sends it, and records its id. Looks for a lost create before it sends another. */
export async function create(run: Run, job: Job, step: Step): Promise<void> {
  const { action } = job;
  if (isFoundInList(action)) await inTurn(run, listOf(action), () => createNow(run, job, step));
  else await createNow(run, job, step);
}

/** Runs creates that answer without an id one at a time, so that each is the only new row in their list. */
async function inTurn({ creations: { turns } }: Run, list: string, work: () => Promise<void>): Promise<void> {
  const turn = (turns.get(list) ?? Promise.resolve()).then(work);
  turns.set(
    list,
    turn.catch(() => undefined), // a failure does not keep the next one from its turn
  );
  await turn;
}

async function createNow(run: Run, job: Job, step: Step): Promise<void> {
  const { address, steps } = job.action;
  const { journal } = run;
  const before = recordBefore(run, job);
  // The old object of this address is not the one that is being created.
  job.object = undefined;
  const old = before === undefined ? undefined : deposed(run, job).find(({ action }) => action.id === before.id);
  if (old?.action.id !== undefined) {
    await journal.save(old.action.address, { record: recordOf(old, old.action.id, {}) });
  }
  const undo = async () => {
    const deploys = run.input.plan.base.deployments[address] ?? null;
    await journal.save(address, before === undefined ? 'gone' : { record: before, deploys });
    if (old !== undefined) await journal.save(old.action.address, 'gone');
  };
  const object = await sendUntilKnown(run, job, { step, undo });
  if (object === undefined) return; // found when the scope is read back
  claim(run, job, object);
  // Those that the create answered as wanted are recorded now, because the run can end before the rest.
  const { pairs } = settleRow(run, job, { after: object.row, made: undefined, wasSent: false });
  const record = recordOf(job, object.id, pairs());
  const isLast = steps.at(-1) === step;
  if (isLast) await journal.save(address, { record }, 'with the next');
  else await journal.save(address, { record: withWrite(record, { id: object.id, ...sentNow(run) }) });
  if (lacksOutputs(job, object.row)) {
    const row = await readOwn(run, job, object.id);
    if (row !== undefined) claim(run, job, { id: object.id, row: { ...object.row, ...row } });
  }
}

/**
 * Finds the object that the platform made along with the parent of an action, and records it.
 *
 * @throws {Stop} when the platform does not list it below the parent.
 */
export async function claimProvided(run: Run, job: Job): Promise<void> {
  const { action } = job;
  const { address, kind, parent = '' } = action;
  const isIt = (row: Row) => kind.lifecycle?.provided?.is(row, {}) === true;
  const look = async () => [...(await readSiblings(run, job))].find(([, row]) => isIt(row));
  const found = await poll(run, look, { isSeen: (one) => one !== undefined });
  if (found === undefined) {
    throw refusal(action, `${address} comes with ${parent}, and the platform does not list it below that`);
  }
  const [id, row] = found;
  claim(run, job, { id, row });
  await saveRecord(run, job, recordOf(job, id, {}));
}

/** The record of the object that an address had before its create; undefined when it had none. */
function recordBefore(run: Run, job: Job): StateRecord | undefined {
  const { address } = job.action;
  // The teardown of a replacement removes it.
  const known = run.journal.now(address) ?? undefined;
  if (known === undefined || known.id !== null) return known;
  // The deposed object can be one that an earlier run created without an answer, and that the plan found.
  const found = createsFirst(job.action) ? deposed(run, job).at(-1)?.action.id : undefined;
  return found === undefined ? undefined : recordOf(job, found, knownPairs(known));
}

/** Sends the create until its object is known; undefined: no usable answer has its id, and the read-back finds it. */
async function sendUntilKnown(
  run: Run,
  job: Job,
  { step, undo }: { readonly step: Step; readonly undo: () => Promise<void> },
): Promise<Created | undefined> {
  const { action } = job;
  const { address, kind } = action;
  const chosen = chosenId(action, step);
  // No list shows the object before something happens outside Trueup.
  const isListedLater = kind.identity.listedOnce !== undefined;
  // A later run knows the object of a lost create without looking for its key, so the create stays pending.
  const staysPending = isListedLater || chosen !== undefined;
  const answer = await attempt<unknown>(run, isListedLater ? { ...policies.create, most: 1 } : policies.create, {
    send: async (isAgain) => {
      if (isFoundInList(action)) await claimListed(run, job);
      await announceCreate(run, job, step);
      try {
        const answer = await sendOnce(run, job, step);
        const made = created(action, answer, chosen);
        return made === undefined || isAskedFor(run, job, made) ? answer : undefined;
      } catch (error) {
        // A pending create that can land no more must not claim an object that another person creates later.
        if (!isLost(error) && !(isAgain && staysPending)) await undo();
        throw error;
      }
    },
    look: async (lost, isLast) => {
      if (isListedLater) return undefined;
      const found = await findLost(run, job, { until: lookUntil(run, job, lost), chosen });
      if (found !== undefined) seen(run, job, step, lost);
      else if (isLast && !staysPending) await undo();
      return found === undefined ? undefined : { found };
    },
    onAgain: () => {
      reportAgain(run, job, `the create of ${address}`, 'sent');
      job.duplicates = withDuplicate(job.duplicates, pendingCreate(recordNow(run, job)) ?? {});
    },
  });
  return created(action, answer, chosen) ?? created(action, await findAnswered(run, job));
}

/** Claims every row of the list, so that none counts as new: as the create before saw it, else read now. */
async function claimListed(run: Run, job: Job): Promise<void> {
  const { listed, taken } = run.creations;
  const rows = listed.get(listOf(job.action)) ?? (await readSiblings(run, job));
  for (const id of rows.keys()) taken.add(id);
}

/** The moment until which Trueup looks for the object of a lost create (monotonic ms). */
function lookUntil(run: Run, job: Job, lost: PlatformError): number {
  const now = run.clock.monotonic();
  if (!mayLandLater(lost)) return now + attempts.effect.lagMs;
  return (sentAt(job) ?? now) + run.input.inFlightTimeoutMs;
}

/** Whether other actions need the object, and the answer to its create lacks outputs that they can refer to. */
function lacksOutputs({ action, isNeeded }: Job, row: Row): boolean {
  const outputs = Object.values(action.kind.outputs ?? {});
  return outputs.some(({ from }) => valueAt(row, from) === undefined) && isNeeded;
}

/** The jobs that delete the deposed objects of an address, the newest last. */
function deposed(run: Run, { action: { block } }: Job): Job[] {
  const old = [...run.jobs.values()].filter(({ action }) => action.block === block && isDeposed(action));
  // Each has one mark more than the one before it.
  return old.toSorted((a, b) => a.action.address.length - b.action.address.length);
}

/**
 * Reports the duplicates of objects that this run created: something between Trueup and the platform delivered the create
 * twice. Records where they may be, so that later plans report them too. Costs one read per parent of services and
 * environments that were created, and one per list of volume backups; everything else below a service was read back.
 */
export async function reportDuplicates(run: Run): Promise<void> {
  const { signal } = run.input;
  const looking: Run = { ...run, reader: readerOfLists(run) };
  const reports = [...run.jobs.values()].map(async (job) => {
    const { action } = job;
    const create = action.steps.find(({ role }) => role === 'create');
    const isCreated = createsObject(action) && resultOf(job) !== 'skipped';
    if (create === undefined || !isCreated || chosenId(action, create) !== undefined) return;
    if (isFoundInList(action)) return; // two new rows in the list ended the create
    if (signal?.aborted === true || run.ending.reason !== undefined) return;
    try {
      await reportDuplicatesOf(looking, job, create);
    } catch (error) {
      // The result of the create is known without this.
      if (!(error instanceof PlatformError || error instanceof Stop)) throw error;
    }
  });
  await Promise.all(reports);
}

async function reportDuplicatesOf(run: Run, job: Job, create: Step): Promise<void> {
  const { action, object: { id = '' } = {} } = job;
  const { kind, address, position } = action;
  const siblings = await siblingsOf(run, job);
  const own = siblings.get(id);
  if (own === undefined || recordNow(run, job) === undefined) return;
  const others = await unclaimedWithKey(run, job, siblings);
  if (others.length === 0) return;
  const pending = creationOf(run, job, create);
  const createdAt = Date.parse(String(own.createdAt));
  const sent = Number.isNaN(createdAt) ? pending : { ...pending, at: createdAt };
  const duplicates = others.filter(
    (row) => differencesFromCreate(kind, row, sent, digestsAt(run, action)).length === 0,
  );
  if (duplicates.length === 0) return;
  const ids = duplicates.map((row) => rowId(kind, row)).join(', ');
  const message = `${address} (${id}) has a duplicate: ${ids}; its create reached the platform twice`;
  const remedy = 'Look at them on the platform, and delete those that you do not need.';
  report(job, diagnostic('duplicate', message, { address, position, remedy }));
  job.duplicates = withDuplicate(job.duplicates, pending);
  const record = recordNow(run, job); // what else was settled meanwhile is in it
  if (record === undefined) return;
  await run.journal.save(address, { record: { ...record, duplicates: job.duplicates } }, 'with the rest');
}

/** The rows beside an object that was created, by id: as its service was read back, else read now. */
async function siblingsOf(run: Run, job: Job): Promise<ReadonlyMap<string, Row>> {
  const { root, readBack } = job.scope;
  if (!('at' in (linkOf(job)?.listed ?? {})) || root === job) return readSiblings(run, job);
  return rowsBelow(root, readBack, job.action.kind);
}
