import { takes } from '../kind/wire.ts';
import type { Action, Step } from '../plan/action.ts';
import { toStored } from '../plan/decide.ts';
import { resolveField } from '../plan/diff.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { pendingCreate, withDeploys, withWrite } from '../state/pending.ts';
import type { PendingCreate, Stored } from '../state/record.ts';
import { noteDebts } from './debts.ts';
import type { Run } from './run.ts';
import { recordNow, recordOf, save } from './records.ts';
import { keyOf } from './seek.ts';

/**
 * Records, before the first request of an action, that a write is pending, and which services are stale then. Creates
 * record more than that, by themselves.
 */
export async function noteWrite(run: Run, action: Action): Promise<void> {
  const { address } = action;
  const noting = [noteDebts(run, address)];
  const id = run.ids.get(address);
  if (id !== undefined) {
    const deploys = run.deployed.get(address);
    const now = recordNow(run, address);
    // The object of a pending create was found by the fields the create sent: those are its settled pairs from now on.
    const isFound = now === undefined || now.id === null || pendingCreate(now) !== undefined;
    // An adopted object was created by somebody else.
    const pairs = action.action === 'adopt' ? {} : knownPairs(now);
    const known = isFound ? recordOf(run, action, id, pairs) : deploys === undefined ? now : withDeploys(now, deploys);
    noting.push(save(run, address, withWrite(known, { id, ...sentNow(run) })));
  }
  await Promise.all(noting);
}

/** The time and the in-flight timeout of a request that is sent now. */
export function sentNow({ clock, fenceMs }: Run): { readonly at: number; readonly timeoutMs: number } {
  return { at: clock.wall(), timeoutMs: fenceMs };
}

/** A create that is about to be sent: by its key and its fields a later run knows its object. */
export function creationOf(run: Run, action: Action, step: Step): PendingCreate {
  const { outputs, input } = run;
  const key = keyOf(run, action);
  const says: Record<string, Stored> = {};
  let isOpen = true;
  for (const { part, field, wanted } of action.parts) {
    if (wanted === undefined || part.key !== undefined) continue;
    const isSecret = field.secrecy !== undefined || wanted.isSecret;
    if (isSecret && key !== undefined && Object.hasOwn(key, part.field)) isOpen = false;
    const resolved = takes(step.operation, part.field) ? resolveField(field, wanted, outputs) : undefined;
    if (resolved?.is === 'known') says[part.field] = toStored(field, resolved.value, isSecret, input.digest);
  }
  const below = action.parent === undefined ? undefined : run.ids.get(action.parent);
  const before = pendingCreate(recordNow(run, action.address));
  return {
    is: 'create',
    ...sentNow(run),
    ...(key !== undefined && isOpen ? { key } : {}),
    ...(below === undefined ? {} : { below }),
    says,
    sends: (before?.sends ?? 0) + 1,
  };
}
