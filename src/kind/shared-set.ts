import { type Codec, idSet } from './codecs.ts';
import type { Field } from './field.ts';
import type { Json } from '../formats/json.ts';

/** Sets that others add to: ids that were never ours stay, ids that were go when they are no longer declared. */

/** Whether a field of a resource keeps what others put into it. */
export function isMerged(resource: { readonly mapMode: 'own' | 'merge' }, field: Field): boolean {
  return field.growsByItself === true && resource.mapMode === 'merge';
}

/** Satisfied when everything that is wanted is there. */
export const contains: Codec = {
  normal: idSet.normal,
  keeps: (wanted, observed) => idsIn(wanted).every((id) => idsIn(observed).includes(id)),
};

/** The set to write: what is there, without what was ours and is no longer wanted, with what is. */
export function merged(wanted: Json, present: Json, formerly: readonly string[]): string[] {
  const kept = idsIn(present).filter((id) => !formerly.includes(id));
  return [...new Set([...kept, ...idsIn(wanted)])];
}

/** Ids that were ours, are no longer wanted, and are still there. */
export function leftBehind(wanted: Json, present: Json, formerly: readonly string[]): string[] {
  return idsIn(present).filter((id) => formerly.includes(id) && !idsIn(wanted).includes(id));
}

/** The ids in a value: none in what is no list. */
export function idsIn(value: Json): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
