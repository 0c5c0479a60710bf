import { attempts } from '../api/attempts.ts';
import { takes } from '../kind/wire.ts';
import type { Action, Plan, Step } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { toStored } from '../plan/decide.ts';
import { resolveField } from '../plan/diff.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { pendingCreate, renewed, withDeploys, withWrite } from '../state/pending.ts';
import type { DuplicatePlace, PendingCreate, StateRecord, Stored } from '../state/record.ts';
import type { State, StateStore } from '../state/state.ts';
import { keyOf } from './find-created.ts';
import { advance, startJob } from './job.ts';
import type { Run } from './run.ts';
import { happen, idOf, jobOf } from './run.ts';
import { saveStale } from './stale.ts';

/** The records of a run: what the state is to hold, announced before it is sent. */
export interface Journal {
  /** Every record as this run wrote it last, on the disk or about to be. */
  readonly records: ReadonlyMap<string, StateRecord | null>;
  /** The record of an address as this run wrote it last, else as it was before; null: this run removed it. */
  now(address: string): StateRecord | null | undefined;
  /**
   * Keeps a record; it is on the disk when this resolves, unless it goes `with the rest` at the end. One that cannot be
   * written is as if it never was: what it announces is not sent, and what it says is found by the next run.
   *
   * @throws {Stop} when the store refuses it.
   */
  save(address: string, content: StateRecord | null, how?: 'with the rest'): Promise<void>;
}

/** Opens the journal of a run on a state. Never throws. */
export function openJournal(store: StateStore, base: State): Journal {
  const records = new Map<string, StateRecord | null>();
  const durable = new Map<string, StateRecord | null>();
  return {
    records,
    now: (address) => (records.has(address) ? records.get(address) : base.resources[address]),
    save: async (address, content, how) => {
      records.set(address, content); // at once: what is saved next goes on from it
      try {
        if (how === undefined) await store.append(base, address, content);
        durable.set(address, content);
      } catch (error) {
        const last = durable.get(address);
        if (last === undefined) records.delete(address);
        else records.set(address, last);
        throw error;
      }
    },
  };
}

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

/** The time and the in-flight timeout of a request that is sent now. */
export function sentNow({ clock, input }: Run): { readonly at: number; readonly timeoutMs: number } {
  return { at: clock.wall(), timeoutMs: input.fenceMs };
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

/** Where duplicates may be of creates that earlier runs sent more than once, or that this one is about to send again. */
export function duplicatesBefore({ actions, base }: Plan): ReadonlyMap<string, readonly DuplicatePlace[] | undefined> {
  return new Map(
    actions.map((action) => {
      const known = base.resources[action.address];
      const pending = pendingCreate(known);
      const job = startJob(action, { duplicates: known?.duplicates });
      if (!isMade(action) || known?.id !== null || pending === undefined) return [action.address, job.duplicates];
      return [action.address, advance(job, { is: 'duplicate', place: placeOf(pending) }).duplicates];
    }),
  );
}

/** Where a create that got no answer may make a duplicate. */
export function placeOf({ key, below }: DuplicatePlace): DuplicatePlace {
  return key === undefined ? {} : { key, ...(below === undefined ? {} : { below }) };
}
