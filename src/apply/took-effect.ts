import { PlatformError } from '../api/errors.ts';
import type { Row } from '../kind/json.ts';
import type { Action, Step } from '../plan/action.ts';
import { compare } from '../plan/compare.ts';
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

/** Whether a row has every change that a step carries. */
function holds(run: Run, action: Action, { changed, members }: Step, row: Row): boolean {
  const compared = compare(action, row, run.outputs);
  return changed.every((name) => {
    const carried = compared.filter(
      ({ planned: { part, decision } }) => part.field === name && (decision.do === 'write' || decision.do === 'remove'),
    );
    // Of a set nobody can tell what was to go.
    const isSet = members[name]?.is === 'set';
    return carried.length > 0 && !isSet && carried.every(({ verdict }) => verdict === 'as wanted');
  });
}
