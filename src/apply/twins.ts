import { same } from '../kind/json.ts';
import type { Action, Plan } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import type { Intent, StateRecord } from '../state/state.ts';

/** Where twins of an object may be, of which more than one create was sent; true: nobody knows. */
export type Repeated = NonNullable<StateRecord['repeated']>;

/** The creates that were sent twice, or are about to be: an earlier run sent them, and nothing of them shows. */
export function repeatedBefore({ actions, base }: Plan): Map<string, Repeated> {
  const found = new Map<string, Repeated>();
  for (const action of actions) {
    const known = base.resources[action.address];
    if (known?.repeated !== undefined) found.set(action.address, known.repeated);
    if (isMade(action) && known?.id === null && known.intent !== undefined) noteRepeated(found, action, known.intent);
  }
  return found;
}

/** Remembers of a create that is sent once more where the twin may be that the one before it may make. */
export function noteRepeated(
  repeated: Map<string, Repeated>,
  { address }: Action,
  { key, below }: Partial<Intent>,
): void {
  const known = repeated.get(address);
  const places = known === undefined || known === true ? [] : known;
  const place = key === undefined ? [] : [{ key, ...(below === undefined ? {} : { below }) }];
  const fresh = place.filter((one) => !places.some((other) => same(one, other)));
  repeated.set(address, places.length + fresh.length === 0 ? true : [...places, ...fresh]);
}
