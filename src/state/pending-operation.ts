import type { KnownRecord, Pending, PendingCreate, PendingWrite, StateRecord } from './record.ts';

/** Adds a write to the object of a record that is about to be sent. */
export function withWrite(
  record: StateRecord,
  { id, ...sent }: { readonly id: string } & Omit<PendingWrite, 'is'>,
): KnownRecord {
  const { pending: _, ...rest } = record;
  return { ...rest, id, pending: { is: 'write', ...sent } };
}

/** A pending operation without what it wrote: that is proven, or its pairs say that it is not. */
export function withoutError(pending: Pending): Pending {
  const { unproven: _, ...rest } = pending;
  return rest;
}

/**
 * Changes when the pending operation of a record was about to be sent, or what it wrote if the platform stored it with the
 * error that it answered. A record without a pending operation stays as it is.
 */
export function withPending(record: StateRecord, change: Partial<Pick<Pending, 'at' | 'unproven'>>): StateRecord {
  if (record.pending === undefined) return record;
  if (record.id === null) return { ...record, pending: { ...record.pending, ...change } };
  return { ...record, pending: { ...record.pending, ...change } };
}

/** The pending create of a record. */
export function pendingCreate(record: StateRecord | undefined): PendingCreate | undefined {
  return record?.pending?.is === 'create' ? record.pending : undefined;
}

/** Whether an object was there once: one that a killed run was about to create perhaps never was. */
export function wasThere(record: StateRecord | undefined): record is KnownRecord {
  return typeof record?.id === 'string' && pendingCreate(record) === undefined;
}

/** The settled pairs of a record; before any, the fields that its pending create sent. */
export function knownPairs(record: StateRecord | undefined): StateRecord['pairs'] {
  const said = Object.entries(pendingCreate(record)?.says ?? {}).map(([name, stored]) => [
    name,
    { wanted: stored, answered: stored },
  ]);
  return { ...(Object.fromEntries(said) as StateRecord['pairs']), ...record?.pairs };
}
