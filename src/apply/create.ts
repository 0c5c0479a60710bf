import { oldAddress } from '../kind/address.ts';
import type { Row } from '../kind/json.ts';
import { valueAt } from '../kind/wire.ts';
import { rowId } from '../observe/answers.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMadeFirst } from '../plan/action.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { pendingCreate, withWrite } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';
import { chosenId, created } from './perform.ts';
import { creationOf, sentNow } from './intents.ts';
import { lagMs, lookUntil } from './look.ts';
import { findMade, newRows } from './read-back.ts';
import type { Run } from './run.ts';
import { readOwn } from './lane-now.ts';
import { reportAgain } from './problems.ts';
import { recordNow, recordOf, save } from './records.ts';
import { claim, laneRoot } from './run.ts';
import { noteDuplicate } from './twins.ts';
import { seek } from './seek.ts';
import { readSiblings } from './siblings.ts';
import { mayBeExecuted, mayLandLater, mostSends, send } from './send.ts';
import { settle } from './settle.ts';
import { stop } from './unchanged.ts';

/** An object that was made, with what is known of its row. */
type Made = { readonly id: string; readonly row: Row };

/** Makes an object: an intent first, then its id. A lost answer is looked for before anything is sent again. */
export async function create(run: Run, action: Action, step: Step): Promise<void> {
  if (isFoundInList(action)) await inTurn(run, action.kind.kind, () => createNow(run, action, step));
  else await createNow(run, action, step);
}

async function createNow(run: Run, action: Action, step: Step): Promise<void> {
  const { address } = action;
  const before = knownBefore(run, action);
  // The old object of this address is not the one that is being made.
  run.ids.delete(address);
  run.rows.delete(address);
  const old = isMadeFirst(action) ? oldOnes(run, address).find(({ id }) => id === before?.id) : undefined;
  if (old?.id !== undefined) await save(run, old.address, recordOf(run, old, old.id, {}));
  const undo = async () => {
    await save(run, address, before?.id === null ? null : before);
    if (old !== undefined) await save(run, old.address, null);
  };
  const object = await sendUntilKnown(run, action, { step, undo });
  if (object === undefined) return; // found when the lane is read back
  claim(run, address, object.id);
  run.rows.set(address, object.row);
  const record = recordOf(run, action, object.id, pairsOf(run, action, object.row));
  const isLast = action.steps.at(-1) === step;
  await save(run, address, isLast ? record : withWrite(record, { id: object.id, ...sentNow(run) }));
  if (lacksOutputs(run, action, object.row)) {
    const row = await readOwn(run, action, object.id);
    if (row !== 'gone') run.rows.set(address, { ...object.row, ...row.row });
  }
}

/** What is known of an address before its create; that of an object whose own create got no answer, since it was found. */
function knownBefore(run: Run, action: Action): StateRecord | null {
  // The old object of a replacement may be gone by now.
  const known = run.records.get(action.address) === null ? undefined : recordNow(run, action.address);
  if (known === undefined || known.id !== null) return known ?? null;
  const found = isMadeFirst(action) ? oldOnes(run, action.address).at(-1)?.id : undefined;
  if (found === undefined) return known;
  return recordOf(run, action, found, knownPairs(known));
}

