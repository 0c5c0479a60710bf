import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { observedValue } from '../kind/wire.ts';
import type { Intent, StateRecord } from '../state/state.ts';
import { matchesStored } from '../state/stored.ts';

/** How far the clocks of two machines may be apart: one that nobody sets is off by less. Milliseconds. */
const clocksApartMs = 600_000;

/**
 * Whether an object that bears the key of a create which got no answer is what that made: it was made when the create
 * could land, as far as its row says when, it is what the create said, and nobody gave it variables since. Its key alone
 * may be that of anybody.
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
    !hasVariables(kind, row, intent.sent) &&
    sent.every(([name, stored]) => {
      const field = kind.fields[name];
      const observed = observedValue(kind, name, row) ?? null;
      if (field === undefined) return false;
      if ('digest' in stored) return matchesStored({ field, digest }, stored, observed);
      return means(field.codec ?? plain, stored.value, observed);
    })
  );
}

/** Whether an object has variables that its create did not say: the platform gives none to a new one by itself. */
function hasVariables(kind: Kind, row: Row, sent: Intent['sent']): boolean {
  return Object.entries(kind.fields).some(([name, field]) => {
    const text = field.map === undefined || sent?.[name] !== undefined ? null : observedValue(kind, name, row);
    return typeof text === 'string' && text.trim() !== '';
  });
}
