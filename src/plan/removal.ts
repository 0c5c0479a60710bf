import { diagnostic } from '../diagnostics/diagnostic.ts';
import { attributeField, attributeNamed, pathOf, readRow } from '../kind/attribute.ts';
import { isCipher } from '../kind/cipher.ts';
import { defined } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { goesWith } from '../kind/lifecycle.ts';
import { fieldPath, keyNames, observedValue } from '../kind/row-values.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { noOutputs } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/record.ts';
import { type Action, type Change, type Target, isDeletion } from './action.ts';
import { sendsNothing, targetFor } from './action-target.ts';
import { sidesOf } from './attribute-change.ts';
import { isForeign, planDeletion } from './deletion.ts';
import { type JudgedAttribute, undeclared } from './standing.ts';
import type { PlanInput } from './input.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { isTargeted } from './narrow.ts';
import { unlisted, wasAnswered } from './not-listed.ts';
import { isBelowDeleted } from './relations.ts';
import { weigh } from './risks.ts';
import { absent, redactShown } from './shown-values.ts';

/** Plans the removal of a resource that is in the state and no longer in the manifest. */
export function planRemoval(input: PlanInput, removed: Removed, actions: ReadonlyMap<string, Action>): Action {
  const { kind, address, record } = removed;
  const object = input.observed.objects.get(address);
  const parent = record.parent === null ? undefined : actions.get(record.parent);
  const target = targetFor({ ...record, address, kind, parent: record.parent ?? undefined }, parent);
  if (object === undefined) return forget(target, whyGone(input, removed));
  const here = { ...target, id: object.id };
  const staying = whyItStays(input, removed, object, parent);
  if (staying !== undefined) return forget(here, staying);
  const gone = planDeletion(input, here, object, { action: 'delete', parent });
  const settled = settledIn(input, removed, object);
  const difference = differencesIn(removed, object, settled);
  const isWithParent = isDeletedWithParent(input, kind, object, actions, parent);
  const risks = [isWithParent ? undefined : gone.dataAtRisk, difference.dataAtRisk].filter(
    (risk) => risk !== undefined,
  );
  const planned = {
    ...here,
    changes: goneFields(input, kind, settled),
    notes: [...gone.notes, ...difference.notes],
    dataAtRisk: risks.length === 0 ? undefined : risks.join('; '),
  };
  // The spread stands last, so that all have the same class of V8.
  return isWithParent
    ? { action: 'delete', steps: [], by: 'parent', teardown: [], holds: undefined, follows: [], ...planned }
    : {
        action: 'delete',
        steps: [],
        by: 'request',
        teardown: gone.teardown,
        holds: gone.holds,
        follows: [],
        ...planned,
      };
}

/** The attributes that were settled, as the platform has them. */
function settledIn(
  { digests }: PlanInput,
  { kind, address, record }: Removed,
  { row }: ObservedObject,
): JudgedAttribute[] {
  const now = readRow(kind, row);
  return Object.entries(record.pairs).flatMap(([name, pair]) => {
    const attribute = attributeNamed(name);
    // Of a kind as an earlier version had it.
    if (kind.fields[attribute.field] === undefined) return [];
    const field = attributeField(kind, attribute);
    return [undeclared(digests, address, { attribute, field, pair, observed: now.value(attribute) })];
  });
}

/** Whether the platform deletes an object with its parent, so that it needs no request of its own. */
function isDeletedWithParent(
  input: PlanInput,
  kind: Kind,
  object: ObservedObject,
  actions: ReadonlyMap<string, Action>,
  parent: Action | undefined,
): boolean {
  // Where a target names it, and not its parent, only a request of its own deletes it. So it is with what a person gave
  // another parent in the state.
  return (
    isBelowDeleted(parent, object) &&
    goesWith(kind.lifecycle, parent.kind.kind) &&
    isTargeted(input, parent.address, (one) => actions.get(one)?.parent)
  );
}

/** A record in the state without a block. */
interface Removed {
  readonly kind: Kind;
  readonly address: string;
  readonly record: StateRecord;
}

/** Why nothing is sent for an address that leaves the state, and what people should know of that. */
interface Forgotten {
  readonly why: Extract<Action, { action: 'forget' }>['why'];
  readonly message?: string;
  readonly remedy?: string;
}

function forget(target: Target, { why, message, remedy }: Forgotten): Action {
  const { address } = target;
  const code = why === 'not known' ? 'unverified' : 'stays-there';
  const notes = message === undefined ? [] : [diagnostic(code, message, { address, remedy })];
  return { ...target, ...sendsNothing, action: 'forget', why, notes };
}

