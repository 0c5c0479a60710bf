import { PlatformError } from '../api/errors.ts';
import { Stop } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import type { Reader } from '../observe/reader.ts';
import { createReader } from '../observe/reader.ts';
import type { Action } from '../plan/action.ts';
import { listOf } from './find-created.ts';
import type { Run } from './run.ts';
import { idOf, scopeOf } from './run.ts';
import { readingOnce } from './scope.ts';

/**
 * The scopes, of those given, that their lists prove to be gone: a list showed the object when the run was planned, the
 * platform answered its deletion, and the list lacks it now. The answer may also be 404: that and the list are two proofs.
 * An object that the list still shows is read by its id, whatever the answer was. Costs one read per parent, and none for a
 * list of which only one object was deleted: the read of that object proves as much.
 */
export async function unlisted(run: Run, scopes: readonly string[]): Promise<ReadonlySet<string>> {
  const reader = createReader(readingOnce(run.input.client));
  const deleted = scopes.map((scope) => scopeOf(run, scope).root).filter((root) => isDeleted(run, root));
  const lists = [...groupBy(deleted.map((root) => [listOf(root), root] as const)).values()];
  const several = lists.filter(({ length }) => length > 1);
  const gone = await Promise.all(several.map((roots) => missing(run, reader, roots)));
  return new Set(gone.flat());
}

/** Whether the platform answered the deletion of an object that the list of its parent showed before. */
function isDeleted(run: Run, { address, action, parent }: Action): boolean {
  const { objects, listed } = run.input.plan.observed;
  const object = objects.get(address);
  const isAnswered = action === 'delete' && run.jobs.get(address)?.phase.is === 'answered';
  if (!isAnswered || object === undefined || !listed.has(object.id)) return false;
  return parent === undefined || object.parentId === idOf(run, parent);
}

/** The addresses of objects of one list that it does not show; none when it cannot be read. */
async function missing(run: Run, reader: Reader, roots: readonly Action[]): Promise<readonly string[]> {
  const [{ kind, parent = '' } = {}] = roots;
  if (kind === undefined) return [];
  const above = run.jobs.get(parent)?.action;
  const id = idOf(run, parent);
  const list = above === undefined || id === undefined ? undefined : { kind: above.kind, id };
  try {
    const rows = await reader.rows(kind, { place: run.input.plan.observed, parent: list });
    // Without its parent there is no list. What is below a parent that this run deleted went with it.
    if (rows === undefined && (above === undefined || !isDeleted(run, above))) return [];
    return roots.map(({ address }) => address).filter((address) => rows?.has(idOf(run, address) ?? '') !== true);
  } catch (error) {
    if (error instanceof PlatformError || error instanceof Stop) return []; // each object is read by its id
    throw error;
  }
}
