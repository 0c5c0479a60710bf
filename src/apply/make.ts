import { PlatformError } from '../api/errors.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { oldAddress } from '../kind/address.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { valueAt } from '../kind/wire.ts';
import { rowId } from '../observe/answers.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMade, isMadeFirst } from '../plan/action.ts';
import { noteDebts } from './debts.ts';
import { changedSince } from './freshness.ts';
import { chosenId, created, perform, rehearse } from './perform.ts';
import { findById, findMade, listTop, newRows, readLane } from './read-back.ts';
import type { Run } from './run.ts';
import { laneBefore, laneRoot, recordOf, save } from './run.ts';
import { settle } from './settle.ts';
import type { StateRecord } from '../state/state.ts';

/** Takes the old object of an action away. Before a new one takes its place, the old one has to be gone for sure. */
export async function tearDown(run: Run, action: Action): Promise<void> {
  await noteDebts(run, action.address);
  if (action.action === 'replace') rehearseCreation(run, action);
  for (const step of action.teardown) {
    try {
      await send(run, action, step);
    } catch (error) {
      if (!(error instanceof PlatformError) || !saysGone(error)) throw error;
    }
  }
  if (action.action !== 'replace') return;
  const old = run.ids.get(action.address);
  const lane = run.ids.get(action.lane);
  if (action.teardown.length > 0 && old !== undefined && lane !== undefined) {
    const after = await readLane(run.input.client, laneRoot(run, action.lane), lane);
    if (after !== 'gone' && findById(after, action, old) !== undefined) {
      throw stop(action, `the old ${action.address} was to be deleted and is still there; no new one was made`);
    }
  }
  run.ids.delete(action.address);
  await save(run, action.address, null);
}

/** Sends the requests that make and change the object of an action. */
export async function make(run: Run, action: Action): Promise<void> {
  if (action.steps.length > 0 && !isMade(action)) {
    const change = changedSince(action, await rowNow(run, action));
    if (change !== undefined) throw stop(action, `${change} since the plan was made; nothing was sent`);
  }
  if (action.steps.length > 0) await noteDebts(run, action.address);
  for (const step of action.steps) {
    if (step.role !== 'create') await send(run, action, step);
    else if (isFoundInList(action)) await inTurn(run, action.kind.kind, () => create(run, action, step));
    else await create(run, action, step);
  }
}

