import { oldAddress } from '../kind/address.ts';
import type { Row } from '../kind/json.ts';
import { valueAt } from '../kind/wire.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMadeFirst } from '../plan/action.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { pendingCreate, withWrite } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';
import { findAnswered, findLost } from './find-created.ts';
import { sentAt } from './job.ts';
import { announceCreate, placeOf, recordNow, recordOf, sentNow } from './journal.ts';
import { lagMs } from './poll.ts';
import { reportAgain } from './report.ts';
import { chosenId, created } from './request.ts';
import type { Run } from './run.ts';
import { claim, happen, jobOf } from './run.ts';
import { readOwn, readSiblings } from './scope.ts';
import { mayBeExecuted, mayLandLater, mostSends, send } from './send.ts';
import { settle } from './settle.ts';

/** An object that was created, with its row as far as it is known. */
type Created = { readonly id: string; readonly row: Row };

/** Creates an object: the announcement first, then its id. A lost answer is looked for before anything is sent again. */
export async function create(run: Run, action: Action, step: Step): Promise<void> {
  if (isFoundInList(action)) await inTurn(run, action.kind.kind, () => createNow(run, action, step));
  else await createNow(run, action, step);
}

async function createNow(run: Run, action: Action, step: Step): Promise<void> {
  const { address } = action;
  const { journal } = run;
  const before = knownBefore(run, action);
  // The old object of this address is not the one that is being created.
  happen(run, address, { is: 'removed' });
  const old = isMadeFirst(action) ? deposed(run, address).find(({ id }) => id === before?.id) : undefined;
  if (old?.id !== undefined) await journal.save(old.address, recordOf(run, old, old.id, {}));
  const undo = async () => {
    await journal.save(address, before?.id === null ? null : before);
    if (old !== undefined) await journal.save(old.address, null);
  };
  const object = await sendUntilKnown(run, action, { step, undo });
  if (object === undefined) return; // found when the scope is read back
  claim(run, address, object);
  const record = recordOf(run, action, object.id, pairsOf(run, action, object.row));
  const isLast = action.steps.at(-1) === step;
  await journal.save(address, isLast ? record : withWrite(record, { id: object.id, ...sentNow(run) }));
  if (lacksOutputs(run, action, object.row)) {
    const row = await readOwn(run, action, object.id);
    if (row !== 'gone') claim(run, address, { id: object.id, row: { ...object.row, ...row.row } });
  }
}

/** What is known of an address before its create; that of an object whose own create got no answer, since it was found. */
function knownBefore(run: Run, action: Action): StateRecord | null {
  // The old object of a replacement may be gone by now.
  const known = run.journal.now(action.address) ?? null;
  if (known === null || known.id !== null) return known;
  const found = isMadeFirst(action) ? deposed(run, action.address).at(-1)?.id : undefined;
  return found === undefined ? known : recordOf(run, action, found, knownPairs(known));
}

/** Sends the create, and again only when its answer was lost and nothing of it showed until it could land no more. */
async function sendUntilKnown(
  run: Run,
  action: Action,
  { step, undo, sends = 1 }: { step: Step; undo: () => Promise<void>; sends?: number },
): Promise<Created | undefined> {
  const { address, kind } = action;
  const chosen = chosenId(action, step);
  const listed = isFoundInList(action) ? await listedBefore(run, action) : undefined;
  await announceCreate(run, action, step, chosen);
  let answer: unknown;
  try {
    answer = await send(run, action, step);
  } catch (error) {
    // A pending create that can land no more must not claim an object that somebody else makes later.
    if (!mayBeExecuted(error)) {
      // Those before it were waited out. What has an id of ours is known by that.
      if (sends === 1 || chosen === undefined) await undo();
      throw error;
    }
    if (kind.identity.listedOnce !== undefined) throw error;
    for (const id of listed?.keys() ?? []) run.creations.taken.add(id);
    const now = run.clock.monotonic();
    const until = mayLandLater(error) ? (sentAt(jobOf(run, address)) ?? now) + run.input.fenceMs : now + lagMs;
    const found = await findLost(run, action, { until, chosen });
    const object = found === undefined ? undefined : created(action, found);
    if (object !== undefined) {
      happen(run, address, { is: 'seen' });
      return object;
    }
    if (sends === mostSends || !mayLandLater(error)) {
      if (chosen === undefined) await undo();
      throw error;
    }
    reportAgain(run, action, { what: `the create of ${address}`, done: 'sent' });
    happen(run, address, { is: 'duplicate', place: placeOf(pendingCreate(recordNow(run, address)) ?? {}) });
    return sendUntilKnown(run, action, { step, undo, sends: sends + 1 });
  }
  const object = created(action, answer, chosen);
  if (object !== undefined) return object;
  const row = await findAnswered(run, action, { listed, isNeeded: jobOf(run, address).isNeeded });
  return row === undefined ? undefined : created(action, row);
}

/** The attributes that the answer to a create shows as they were wanted: known, should the run end before the rest. */
function pairsOf({ outputs, input: { digest } }: Run, action: Action, row: Row): StateRecord['pairs'] {
  return settle({ action, after: row, made: undefined, wasSent: false, outputs, digest }).pairs;
}

/** Whether others need the object, and its create did not answer everything that they may refer to. */
function lacksOutputs(run: Run, { address, kind }: Action, row: Row): boolean {
  const outputs = Object.values(kind.outputs ?? {});
  return outputs.some(({ from }) => valueAt(row, from) === undefined) && jobOf(run, address).isNeeded;
}

/** The actions that delete the deposed objects of an address, the newest last. */
function deposed(run: Run, address: string): Action[] {
  const old = run.jobs.get(oldAddress(address))?.action;
  return old === undefined ? [] : [old, ...deposed(run, old.address)];
}

/** Whether the id of a new object is found by comparing the list at the top before and after. */
function isFoundInList({ kind, parent }: Action): boolean {
  return kind.identity.idFrom === 'list' && parent === undefined;
}

/** The list before a create: what it was after the one before it, which had its turn just now. */
async function listedBefore(run: Run, action: Action): Promise<ReadonlyMap<string, Row>> {
  return run.creations.lists.get(action.kind.kind)?.rows ?? (await readSiblings(run, action));
}

/** Runs creates that answer without an id one at a time, so that the new row in their list is the object. */
async function inTurn(run: Run, list: string, work: () => Promise<void>): Promise<void> {
  const { lists } = run.creations;
  const known = lists.get(list);
  const turn = (known?.turn ?? Promise.resolve()).then(work);
  // The next one has its turn whatever became of this one.
  lists.set(list, { turn: turn.catch(() => undefined), rows: known?.rows });
  await turn;
}
