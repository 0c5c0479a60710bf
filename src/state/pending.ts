import type { KnownRecord, PendingCreate, StateRecord } from './record.ts';

/** Adds a write to the object of a record that is about to be sent. */
export function withWrite(
  record: StateRecord,
  { id, ...sent }: { readonly id: string; readonly at: number; readonly timeoutMs: number },
): KnownRecord {
  const { pending: _, ...rest } = record;
  return { ...rest, id, pending: { is: 'write', ...sent } };
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
