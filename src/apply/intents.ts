import { takes } from '../kind/wire.ts';
import type { Action, Step } from '../plan/action.ts';
import { toStored } from '../plan/decide.ts';
import { resolveField } from '../plan/diff.ts';
import { knownPairs } from '../plan/known-pairs.ts';
import type { Intent, Stored } from '../state/state.ts';
import { noteDebts } from './debts.ts';
import type { Run } from './run.ts';
import { recordNow, recordOf, save } from './records.ts';
import { keyOf } from './seek.ts';

/**
 * Writes down, before the first request of an action, that it is about to be sent: what it changes, and which services
 * owe a deployment then. Creates write down more than that, by themselves.
 */
export async function noteIntent(run: Run, action: Action): Promise<void> {
  const { address } = action;
  const noting = [noteDebts(run, address)];
  const id = run.ids.get(address);
  if (id !== undefined) {
    const deployed = run.deployed.get(address);
    const now = recordNow(run, address);
    // What a create made that got no answer was found by what that said, which is written down as settled from now on.
    const isFound = now === undefined || now.id === null || now.intent?.sent !== undefined;
    // What is taken over was made by somebody else.
    const pairs = action.action === 'adopt' ? {} : knownPairs(now);
    const known = isFound ? recordOf(run, action, id, pairs) : now;
    const intent = { at: run.clock.wall() };
    // What a create made that got no answer is known by now.
    noting.push(save(run, address, { ...known, id, ...(deployed === undefined ? {} : { deployed }), intent }));
  }
  await Promise.all(noting);
}

/** What is written down of a create before it is sent: by the key, and by what it says, a later run knows its object. */
export function creationIntent(run: Run, action: Action, { step, at }: { step: Step; at: number }): Intent {
  const { outputs, input } = run;
  const key = keyOf(run, action);
  const sent: Record<string, Stored> = {};
  let isOpen = true;
  for (const { part, field, wanted } of action.parts) {
    if (wanted === undefined || part.key !== undefined) continue;
    const isSecret = field.secrecy !== undefined || wanted.isSecret;
    if (isSecret && key !== undefined && Object.hasOwn(key, part.field)) isOpen = false;
    const resolved = takes(step.operation, part.field) ? resolveField(field, wanted, outputs) : undefined;
    if (resolved?.is === 'known') sent[part.field] = toStored(field, resolved.value, isSecret, input.digest);
  }
  const below = action.parent === undefined ? undefined : run.ids.get(action.parent);
  return {
    at,
    ...(key !== undefined && isOpen ? { key } : {}),
    ...(below === undefined ? {} : { below }),
    sent,
    fenceMs: run.fenceMs,
  };
}
