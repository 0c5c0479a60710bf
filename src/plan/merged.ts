import type { Codec } from '../kind/codecs.ts';
import { idSet } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import type { Field } from '../kind/field.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Stored } from '../state/record.ts';

/** Sets that others add to: ids that were never ours stay, ids that were go when they are no longer declared. */

/** Whether a field of a resource keeps what others put into it. */
export function isMerged(resource: Pick<Resource, 'mapMode'>, field: Field): boolean {
  return field.growsByItself === true && resource.mapMode === 'merge';
}

/** Satisfied when everything that is wanted is there. */
export const contains: Codec = {
  name: 'contains',
  normal: idSet.normal,
  keeps: (wanted, observed) => listed(wanted).every((id) => listed(observed).includes(id)),
};

/** The set to write: what is there, without what was ours and is no longer wanted, with what is. */
export function merged(wanted: Json, present: Json, formerly: readonly string[]): string[] {
  const kept = listed(present).filter((id) => !formerly.includes(id));
  return [...new Set([...kept, ...listed(wanted)])];
}

/** Ids that were ours, are no longer wanted, and are still there. */
export function leftBehind(wanted: Json, present: Json, formerly: readonly string[]): string[] {
  return listed(present).filter((id) => formerly.includes(id) && !listed(wanted).includes(id));
}

/** The ids in a value that was settled. */
export function membersOf(stored: Stored | undefined): readonly string[] {
  return stored !== undefined && 'value' in stored ? listed(stored.value) : [];
}

function listed(value: Json): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
