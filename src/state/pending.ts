import type { Deployed, KnownRecord, Pending, PendingCreate, PendingDeploy, StateRecord } from './record.ts';

/** The deployments of a service: the last successful one, why it is stale, and the one that is pending. */
export interface Deploys extends Deployed {
  readonly pending?: PendingDeploy | undefined;
}

/** The deployments of a recorded service; undefined when none is known. */
export function deploysOf(record: StateRecord | undefined): Deploys | undefined {
  const { deployed, pending } = record ?? {};
  if (pending?.is !== 'deploy') return deployed;
  const { isWriting: _, ...deploy } = pending;
  return { ...deployed, pending: deploy };
}

/** Replaces the deployments of a record. A create or a write that is pending stays pending. */
export function withDeploys(record: StateRecord, { pending: deploy, ...deployed }: Deploys): StateRecord {
  if (record.id === null) return { ...record, deployed };
  const { pending: before, ...rest } = record;
  const write = besideDeploy(before);
  if (deploy !== undefined) {
    return { ...rest, deployed, pending: { ...deploy, ...(write === undefined ? {} : { isWriting: true }) } };
  }
  return { ...rest, deployed, ...(write === undefined ? {} : { pending: write }) };
}

/** Adds a write to the object of a record that is about to be sent. A pending deployment stays pending. */
export function withWrite(
  { pending, ...rest }: StateRecord,
  { id, ...sent }: { readonly id: string; readonly at: number; readonly timeoutMs: number },
): KnownRecord {
  if (pending?.is === 'deploy') return { ...rest, id, pending: { ...pending, isWriting: true } };
  return { ...rest, id, pending: { is: 'write', ...sent } };
}

/** Renews when the pending create or write of a record was about to be sent; a pending deployment keeps its time. */
export function renewed(record: StateRecord, at: number): StateRecord {
  if (record.id === null) {
    return record.pending === undefined ? record : { ...record, pending: { ...record.pending, at } };
  }
  if (record.pending === undefined || record.pending.is === 'deploy') return record;
  return { ...record, pending: { ...record.pending, at } };
}

/** The pending create of a record. */
export function pendingCreate(record: StateRecord | undefined): PendingCreate | undefined {
  return record?.pending?.is === 'create' ? record.pending : undefined;
}

/** Whether the outcome of a create or of a write is unknown. A deployment alone is followed by its mark instead. */
export function isWritePending({ pending }: StateRecord): boolean {
  return besideDeploy(pending) !== undefined;
}

function besideDeploy(pending: Pending | undefined): Exclude<Pending, PendingDeploy> | undefined {
  if (pending?.is !== 'deploy') return pending;
  const { at, timeoutMs, isWriting } = pending;
  return isWriting === true ? { is: 'write', at, timeoutMs } : undefined;
}
