import type { Action } from '../plan/action.ts';
import { withDeploys } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';
import type { Run } from './run.ts';
import { jobOf } from './run.ts';

/** The record of an address; also what it was before this run removed it. */
export function recordNow({ journal, input }: Run, address: string): StateRecord | undefined {
  return journal.now(address) ?? input.plan.base.resources[address];
}

/** What the state is to hold of an action's object. */
export function recordOf(run: Run, action: Action, id: string | null, pairs: StateRecord['pairs']): StateRecord {
  const { deploys, duplicates } = jobOf(run, action.address);
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

/** The time and the in-flight timeout of a request that is sent now. */
export function sentNow({ clock, input }: Run): { readonly at: number; readonly timeoutMs: number } {
  return { at: clock.wall(), timeoutMs: input.inFlightTimeoutMs };
}
