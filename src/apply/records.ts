import type { Action } from '../plan/action.ts';
import { withDeploys } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';
import type { Run } from './run.ts';

/** What the state is to hold of an action's object. */
export function recordOf(run: Run, action: Action, id: string | null, pairs: StateRecord['pairs']): StateRecord {
  const deploys = run.deployed.get(action.address);
  const duplicates = run.duplicates.get(action.address);
  const facts = {
    kind: action.kind.kind,
    parent: action.parent ?? null,
    dependsOn: action.dependsOn,
    pairs,
    options: action.options,
    ...(duplicates === undefined ? {} : { duplicates }),
  };
  const record = id === null ? { ...facts, id } : { ...facts, id };
  return deploys === undefined ? record : withDeploys(record, deploys);
}

/** The record of an address as this run wrote it last, else as it was before. */
export function recordNow(run: Run, address: string): StateRecord | undefined {
  return run.records.get(address) ?? run.input.plan.base.resources[address];
}

/**
 * Keeps a record for the state; it is on the disk when this resolves, unless nothing was sent for it. One that cannot be
 * written down is as if it never was: what it announces is not sent, and what it tells of is found by the next run.
 */
export async function save(
  run: Run,
  address: string,
  content: StateRecord | null,
  how?: 'with the rest',
): Promise<void> {
  const { records, kept, input } = run;
  records.set(address, content); // at once: what is saved next goes on from it
  try {
    if (how === undefined) await input.store.append(input.plan.base, address, content);
    kept.set(address, content);
  } catch (error) {
    const last = kept.get(address);
    if (last === undefined) records.delete(address);
    else records.set(address, last);
    throw error;
  }
}
