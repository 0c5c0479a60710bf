import { PlatformError } from '../api/errors.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { differencesFromCreate } from '../observe/lost-create.ts';
import { indexRows } from '../observe/match.ts';
import type { Action, Step } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { creationOf } from './announce.ts';
import { keyOf, linkOf, wholeRow } from './find-created.ts';
import { placeOf, resultOf } from './job.ts';
import { recordNow } from './records.ts';
import { report } from './report.ts';
import { chosenId } from './request.ts';
import type { Run } from './run.ts';
import { happen, idOf, jobOf } from './run.ts';
import { readScope, readSiblings } from './scope.ts';
import type { ScopeRow } from './scope-row.ts';
import { scopeRow } from './scope-row.ts';

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
  const parents = new Map<string, Promise<ScopeRow | 'gone'>>();
  const lists: Lists = new Map();
  for (const action of plan.actions) {
    const create = action.steps.find(({ role }) => role === 'create');
    const isCreated = isMade(action) && resultOf(jobOf(run, action.address)) !== 'skipped';
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
  happen(run, address, { is: 'duplicate', place: placeOf(pending) });
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
  { parents, lists }: { readonly parents: Map<string, Promise<ScopeRow | 'gone'>>; readonly lists: Lists },
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
    const row = await reading;
    return row === 'gone' ? new Map() : row.rowsOf(action);
  }
  const name = `${kind.kind} ${parent}`;
  const listing = lists.get(name) ?? readSiblings(run, action);
  lists.set(name, listing);
  return listing;
}
