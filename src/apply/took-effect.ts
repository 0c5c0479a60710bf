import { PlatformError } from '../api/errors.ts';
import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Action, PlannedPart, Step } from '../plan/action.ts';
import { resolveField } from '../plan/diff.ts';
import type { ReadParts } from './parts.ts';
import { readParts } from './parts.ts';
import { findById } from './read-back.ts';
import type { Run } from './run.ts';
import { laneBefore } from './lane-now.ts';

/**
 * Looks whether the platform has what a request was to bring, whose answer did not come or said nothing. What cannot be
 * seen is no proof: the request may be sent again then, because twice comes to the same as once.
 */
export async function tookEffect(run: Run, action: Action, step: Step): Promise<boolean> {
  const id = run.ids.get(action.address);
  if (id === undefined || !run.ids.has(action.lane)) return false;
  try {
    const after = await laneBefore(run, action.lane, { isAnew: true });
    const row = after === 'gone' ? undefined : findById(after, action, id);
    if (step.role === 'delete') return row === undefined;
    if (row === undefined) return false;
    return step.role === 'move' ? isAtHome(run, action, row) : holds(run, action, step, row);
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

/** Whether an object is below the parent that the manifest gives it. */
export function isAtHome(run: Run, action: Action, row: Row): boolean {
  const parent = run.actions.get(action.parent ?? '');
  const link = parent === undefined ? undefined : action.kind.parents[parent.kind.kind];
  return parent === undefined || link === undefined || row[link.idAt] === run.ids.get(parent.address);
}

/** Whether a row has everything for whose sake a step is sent. */
function holds(run: Run, action: Action, { changed, members }: Step, row: Row): boolean {
  const read = readParts(action, row);
  return changed.every((name) => {
    const parts = action.parts.filter(({ part, decision }) => part.field === name && isSent(decision));
    // Of a set nobody can tell what was to go.
    return parts.length > 0 && members[name]?.is !== 'set' && parts.every((part) => isThere(run, part, read));
  });
}

function isSent({ do: what }: PlannedPart['decision']): boolean {
  return what === 'write' || what === 'remove';
}

/** Whether a row has what is wanted of a part. */
export function isThere(
  { outputs }: Pick<Run, 'outputs'>,
  { part, field, wanted, decision }: PlannedPart,
  read: ReadParts,
): boolean {
  if (decision.do === 'remove' || wanted === undefined) return read.value(part) === null;
  const resolved = resolveField(field, wanted, outputs);
  return resolved.is === 'known' && means(field.codec ?? plain, resolved.value, read.value(part));
}