function whyGone({ unserved }: PlanInput, { kind, address, record }: Removed): Forgotten {
  const { listedOnce } = kind.identity;
  if (record.id !== null) return { why: unserved.includes(kind) ? 'parent goes' : 'gone' };
  return listedOnce === undefined
    ? {
        why: 'not known',
        message: `${address} was about to be created when a run ended; whether it exists is not known`,
        remedy: 'Look for it on the platform.',
      }
    : {
        why: 'stays there',
        message: `${address} was created, stays on the platform, and is listed only once ${listedOnce}`,
        remedy: 'Delete it there before you declare it again: it would be created twice.',
      };
}

/** Why an object that is there is not deleted; undefined where it is. */
function whyItStays(
  input: PlanInput,
  { kind, address, record }: Removed,
  object: ObservedObject,
  parent: Action | undefined,
): Forgotten | undefined {
  if (object.isProvided && kind.lifecycle?.provided?.allows === 'update')
    return { why: parent !== undefined && isDeletion(parent) ? 'parent goes' : 'stays there' };
  if (object.foundBy !== 'id' && isForeign(input, kind, object)) {
    const { listedOnce } = kind.identity;
    if (listedOnce !== undefined && wasAnswered(record)) {
      return {
        why: 'stays there',
        message: `${unlisted(address, record, listedOnce)}; it stays on the platform, as does ${object.id}, which has its name and differs from it`,
        remedy: 'Delete there what is not needed before you declare it again: it would be created twice.',
      };
    }
    return {
      why: 'not known',
      message: `${address} was about to be created when a run ended, and ${object.id} has its key; whether it is that object is not known`,
      remedy: 'Check it on the platform, and delete it there if it is not needed.',
    };
  }
  if (kind.operations.delete !== undefined) return undefined;
  const reason = kind.operations.cannot?.delete ?? 'the platform has no operation for it';
  return { why: 'stays there', message: `${address} (${object.id}) is not deleted: ${reason}` };
}

const another = 'has another key and other values than the object that Trueup knew by this id';

/** Whether data is at risk because the object may be another one. */
export function isOfAnother(dataAtRisk: string): boolean {
  return dataAtRisk.endsWith(another);
}

/**
 * What differs from what the last apply left. The object may be another one, such as of a backup of the platform, when its
 * key and most of the rest differ. A write with an unknown outcome explains every difference.
 */
function differencesIn(
  { kind, address, record }: Removed,
  { id, row }: ObservedObject,
  settled: readonly JudgedAttribute[],
): Pick<Target, 'notes' | 'dataAtRisk'> {
  if (record.pending !== undefined) return { notes: [], dataAtRisk: undefined };
  const valueOf = (name: string) => observedValue(kind, name, row) ?? undefined;
  const key = keyNames(kind, valueOf);
  const judged = settled.flatMap(({ attribute, standing }) => {
    const observed = observedValue(kind, attribute.field, row);
    if (kind.fields[attribute.field]?.growsByItself === true || observed === undefined || isCipher(observed)) return [];
    return [{ attribute, isOfKey: key.includes(attribute.field), isSame: standing.there !== 'other' }];
  });
  const differing = judged.filter(({ isSame }) => !isSame);
  if (differing.length === 0) return { notes: [], dataAtRisk: undefined };
  const rest = judged.filter(({ isOfKey }) => !isOfKey).length;
  const differingRest = differing.filter(({ isOfKey }) => !isOfKey).length;
  const isAnother = differing.some(({ isOfKey }) => isOfKey) && rest > 0 && differingRest * 2 > rest;
  const loss = { of: 'another object', what: `${id} ${another}` } as const;
  const { dataAtRisk } = weigh(isAnother ? [loss] : [], { address, isProtected: false });
  const paths = differing.map(({ attribute }) => pathOf(kind, attribute));
  const message = `${address} (${id}) differs from what the last apply left: ${someOf(paths)}`;
  return { notes: [diagnostic('differs', message, { address })], dataAtRisk };
}

/**
 * What goes, by the fields that were managed and may be shown, as the platform has them. Keys of maps, and texts that may
 * hold secrets, go without saying.
 */
function goneFields(input: PlanInput, kind: Kind, settled: readonly JudgedAttribute[]): Change[] {
  return settled.flatMap((planned) => {
    const { attribute, field } = planned;
    if (attribute.key !== undefined || field.secrecy !== undefined) return [];
    const { before } = sidesOf({}, planned, { ...input, outputs: noOutputs });
    if (before.is === 'absent' || before.is === 'hidden') return [];
    const rest = { ...defined({ unit: field.unit }), atDeploy: false, forcesReplacement: false } as const;
    const shown = redactShown(before, input.redact);
    return [{ path: fieldPath(kind, attribute.field), cause: 'delete', before: shown, after: absent, ...rest }];
  });
}
