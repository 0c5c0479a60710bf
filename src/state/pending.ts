import type { KnownRecord, Pending, PendingCreate, PendingWrite, StateRecord } from './record.ts';

/** Adds a write to the object of a record that is about to be sent. */
export function withWrite(
  record: StateRecord,
  { id, ...sent }: { readonly id: string } & Omit<PendingWrite, 'is'>,
): KnownRecord {
  const { pending: _, ...rest } = record;
  return { ...rest, id, pending: { is: 'write', ...sent } };
}

/** Notes that the pending operation of a record got an error as its answer, and what it wrote if the platform stored it. */
export function withError(record: StateRecord, unproven: readonly string[]): StateRecord {
  if (record.pending === undefined) return record;
  if (record.id === null) return { ...record, pending: { ...record.pending, unproven } };
  return { ...record, pending: { ...record.pending, unproven } };
}

/** A pending operation without what it wrote: that is proven, or its pairs say that it is not. */
export function withoutError(pending: Pending): Pending {
  const { unproven: _, ...rest } = pending;
  return rest;
}

/** Renews when the pending operation of a record was about to be sent. */
export function renewed(record: StateRecord, at: number): StateRecord {
  if (record.pending === undefined) return record;
  if (record.id === null) return { ...record, pending: { ...record.pending, at } };
  return { ...record, pending: { ...record.pending, at } };
}

/** The pending create of a record. */
export function pendingCreate(record: StateRecord | undefined): PendingCreate | undefined {
  return record?.pending?.is === 'create' ? record.pending : undefined;
}
