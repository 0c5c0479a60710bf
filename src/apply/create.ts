import { attempts, policies } from '../api/attempts.ts';
import { oldAddress } from '../kind/address.ts';
import type { Row } from '../kind/json.ts';
import { valueAt } from '../kind/wire.ts';
import type { Action, Step } from '../plan/action.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { pendingCreate, withWrite } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';
import { attempt, isLost, mayLandLater } from './attempt.ts';
import { findAnswered, findLost, keyOf, linkOf, wholeRow } from './find-created.ts';
import { sentAt, resultOf } from './job.ts';
import { announceCreate, creationOf } from './announce.ts';
import { recordNow, recordOf, sentNow, claim, happen, jobOf, reportAgain, idOf, report } from './run.ts';
import { chosenId, created } from './request.ts';
import type { Run } from './run.ts';
import { readOwn, readSiblings, readScope } from './scope.ts';
import { sendOnce } from './send.ts';
import { settle } from '../plan/settle.ts';
import { PlatformError } from '../api/errors.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { differencesFromCreate } from '../observe/lost-create.ts';
import { indexRows } from '../observe/match.ts';
import type { ScopeRow } from '../observe/scope-row.ts';
import { scopeRow } from '../observe/scope-row.ts';

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
  const old = action.createsBeforeDestroy ? deposed(run, address).find(({ id }) => id === before?.id) : undefined;
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
    const { row } = await readOwn(run, action, object.id);
    if (row !== undefined) claim(run, address, { id: object.id, row: { ...object.row, ...row } });
  }
}

/** What is known of an address before its create; that of an object whose own create got no answer, since it was found. */
function knownBefore(run: Run, action: Action): StateRecord | null {
  // The old object of a replacement may be gone by now.
  const known = run.journal.now(action.address) ?? null;
  if (known === null || known.id !== null) return known;
  const found = action.createsBeforeDestroy ? deposed(run, action.address).at(-1)?.id : undefined;
  return found === undefined ? known : recordOf(run, action, found, knownPairs(known));
}

/** Sends the create until its object is known; undefined: it was answered, and reading the scope back finds the object. */
async function sendUntilKnown(
  run: Run,
  action: Action,
  { step, undo }: { readonly step: Step; readonly undo: () => Promise<void> },
): Promise<Created | undefined> {
  const { address, kind } = action;
  const chosen = chosenId(action, step);
  // Until something happens outside, no list shows whether it was created.
  const isListedLater = kind.identity.listedOnce !== undefined;
  let listed: ReadonlyMap<string, Row> | undefined;
  const object = await attempt(run, isListedLater ? { ...policies.create, most: 1 } : policies.create, {
    send: async (isAgain) => {
      listed = isFoundInList(action) ? await listedBefore(run, action) : undefined;
      await announceCreate(run, action, step, chosen);
      try {
        return created(action, await sendOnce(run, action, step, false), chosen);
      } catch (error) {
        // A pending create that can land no more must not claim an object that somebody else makes later. After one
        // that was lost, the id that Trueup chose tells its object.
        if (!isLost(error) && (!isAgain || chosen === undefined)) await undo();
        throw error;
      }
    },
    look: async (lost, isLast) => {
      if (isListedLater) return undefined;
      for (const id of listed?.keys() ?? []) run.creations.taken.add(id);
      const row = await findLost(run, action, { until: lookUntil(run, address, lost), chosen });
      const found = row === undefined ? undefined : created(action, row);
      if (found !== undefined) happen(run, address, { is: 'seen' });
      else if (isLast && chosen === undefined) await undo();
      return found === undefined ? undefined : { found };
    },
    onAgain: () => {
      reportAgain(run, action, { what: `the create of ${address}`, again: 'sent' });
      happen(run, address, { is: 'duplicate', place: pendingCreate(recordNow(run, address)) ?? {} });
    },
  });
  if (object !== undefined) return object;
  const row = await findAnswered(run, action, { listed, isNeeded: jobOf(run, address).isNeeded });
  return row === undefined ? undefined : created(action, row);
}

/** Until when the object of a lost create is looked for (monotonic ms). */
function lookUntil(run: Run, address: string, lost: PlatformError): number {
  const now = run.clock.monotonic();
  if (!mayLandLater(lost)) return now + attempts.effect.lagMs;
  return (sentAt(jobOf(run, address)) ?? now) + run.input.inFlightTimeoutMs;
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
  // The next one has its turn after any outcome of this one.
  lists.set(list, { turn: turn.catch(() => undefined), rows: known?.rows });
  await turn;
}