/** Makes an object: an intent first, then its id. */
async function create(run: Run, action: Action, step: Step): Promise<void> {
  const { address } = action;
  const before = run.records.get(address) ?? run.input.plan.base.resources[address] ?? null;
  const chosen = chosenId(action, step);
  const earlier = isFoundInList(action) ? await listedBefore(run, action.kind) : new Map<string, Row>();
  // The old object of this address is not the one that is being made.
  run.ids.delete(address);
  run.rows.delete(address);
  const old = isMadeFirst(action) ? oldOf(run, address, before?.id) : undefined;
  if (old?.id !== undefined) await save(run, old.address, recordOf(run, old, old.id, {}));
  await save(run, address, recordOf(run, action, chosen ?? null, {}));
  let answer: unknown;
  try {
    answer = await send(run, action, step);
  } catch (error) {
    // An intent that was surely not executed must not claim an object that somebody else makes later.
    if (!mayBeExecuted(error)) {
      await save(run, address, before?.id === null ? null : before);
      if (old !== undefined) await save(run, old.address, null);
    }
    throw error;
  }
  const object = created(action, answer, chosen) ?? (await lookUp(run, action, earlier));
  if (object === undefined) return; // found when the lane is read back
  run.ids.set(address, object.id);
  run.rows.set(address, object.row);
  await save(run, address, recordOf(run, action, object.id, pairsOf(run, action, object.row)));
  if (lacksOutputs(run, action, object.row)) {
    const row = await readLane(run.input.client, action, object.id);
    if (row !== 'gone') run.rows.set(address, { ...object.row, ...row.row });
  }
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

/** The action that takes the old object of a replacement away. */
function oldOf(run: Run, address: string, id: string | null | undefined): Action | undefined {
  for (let old = run.actions.get(oldAddress(address)); old !== undefined;) {
    if (old.id === id) return old;
    old = run.actions.get(oldAddress(old.address));
  }
  return undefined;
}

/** Whether the id of a new object is found by comparing the list at the top before and after. */
function isFoundInList({ kind, parent }: Action): boolean {
  return kind.idFrom === 'list' && parent === undefined;
}

/** The list before a create: what it was after the one before it, which had its turn just now. */
async function listedBefore(run: Run, kind: Kind): Promise<ReadonlyMap<string, Row>> {
  return run.listed.get(kind.kind) ?? (await listTop(run.input.client, kind));
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

/** Sends one step and notes that something may have been written. */
async function send(run: Run, action: Action, step: Step): Promise<unknown> {
  run.sent.add(action.address);
  try {
    const result = await perform({ ...contextOf(run, action), step });
    if (result === 'skipped') return undefined;
    run.written.add(action.address);
    return result.answer;
  } catch (error) {
    if (mayBeExecuted(error)) run.written.add(action.address);
    throw error;
  }
}

function mayBeExecuted(error: unknown): boolean {
  return error instanceof PlatformError && error.outcome === 'unknown';
}

/** Some deletions of the platform answer 400 with these words where others answer 404. */
function saysGone(error: PlatformError): boolean {
  return error.failure === 'not found' || (error.failure === 'invalid' && /not found/i.test(error.serverMessage));
}

/** Checks that the new object can be made, before the old one goes. */
function rehearseCreation(run: Run, action: Action): void {
  if (run.actions.get(action.parent ?? '')?.action === 'replace') return; // what it refers to may come with the parent
  for (const step of action.steps) rehearse({ ...contextOf(run, action), step });
}

/** Finds at once what a create made without telling its id: in the list at the top, or because others wait for it. */
async function lookUp(
  run: Run,
  action: Action,
  earlier: ReadonlyMap<string, Row>,
): Promise<{ id: string; row: Row } | undefined> {
  const taken = new Set(run.ids.values());
  if (isFoundInList(action)) {
    const rows = await listTop(run.input.client, action.kind);
    run.listed.set(action.kind.kind, rows);
    const made = newRows(rows, action, (id) => taken.has(id) || earlier.has(id), run.outputs);
    if (made.length > 1) {
      const ids = made.map((row) => rowId(action.kind, row)).join(', ');
      throw stop(action, `somebody made the same at the same time: one of ${ids} is ${action.address}`);
    }
    return made[0] === undefined ? undefined : created(action, made[0]);
  }
  const lane = run.ids.get(action.lane);
  if (lane === undefined || !run.needed.has(action.address)) return undefined;
  const after = await readLane(run.input.client, laneRoot(run, action.lane), lane);
  const row = after === 'gone' ? undefined : findMade(after, action, (id) => taken.has(id), run.outputs);
  return row === undefined ? undefined : created(action, row);
}

function contextOf(run: Run, action: Action) {
  return {
    client: run.input.client,
    action,
    outputs: run.outputs,
    conceal: run.input.conceal,
    made: isMade(action) ? run.rows.get(action.address) : undefined,
    idOf: (address: string) => run.ids.get(address),
    readNow: () => rowNow(run, action),
  };
}

async function rowNow(run: Run, action: Action): Promise<Row> {
  const id = run.ids.get(action.address);
  const lane = await laneBefore(run, action.lane);
  const row = lane === 'gone' || id === undefined ? undefined : findById(lane, action, id);
  if (row !== undefined) return row;
  throw stop(action, `${action.address} is not on the platform any more; nothing was sent`);
}

function stop(action: Action, message: string): Stop {
  return new Stop('platform', [
    diagnostic('platform-answer', message, {
      address: action.address,
      position: action.position,
      remedy: 'Plan again.',
    }),
  ]);
}
