import { attempts } from '../api/attempts.ts';
import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { observedValue } from '../kind/wire.ts';
import { pendingCreate } from '../state/pending.ts';
import type { PendingCreate, StateRecord } from '../state/record.ts';
import { matchesStored } from '../state/stored.ts';

/** The member of a row that says when its object was created. */
const createdAt = 'createdAt';

/**
 * Whether a row is the object that a create made whose answer was lost. The run that lost the answer and every run after
 * it ask this one judge. The natural key alone proves nothing: anybody can use it. Of a create that was answered, in a run
 * that read the list right before it, the time says nothing more: the clocks may be wrong.
 */
export function isCreated(
  kind: Kind,
  row: Row,
  record: StateRecord,
  digest: (text: string) => string,
  answer: 'lost' | 'answered' = 'lost',
): boolean {
  // What is listed long after it was made may be anybody's, unless its create was answered.
  if (kind.identity.listedOnce !== undefined) return Object.keys(record.pairs).length > 0;
  const pending = pendingCreate(record);
  if (pending === undefined || Object.keys(pending.says).length === 0) return false;
  const differences = differencesFromCreate(kind, row, pending, digest);
  return differences.every((name) => name === createdAt && answer === 'answered');
}

/**
 * Names the members of a row that prove it is not the object a create made: fields that the create said otherwise,
 * variables that it did not say, a `createdAt` at which the request could not have landed.
 */
export function differencesFromCreate(
  kind: Kind,
  row: Row,
  { at, timeoutMs, says }: PendingCreate,
  digest: (text: string) => string,
): string[] {
  const others = Object.entries(says).flatMap(([name, stored]) => {
    const field = kind.fields[name];
    const observed = observedValue(kind, name, row) ?? null;
    const isSame =
      field !== undefined &&
      ('digest' in stored
        ? matchesStored({ field, digest }, stored, observed)
        : means(field.codec ?? plain, stored.value, observed));
    return isSame ? [] : [name];
  });
  const { clocksApartMs } = attempts.reading;
  const made = typeof row.createdAt === 'string' ? Date.parse(row.createdAt) : Number.NaN;
  const isAnotherTime = made < at - clocksApartMs || made > at + timeoutMs + clocksApartMs;
  return [...others, ...variablesBeside(kind, row, says), ...(isAnotherTime ? [createdAt] : [])];
}

/** The fields with variables that a create did not say: the platform gives none to a new object by itself. */
function variablesBeside(kind: Kind, row: Row, says: PendingCreate['says']): string[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const text = field.map === undefined || says[name] !== undefined ? null : observedValue(kind, name, row);
    return typeof text === 'string' && text.trim() !== '' ? [name] : [];
  });
}