/** The lists that were read for this, by their name. */
type Lists = Map<string, Promise<ReadonlyMap<string, Row>>>;

/**
 * Reports the objects that a create of this run made beside its own: something between here and the platform delivered
 * the request twice. Their places are recorded, so that later plans report them too. Costs one read per parent of
 * services and environments that were created, and one per list of volume backups; what else stands below a service was
 * read back already.
 */
export async function reportDuplicates(run: Run): Promise<void> {
  const { plan, signal } = run.input;
  const parents = new Map<string, Promise<ScopeRow>>();
  const lists: Lists = new Map();
  for (const action of plan.actions) {
    const create = action.steps.find(({ role }) => role === 'create');
    const isCreated = action.createsObject && resultOf(jobOf(run, action.address)) !== 'skipped';
    if (create === undefined || !isCreated || chosenId(action, create) !== undefined) continue;
    // The list told their ids: two there ended the create.
    if (action.kind.identity.idFrom === 'list' && action.parent === undefined) continue;
    if (signal?.aborted === true || run.ending.reason !== undefined) return;
    try {
      const siblings = await siblingsOf(run, action, { parents, lists });
      await reportAmong(run, action, { create, siblings });
    } catch (error) {
      // What was created is known without this.
      if (!(error instanceof PlatformError)) throw error;
    }
  }
}

async function reportAmong(
  run: Run,
  action: Action,
  { create, siblings }: { readonly create: Step; readonly siblings: ReadonlyMap<string, Row> },
): Promise<void> {
  const { kind, address, position } = action;
  const id = idOf(run, address);
  const key = keyOf(run, action);
  const record = recordNow(run, address);
  if (id === undefined || key === undefined || record === undefined || !siblings.has(id)) return;
  const others = [...siblings].filter(([other]) => !run.creations.taken.has(other) && other !== id);
  const bearing = indexRows(others).find({ kind }, key);
  if (bearing.length === 0) return;
  const created = Date.parse(String(siblings.get(id)?.createdAt));
  const pending = creationOf(run, action, create);
  const sent = Number.isNaN(created) ? pending : { ...pending, at: created };
  const rows = await Promise.all(bearing.map((other) => wholeRow(run, action, other, siblings.get(other))));
  const duplicates = bearing.filter((_, at) => {
    const row = rows[at];
    return row !== undefined && differencesFromCreate(kind, row, sent, run.input.digest).length === 0;
  });
  if (duplicates.length === 0) return;
  const message = `${address} (${id}) has a duplicate: ${duplicates.join(', ')}; its create reached the platform twice`;
  const remedy = 'Look at them on the platform, and delete those that nobody needs.';
  report(run, action, diagnostic('duplicate', message, { address, position, remedy }));
  happen(run, address, { is: 'duplicate', place: pending });
  const places = jobOf(run, address).duplicates;
  await run.journal.save(
    address,
    { ...record, ...(places === undefined ? {} : { duplicates: places }) },
    'with the rest',
  );
}

/** The rows beside an object that was created, by id: of a service as it was read back, else read once per list. */
async function siblingsOf(
  run: Run,
  action: Action,
  { parents, lists }: { readonly parents: Map<string, Promise<ScopeRow>>; readonly lists: Lists },
): Promise<ReadonlyMap<string, Row>> {
  const { address, kind, scope: root, parent = '' } = action;
  const above = run.jobs.get(parent);
  const isInRow = above !== undefined && 'at' in (linkOf(run, action)?.listed ?? {});
  if (isInRow && root !== address) {
    const scope = run.scopes.get(root);
    return scope?.readBack === undefined ? new Map() : scopeRow(scope.root, scope.readBack).rowsOf(action);
  }
  if (isInRow) {
    const id = above.object?.id;
    if (id === undefined) return new Map();
    const reading = parents.get(parent) ?? readScope(run.reader, above.action, id);
    parents.set(parent, reading);
    return (await reading).rowsOf(action);
  }
  const name = `${kind.kind} ${parent}`;
  const listing = lists.get(name) ?? readSiblings(run, action);
  lists.set(name, listing);
  return listing;
}
