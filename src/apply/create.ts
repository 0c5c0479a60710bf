import { attempts, policies } from '../api/attempts.ts';
import type { Row } from '../formats/json.ts';
import { valueAt } from '../kind/row-values.ts';
import { groupBy } from '../kind/group.ts';
import { type Action, type Step, createsFirst, createsObject, isDeposed } from '../plan/action.ts';
import { knownPairs, pendingCreate, withWrite } from '../state/pending-operation.ts';
import type { StateRecord } from '../state/record.ts';
import { announceCreate, creationOf } from './announce.ts';
import { attempt, isLost, mayLandLater, poll } from './attempt.ts';
import { findAnswered, findLost, isAskedFor, isFoundInList, linkOf, unclaimedWithKey } from './find-created.ts';
import { type Job, type Scope, report, resultOf, sentAt, withDuplicate } from './job.ts';
import { chosenId, created } from './fill-members.ts';
import { reportAgain, refusal } from './report-failure.ts';
import { type Run, claim, digestsAt, recordNow, recordOf, saveRecord, sentNow, settleRow } from './apply-run.ts';
import { listOf, readOwn, readSiblings, readerOfLists, rowsBelow } from './rows.ts';
import { seen, sendOnce } from './send-step.ts';
import { type PlatformError, unlessItFails } from '../api/platform-error.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
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
 * environments that were created, and one per list of volume backups; everything else below a service was read back, and
 * `reportDuplicatesBelow` looked at it then. Takes time in proportion to the lists.
 */
export async function reportDuplicates(run: Run): Promise<void> {
  const looking: Run = { ...run, reader: readerOfLists(run) };
  const listed = [...run.jobs.values()].filter((job) => canHaveDuplicates(run, job) && !isReadBackWithin(job));
  const lists = groupBy(listed.map((job) => [listOf(job.action), job] as const));
  const reports = [...lists.values()].map(async (jobs) => {
    const [first] = jobs;
    if (first !== undefined) await reportDuplicatesIn(looking, jobs, () => readSiblings(looking, first));
  });
  await Promise.all(reports);
}

/** The same for the objects below a service, in its row as it was read back. */
export async function reportDuplicatesBelow(run: Run, { root, jobs, readBack }: Scope): Promise<void> {
  const within = jobs.filter((job) => canHaveDuplicates(run, job) && isReadBackWithin(job));
  const lists = groupBy(within.map((job) => [job.action.kind, job] as const));
  for (const [kind, beside] of lists)
    await reportDuplicatesIn(run, beside, async () => rowsBelow(root, readBack, kind));
}

/** Whether a run created the object of a job, and may have done so twice without knowing it. */
function canHaveDuplicates({ input: { signal }, ending }: Run, job: Job): boolean {
  const { action } = job;
  const create = createOf(action);
  const isCreated = createsObject(action) && resultOf(job) !== 'skipped';
  if (create === undefined || !isCreated || chosenId(action, create) !== undefined) return false;
  if (isFoundInList(action)) return false; // two new rows in the list ended the create
  return signal?.aborted !== true && ending.reason === undefined;
}

function createOf({ steps }: Action): Step | undefined {
  return steps.find(({ role }) => role === 'create');
}

/** Whether the row of a service shows the objects beside that of a job. */
function isReadBackWithin(job: Job): boolean {
  return job.scope.root !== job && 'at' in (linkOf(job)?.listed ?? {});
}

/** Reports what is like the objects of jobs in the list that shows them all, and is of nothing else: most lists have nothing else. */
async function reportDuplicatesIn(
  run: Run,
  jobs: readonly Job[],
  read: () => Promise<ReadonlyMap<string, Row>>,
): Promise<void> {
  // The results of the creates are known without it.
  const rows = await unlessItFails(read);
  const unclaimed = new Map([...(rows ?? [])].filter(([id]) => !run.creations.taken.has(id)));
  if (rows === undefined || unclaimed.size === 0) return;
  await Promise.all(jobs.map((job) => unlessItFails(() => reportRowsLike(run, job, rows, unclaimed))));
}

/** Reports the rows beside the object of a create that are like it, and are of nothing else. */
async function reportRowsLike(
  run: Run,
  job: Job,
  rows: ReadonlyMap<string, Row>,
  unclaimed: ReadonlyMap<string, Row>,
): Promise<void> {
  const { action, object: { id = '' } = {} } = job;
  const { kind, address, position } = action;
  const own = rows.get(id);
  const create = createOf(action);
  if (own === undefined || create === undefined || recordNow(run, job) === undefined) return;
  const others = await unclaimedWithKey(run, job, unclaimed);
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
