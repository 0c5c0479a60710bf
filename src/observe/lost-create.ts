import { attempts } from '../api/attempts.ts';
import { means, plain } from '../kind/codecs.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { observedValue } from '../kind/wire.ts';
import type { Digest } from '../secrets/digest.ts';
import { pendingCreate } from '../state/pending.ts';
import type { PendingCreate, StateRecord } from '../state/record.ts';
import { matchesStored } from '../state/stored.ts';

/** The member of a row with the time at which its object was created. */
const createdAt = 'createdAt';

/**
 * Whether a pending create made the object of a row. The run that sent the create and every later run ask this function.
 * The natural key alone proves nothing: anybody can use it. After an answered create a wrong time is no counterproof: the
 * run knows which rows were there before, and the clocks can be wrong.
 */
export function isCreated(
  kind: Kind,
  row: Row,
  record: StateRecord,
  digests: (field: string) => Digest,
  answer: 'lost' | 'answered' = 'lost',
): boolean {
  // Somebody else can have created an object that the platform lists late, unless it answered the create.
  if (kind.identity.listedOnce !== undefined) return Object.keys(record.pairs).length > 0;
  const pending = pendingCreate(record);
  if (pending === undefined || Object.keys(pending.says).length === 0) return false;
  const differences = differencesFromCreate(kind, row, pending, digests);
  return differences.every((name) => name === createdAt && answer === 'answered');
}

/**
 * Names the members of a row that prove that another create made its object: fields with other values than the create
 * sent, variables that it did not send, a `createdAt` at which the request cannot have landed.
 */
export function differencesFromCreate(
  kind: Kind,
  row: Row,
  { at, timeoutMs, says }: PendingCreate,
  digests: (field: string) => Digest,
): string[] {
  const others = Object.entries(says).flatMap(([name, stored]) => {
    const field = kind.fields[name];
    const observed = observedValue(kind, name, row) ?? null;
    const isSame =
      field !== undefined &&
      ('digest' in stored
        ? matchesStored({ field, digest: digests(name) }, stored, observed)
        : means(field.codec ?? plain, stored.value, observed));
    return isSame ? [] : [name];
  });
  const { clocksApartMs } = attempts.reading;
  const made = typeof row.createdAt === 'string' ? Date.parse(row.createdAt) : Number.NaN;
  const isAnotherTime = made < at - clocksApartMs || made > at + timeoutMs + clocksApartMs;
  return [...others, ...variablesBeside(kind, row, says), ...(isAnotherTime ? [createdAt] : [])];
}

/** The fields with variables that a create did not send: the platform gives a new object none by itself. */
function variablesBeside(kind: Kind, row: Row, says: PendingCreate['says']): string[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const text = field.map === undefined || says[name] !== undefined ? null : observedValue(kind, name, row);
    return typeof text === 'string' && text.trim() !== '' ? [name] : [];
  });
}
