import { pendingCreate } from './pending.ts';
import type { StateRecord } from './record.ts';

/** The settled pairs of a record; before any, the fields that its pending create sent. */
export function knownPairs(record: StateRecord | undefined): StateRecord['pairs'] {
  const said = Object.entries(pendingCreate(record)?.says ?? {}).map(([name, stored]) => [
    name,
    { wanted: stored, answered: stored },
  ]);
  return { ...(Object.fromEntries(said) as StateRecord['pairs']), ...record?.pairs };
}
