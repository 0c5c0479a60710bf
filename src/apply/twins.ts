import { same } from '../kind/json.ts';
import type { Action, Plan } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { pendingCreate } from '../state/pending.ts';
import type { DuplicatePlace } from '../state/record.ts';

/** Where the duplicates of each address may be. */
export type Duplicates = Map<string, readonly DuplicatePlace[]>;

/** The creates that were sent more than once, or are about to be: an earlier run sent them, and no object shows. */
export function duplicatesBefore({ actions, base }: Plan): Duplicates {
  const found: Duplicates = new Map();
  for (const action of actions) {
    const known = base.resources[action.address];
    if (known?.duplicates !== undefined) found.set(action.address, known.duplicates);
    const pending = pendingCreate(known);
    if (isMade(action) && known?.id === null && pending !== undefined) noteDuplicate(found, action, pending);
  }
  return found;
}

/** Remembers, of a create that is sent once more, where the earlier one may make a duplicate. */
export function noteDuplicate(duplicates: Duplicates, { address }: Action, { key, below }: DuplicatePlace): void {
  const known = duplicates.get(address) ?? [];
  const place = key === undefined ? {} : { key, ...(below === undefined ? {} : { below }) };
  if (!known.some((other) => same(place, other))) duplicates.set(address, [...known, place]);
}
