import { attempts } from '../api/attempts.ts';
import { takes } from '../kind/wire.ts';
import type { Action, Step } from '../plan/action.ts';
import { toStored } from '../plan/decide.ts';
import { resolveField } from '../plan/diff.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { pendingCreate, renewed, withDeploys, withWrite } from '../state/pending.ts';
import type { PendingCreate, Stored } from '../state/record.ts';
import { keyOf } from './find-created.ts';
import { recordNow, recordOf, sentNow } from './records.ts';
import type { Run } from './run.ts';
import { happen, idOf, jobOf } from './run.ts';
import { saveStale } from './stale.ts';

/**
 * Records, before the first request of an action, that a write is pending, and which services are stale then. Creates
 * record more than that, by themselves.
 */
export async function announceWrite(run: Run, action: Action): Promise<void> {
  const { address } = action;
  const noting = [saveStale(run, address)];
  const id = idOf(run, address);
  if (id !== undefined) {
    const { deploys } = jobOf(run, address);
    const now = recordNow(run, address);
    // The object of a pending create was found by the fields the create sent: those are its settled pairs from now on.
    const isFound = now === undefined || now.id === null || pendingCreate(now) !== undefined;
    // An adopted object was created by somebody else.
    const pairs = action.action === 'adopt' ? {} : knownPairs(now);
    const known = isFound ? recordOf(run, action, id, pairs) : deploys === undefined ? now : withDeploys(now, deploys);
    noting.push(run.journal.save(address, withWrite(known, { id, ...sentNow(run) })));
  }
  await Promise.all(noting);
  happen(run, address, { is: 'announced' });
}

/** Records a create before it is sent. */
export async function announceCreate(run: Run, action: Action, step: Step, chosen: string | undefined): Promise<void> {
  const pending = creationOf(run, action, step);
  await run.journal.save(action.address, { ...recordOf(run, action, chosen ?? null, {}), pending });
  happen(run, action.address, { is: 'announced' });
}

/** Notes when a request is sent, because until when it may land is reckoned from then; again where that was earlier. */
export async function announceTime(run: Run, address: string, isAgain: boolean): Promise<void> {
  const record = run.journal.now(address);
  const at = run.clock.wall();
  if (record?.pending === undefined || (!isAgain && Math.abs(at - record.pending.at) <= attempts.reading.noteAgeMs))
    return;
  const again = renewed(record, at);
  if (again !== record) await run.journal.save(address, again);
}

/** A create that is about to be sent: by its key and its fields a later run knows its object. */
export function creationOf(run: Run, action: Action, step: Step): PendingCreate {
  const { outputs, input } = run;
  const key = keyOf(run, action);
  const says: Record<string, Stored> = {};
  let isOpen = true;
  for (const { attribute, field, wanted } of action.attributes) {
    if (wanted === undefined || attribute.key !== undefined) continue;
    const isSecret = field.secrecy !== undefined || wanted.isSecret;
    if (isSecret && key !== undefined && Object.hasOwn(key, attribute.field)) isOpen = false;
    const resolved = takes(step.operation, attribute.field) ? resolveField(field, wanted, outputs) : undefined;
    if (resolved?.is === 'known') says[attribute.field] = toStored(field, resolved.value, isSecret, input.digest);
  }
  const below = action.parent === undefined ? undefined : idOf(run, action.parent);
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
