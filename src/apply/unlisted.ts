import { PlatformError } from '../api/errors.ts';
import { Stop } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import { type Reader, createReader } from '../observe/reader.ts';
import { isDeletion } from '../plan/action.ts';
import { listOf } from './find-created.ts';
import type { Job, Scope } from './job.ts';
import type { Run } from './run.ts';
import { readingOnce, readList } from './scope.ts';

/**
 * The scopes, of those given, that their lists prove to be gone: a list showed the object when the run was planned, the
 * platform answered its deletion, and the list lacks it now. The answer may also be 404: that and the list are two proofs.
 * An object that the list still shows is read by its id, whatever the answer was. Costs one read per parent, and none for a
 * list of which only one object was deleted: the read of that object proves as much.
 */
export async function unlisted(run: Run, scopes: readonly Scope[]): Promise<ReadonlySet<Scope>> {
  const reader = createReader(readingOnce(run.input.client));
  const deleted = scopes.filter(({ root }) => isDeleted(run, root));
  const lists = [...groupBy(deleted.map((scope) => [listOf(scope.root.action), scope] as const)).values()];
  const several = lists.filter(({ length }) => length > 1);
  const gone = await Promise.all(several.map((some) => missing(run, reader, some)));
  return new Set(gone.flat());
}

/** Whether the platform answered the deletion of an object that the list of its parent showed before. */
function isDeleted(run: Run, { action, planned, phase, parent }: Job): boolean {
  const isAnswered = isDeletion(action) && phase.is === 'answered';
  if (!isAnswered || planned === undefined || !run.input.plan.observed.listed.has(planned.id)) return false;
  return action.parent === undefined || planned.parentId === parent?.object?.id;
}

/** The scopes of one list whose objects it does not show; none when it cannot be read. */
async function missing(run: Run, reader: Reader, scopes: readonly Scope[]): Promise<readonly Scope[]> {
  const [{ root } = {}] = scopes;
  if (root === undefined) return [];
  try {
    const rows = await readList(run, reader, root);
    // Without its parent there is no list. What is below a parent that this run deleted went with it.
    if (rows === undefined && (root.parent === undefined || !isDeleted(run, root.parent))) return [];
    return scopes.filter((scope) => rows?.has(scope.root.object?.id ?? '') !== true);
  } catch (error) {
    if (error instanceof PlatformError || error instanceof Stop) return []; // each object is read by its id
    throw error;
  }
}