/** Sends the create, and again only when its answer got lost and nothing of it showed until its fence had passed. */
async function sendUntilKnown(
  run: Run,
  action: Action,
  { step, undo, sends = 1 }: { step: Step; undo: () => Promise<void>; sends?: number },
): Promise<Made | undefined> {
  const { address, kind } = action;
  const chosen = chosenId(action, step);
  const earlier = isFoundInList(action) ? await listedBefore(run, action) : new Map<string, Row>();
  await save(run, address, {
    ...recordOf(run, action, chosen ?? null, {}),
    pending: creationOf(run, action, step),
  });
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
    for (const id of earlier.keys()) run.claimed.add(id);
    const from = run.sentAt.get(address) ?? run.clock.monotonic();
    const until = mayLandLater(error) ? from + run.fenceMs : run.clock.monotonic() + lagMs;
    const found = await seek(run, action, { until, chosen });
    const made = found === undefined ? undefined : created(action, found);
    if (made !== undefined) return made;
    if (sends === mostSends || !mayLandLater(error)) {
      if (chosen === undefined) await undo();
      throw error;
    }
    reportAgain(run, action, { what: `the create of ${address}`, done: 'sent' });
    noteDuplicate(run.duplicates, action, pendingCreate(recordNow(run, address)) ?? {});
    return sendUntilKnown(run, action, { step, undo, sends: sends + 1 });
  }
  return created(action, answer, chosen) ?? (await lookUp(run, action, earlier));
}

/** What the answer to a create shows to be as it was wanted: known, should the run end before everything is settled. */
function pairsOf({ outputs, input: { digest } }: Run, action: Action, row: Row): StateRecord['pairs'] {
  return settle({ action, after: row, made: undefined, wasSent: false, outputs, digest }).pairs;
}

/** Whether others need the object, and its create did not answer everything that they may refer to. */
function lacksOutputs(run: Run, { address, kind }: Action, row: Row): boolean {
  const outputs = Object.values(kind.outputs ?? {});
  return run.needed.has(address) && outputs.some(({ from }) => valueAt(row, from) === undefined);
}

/** The actions that take the old objects of an address away, the newest last. */
function oldOnes(run: Run, address: string): Action[] {
  const old = run.actions.get(oldAddress(address));
  return old === undefined ? [] : [old, ...oldOnes(run, old.address)];
}

/** Whether the id of a new object is found by comparing the list at the top before and after. */
function isFoundInList({ kind, parent }: Action): boolean {
  return kind.identity.idFrom === 'list' && parent === undefined;
}

/** The list before a create: what it was after the one before it, which had its turn just now. */
async function listedBefore(run: Run, action: Action): Promise<ReadonlyMap<string, Row>> {
  return run.listed.get(action.kind.kind) ?? (await readSiblings(run, action));
}

/** Runs creates that answer without an id one at a time, so that what is new in their list is the one. */
async function inTurn(run: Run, list: string, work: () => Promise<void>): Promise<void> {
  const turn = (run.turns.get(list) ?? Promise.resolve()).then(work);
  // The next one has its turn whatever became of this one.
  run.turns.set(
    list,
    turn.catch(() => undefined),
  );
  await turn;
}

/** Finds at once what a create made without telling its id: in the list at the top, or because others wait for it. */
async function lookUp(run: Run, action: Action, earlier: ReadonlyMap<string, Row>): Promise<Made | undefined> {
  const isTaken = (id: string) => run.claimed.has(id) || earlier.has(id);
  const isSeen = (row: Row | undefined) => row !== undefined;
  if (isFoundInList(action)) {
    const row = await lookUntil(run, () => lookInList(run, action, isTaken), { isSeen });
    return row === undefined ? undefined : created(action, row);
  }
  const lane = run.ids.get(action.lane);
  if (lane === undefined || !run.needed.has(action.address)) return undefined;
  const look = async () => {
    const after = await readOwn(run, laneRoot(run, action.lane), lane);
    return after === 'gone' ? undefined : findMade(run, after, action, isTaken);
  };
  const row = await lookUntil(run, look, { isSeen });
  return row === undefined ? undefined : created(action, row);
}

async function lookInList(run: Run, action: Action, isTaken: (id: string) => boolean): Promise<Row | undefined> {
  const rows = await readSiblings(run, action);
  run.listed.set(action.kind.kind, rows);
  const made = newRows(run, rows, action, isTaken);
  if (made.length <= 1) return made[0];
  const ids = made.map((row) => rowId(action.kind, row)).join(', ');
  throw stop(action, `somebody made the same at the same time: one of ${ids} is ${action.address}`);
}
