import type { StateRecord } from '../state/state.ts';

/** What was settled last; of an object whose create got no answer, what that said. */
export function knownPairs(record: StateRecord | undefined): StateRecord['pairs'] {
  const said = Object.entries(record?.intent?.sent ?? {}).map(([name, stored]) => [
    name,
    { wanted: stored, answered: stored },
  ]);
  return { ...(Object.fromEntries(said) as StateRecord['pairs']), ...record?.pairs };
}
