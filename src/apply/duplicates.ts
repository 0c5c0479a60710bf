import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { rowId } from '../observe/answers.ts';
import { differencesFromCreate } from '../observe/lost-create.ts';
import { createReader } from '../observe/reader.ts';
import { scopeRow } from '../observe/scope-row.ts';
import type { Action, Step } from '../plan/action.ts';
import { creationOf } from './announce.ts';
import { isFoundInList, linkOf, unclaimedWithKey } from './find-created.ts';
import { resultOf } from './job.ts';
import { chosenId } from './request.ts';
import type { Run } from './run.ts';
import { happen, idOf, jobOf, recordNow, report } from './run.ts';
import { readSiblings } from './scope.ts';

/**
 * Reports the duplicates of objects that this run created: something between Trueup and the platform delivered the create
 * twice. Records where they may be, so that later plans report them too. Costs one read per parent of services and
 * environments that were created, and one per list of volume backups; everything else below a service was read back.
 */
export async function reportDuplicates(run: Run): Promise<void> {
  const { plan, signal, client } = run.input;
  const looking: Run = { ...run, reader: createReader(readingOnce(client)) };
  for (const action of plan.actions) {
    const create = action.steps.find(({ role }) => role === 'create');
    const isCreated = action.createsObject && resultOf(jobOf(run, action.address)) !== 'skipped';
    if (create === undefined || !isCreated || chosenId(action, create) !== undefined) continue;
    if (isFoundInList(action)) continue; // two new rows in the list ended the create
    if (signal?.aborted === true || run.ending.reason !== undefined) return;
    try {
      await reportDuplicatesOf(looking, action, create);
    } catch (error) {
      // The result of the create is known without this.
      if (!(error instanceof PlatformError || error instanceof Stop)) throw error;
    }
  }
}

/** A client that sends each read once, and gives every caller its answer. */
function readingOnce(client: Client): Client {
  const answers = new Map<string, Promise<unknown>>();
  return {
    ...client,
    invoke: (operation, input) => {
      const read = JSON.stringify([operation, input]);
      const answer = answers.get(read) ?? client.invoke(operation, input);
      answers.set(read, answer);
      return answer;
    },
  };
}

async function reportDuplicatesOf(run: Run, action: Action, create: Step): Promise<void> {
  const { kind, address, position } = action;
  const id = idOf(run, address);
  const record = recordNow(run, address);
  const siblings = await siblingsOf(run, action);
  const own = siblings.get(id ?? '');
  if (own === undefined || record === undefined) return;
  const pending = creationOf(run, action, create);
  const createdAt = Date.parse(String(own.createdAt));
  const sent = Number.isNaN(createdAt) ? pending : { ...pending, at: createdAt };
  const others = await unclaimedWithKey(run, action, siblings);
  const duplicates = others.filter((row) => differencesFromCreate(kind, row, sent, run.input.digest).length === 0);
  if (duplicates.length === 0) return;
  const ids = duplicates.map((row) => rowId(kind, row)).join(', ');
  const message = `${address} (${id}) has a duplicate: ${ids}; its create reached the platform twice`;
  const remedy = 'Look at them on the platform, and delete those that nobody needs.';
  report(run, action, diagnostic('duplicate', message, { address, position, remedy }));
  happen(run, address, { is: 'duplicate', place: pending });
  const places = jobOf(run, address).duplicates;
  const known = { ...record, ...(places === undefined ? {} : { duplicates: places }) };
  await run.journal.save(address, known, 'with the rest');
}

/** The rows beside an object that was created, by id: as its service was read back, else read now. */
async function siblingsOf(run: Run, action: Action): Promise<ReadonlyMap<string, Row>> {
  const isInRow = 'at' in (linkOf(run, action)?.listed ?? {});
  if (!isInRow || action.scope === action.address) return readSiblings(run, action);
  const scope = run.scopes.get(action.scope);
  return scope?.readBack === undefined ? new Map() : scopeRow(scope.root, scope.readBack).rowsOf(action);
}
