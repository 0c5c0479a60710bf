import { attempts } from '../api/attempts.ts';
import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { isHidden, isSilent, keyNames, observedValue } from '../kind/row-values.ts';
import type { Digest } from '../secrets/digest.ts';
import { pendingCreate } from '../state/pending-operation.ts';
import type { PendingCreate, StateRecord } from '../state/record.ts';
import { keepsStored } from '../state/stored.ts';

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
  if (kind.identity.listedOnce !== undefined) return isListedNow(kind, row, record, digests);
  const pending = pendingCreate(record);
  if (pending === undefined || Object.keys(pending.says).length === 0) return false;
  const differences = differencesFromCreate(kind, row, pending, digests);
  return differences.every((name) => answer === 'answered' && (name === createdAt || isIgnored(kind, name, row)));
}

/** Whether a new object has a value because the platform ignored what the create sent. Never of its natural key. */
function isIgnored(kind: Kind, name: string, row: Row): boolean {
  const observed = (key: string) => observedValue(kind, key, row);
  const field = kind.fields[name];
  return field !== undefined && !keyNames(kind, observed).includes(name) && isSilent(field, observed(name) ?? null);
}

/**
 * Whether a row is the object of an answered create that the platform lists late. Until then anybody can create one of the
 * same name, so it has to hold every field that the create sent, and one at least beside the name.
 */
function isListedNow(kind: Kind, row: Row, { pairs }: StateRecord, digests: (field: string) => Digest): boolean {
  const sent = Object.fromEntries(Object.entries(pairs).map(([name, { wanted }]) => [name, wanted]));
  const isComparable = Object.keys(sent).some((name) => name !== kind.identity.keyField);
  return isComparable && otherFields(kind, row, sent, digests).length === 0;
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
  const others = otherFields(kind, row, says, digests);
  const { clocksApartMs } = attempts.reading;
  const made = typeof row.createdAt === 'string' ? Date.parse(row.createdAt) : Number.NaN;
  const isAnotherTime = made < at - clocksApartMs || made > at + timeoutMs + clocksApartMs;
  return [...others, ...variablesBeside(kind, row, says), ...(isAnotherTime ? [createdAt] : [])];
}

/** The fields that have other values in a row than a create sent. */
function otherFields(
  kind: Kind,
  row: Row,
  says: PendingCreate['says'],
  digests: (field: string) => Digest,
): readonly string[] {
  return Object.entries(says).flatMap(([name, stored]) => {
    const field = kind.fields[name];
    const observed = observedValue(kind, name, row) ?? null;
    // What the platform never shows is no proof of another create.
    if (field !== undefined && isHidden(field, observed)) return [];
    const isSame = field !== undefined && keepsStored({ field, digest: digests(name) }, stored, observed);
    return isSame ? [] : [name];
  });
}

/** The fields with variables that a create did not send: the platform gives a new object none by itself. */
function variablesBeside(kind: Kind, row: Row, says: PendingCreate['says']): string[] {
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const text = field.map === undefined || says[name] !== undefined ? null : observedValue(kind, name, row);
    return typeof text === 'string' && text.trim() !== '' ? [name] : [];
  });
}
