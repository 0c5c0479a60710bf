import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { observedValue } from '../kind/wire.ts';
import type { StateRecord } from '../state/state.ts';
import { matchesStored } from '../state/stored.ts';

/** How far the clocks of two machines may be apart: one that nobody sets is off by less. Milliseconds. */
const clocksApartMs = 600_000;

/**
 * Whether an object that bears the key of a create which got no answer is what that made: it was made when the create
 * could land, as far as its row says when, and it is what the create said. Its key alone may be that of anybody.
 */
export function isWhatWasSent(
  kind: Kind,
  row: Row,
  { intent, pairs }: StateRecord,
  digest: (text: string) => string,
): boolean {
  // What is listed long after it was made may be anybody's, unless its create was answered.
  if (kind.listedOnce !== undefined) return Object.keys(pairs).length > 0;
  if (intent === undefined) return false;
  const made = typeof row.createdAt === 'string' ? Date.parse(row.createdAt) : Number.NaN;
  if (made < intent.at - clocksApartMs || made > intent.at + (intent.fenceMs ?? 0) + clocksApartMs) return false;
  const sent = Object.entries(intent.sent ?? {});
  return (
    sent.length > 0 &&
    sent.every(([name, stored]) => {
      const field = kind.fields[name];
      return field !== undefined && matchesStored({ field, digest }, stored, observedValue(kind, name, row) ?? null);
    })
  );
}
