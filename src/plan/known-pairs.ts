import { pendingCreate } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';

/** What was settled last; of an object whose create got no answer, what that said. */
export function knownPairs(record: StateRecord | undefined): StateRecord['pairs'] {
  const said = Object.entries(pendingCreate(record)?.says ?? {}).map(([name, stored]) => [
    name,
    { wanted: stored, answered: stored },
  ]);
  return { ...(Object.fromEntries(said) as StateRecord['pairs']), ...record?.pairs };
}
