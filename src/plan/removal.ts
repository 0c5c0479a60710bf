import { onceFor } from '../api/once.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { safeguards } from '../diagnostics/safeguards.ts';
import type { Attribute } from '../kind/attribute.ts';
import { attributeField, attributeNamed, pathOf, readRow } from '../kind/attribute.ts';
import { isCipher } from '../kind/cipher.ts';
import type { Row } from '../formats/json.ts';
import { isRow } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Parts } from '../kind/lifecycle.ts';
import { goesWith } from '../kind/lifecycle.ts';
import type { ParentLink } from '../kind/parent.ts';
import { fieldPath, idsBelow, observedValue, rowsBelow } from '../kind/wire.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { secret } from '../secrets/secret.ts';
import type { StateRecord } from '../state/record.ts';
import type { Action, Change, Step, Target } from './action.ts';
import { deletesObject, isDeletion } from './action.ts';
import { sendsNothing, targetFor } from './action-for.ts';
import { unitOf, withNames } from './changes.ts';
import type { PlanInput } from './input.ts';
import { someOf } from './mass-deletion.ts';
import { isTargeted } from './narrow.ts';
import { unlisted, wasAnswered } from './pending.ts';
import { weigh } from './risks.ts';
import { redactShown, showSides } from './shown.ts';
import { lossAsShown, shownRow } from './shown-row.ts';
import { standingOf } from './standing.ts';
import { deleteSteps } from './steps.ts';

/** Plans the removal of a resource that is in the state and no longer in the manifest. */
export function planRemoval(
  input: PlanInput,
  kind: Kind,
  address: string,
  record: StateRecord,
  actions: ReadonlyMap<string, Action>,
): Action {
  const object = input.observed.objects.get(address);
  const parent = record.parent === null ? undefined : actions.get(record.parent);
  const base = {
    ...targetFor({ ...record, address, kind, parent: record.parent ?? undefined }, parent),
    id: object?.id,
  };
  const forget = (why: 'stays there' | 'not known', message: string, remedy?: string): Action => {
    const notes = [diagnostic(why === 'not known' ? 'unverified' : 'stays-there', message, { address, remedy })];
    return { ...base, ...sendsNothing, action: 'forget', why, notes };
  };
  if (object === undefined && record.id === null) {
    const { listedOnce } = kind.identity;
    return listedOnce === undefined
      ? forget(
          'not known',
          `${address} was about to be created when a run ended; whether it exists is not known`,
          'Look for it on the platform.',
        )
      : forget(
          'stays there',
          `${address} was created, stays on the platform, and is listed only once ${listedOnce}`,
          'Delete it there before you declare it again: it would be created twice.',
        );
  }
  if (object === undefined || (object.isProvided && kind.lifecycle?.provided?.allows === 'update')) {
    const isTaken = object === undefined ? input.unserved?.includes(kind) : parent !== undefined && isDeletion(parent);
    const why = isTaken === true ? 'parent goes' : object === undefined ? 'gone' : 'stays there';
    return { ...base, ...sendsNothing, action: 'forget', why };
  }
  if (object.foundBy !== 'id' && isSomebodys(input, kind, object)) {
    const { listedOnce } = kind.identity;
    if (listedOnce !== undefined && wasAnswered(record)) {
      return forget(
        'stays there',
        `${unlisted(address, record, listedOnce)}; it stays on the platform, as does ${object.id}, which has its name and differs from it`,
        'Delete there what is not needed before you declare it again: it would be created twice.',
      );
    }
    return forget(
      'not known',
      `${address} was about to be created when a run ended, and ${object.id} has its key; whether it is that object is not known`,
      'Check it on the platform, and delete it there if it is not needed.',
    );
  }
  if (kind.operations.delete === undefined) {
    const why = kind.operations.cannot?.delete ?? 'the platform has no operation for it';
    return forget('stays there', `${address} (${object.id}) is not deleted: ${why}`);
  }
  const gone = takeAway(input, base, object, { action: 'delete', parent });
  // Where a target names it, and not its parent, only a request of its own takes it away. So it is with what a person gave
  // another parent in the state.
  const goesAlong =
    parent !== undefined &&
    deletesObject(parent) &&
    goesWith(kind.lifecycle, parent.kind.kind) &&
    object.parentId === parent.id &&
    isTargeted(input, parent.address, (one) => actions.get(one)?.parent);
  const changes = goneFields(input, { kind, address, pairs: record.pairs }, object);
  const { paths, isAnother } = differencesIn(input, { kind, address, record }, object);
  if (paths.length > 0) {
    const message = `${address} (${object.id}) differs from what the last apply left: ${someOf(paths)}`;
    base.notes.push(diagnostic('differs', message, { address }));
  }
  const doubt = isAnother
    ? weigh([{ of: 'another object', what: `${object.id} ${another}` }], { address, isProtected: false })
    : undefined;
  const dataAtRisk = [goesAlong ? undefined : gone.dataAtRisk, doubt?.dataAtRisk].filter((risk) => risk !== undefined);
  return {
    ...base,
    changes,
    action: 'delete',
    steps: [],
    ...(goesAlong ? { by: 'parent', teardown: [] } : { by: 'request', teardown: gone.teardown }),
    holds: goesAlong ? undefined : gone.holds,
    follows: [],
    dataAtRisk: dataAtRisk.length === 0 ? undefined : dataAtRisk.join('; '),
  };
}

const another = 'has another key and other values than the object that Trueup knew by this id';

/** Whether data is at risk because the object may be another one. */
export function isOfAnother(dataAtRisk: string): boolean {
  return dataAtRisk.endsWith(another);
}

/**
 * The attributes that differ from what the last apply left. The object may be another one, such as of a backup of the
 * platform, when its key and most of the rest differ. A write with an unknown outcome explains every difference.
 */
function differencesIn(
  { digests }: PlanInput,
  { kind, address, record }: { readonly kind: Kind; readonly address: string; readonly record: StateRecord },
  { row }: ObservedObject,
): { readonly paths: readonly string[]; readonly isAnother: boolean } {
  if (record.pending !== undefined) return { paths: [], isAnother: false };
  const now = readRow(kind, row);
  const valueOf = (name: string) => observedValue(kind, name, row) ?? undefined;
  const key = typeof kind.identity.key === 'function' ? kind.identity.key(valueOf) : kind.identity.key;
  const judged = Object.entries(record.pairs).flatMap(([name, pair]) => {
    const attribute = attributeNamed(name);
    const declared = kind.fields[attribute.field];
    const observed = observedValue(kind, attribute.field, row);
    if (declared === undefined || declared.growsByItself === true || observed === undefined || isCipher(observed))
      return [];
    const field = attributeField(kind, attribute);
    const digest = digests(address, name);
    const there = { field, wanted: undefined, observed: now.value(attribute), pair, digest, outputs: noOutputs };
    return [{ attribute, isSame: standingOf(there).there !== 'other' }];
  });
  const differing = judged.filter(({ isSame }) => !isSame);
  const isOfKey = ({ attribute: { field } }: { readonly attribute: Attribute }) => key.includes(field);
  const rest = judged.filter((one) => !isOfKey(one)).length;
  const differingRest = differing.filter((one) => !isOfKey(one)).length;
  return {
    paths: differing.map(({ attribute }) => pathOf(kind, attribute)),
    isAnother: differing.some(isOfKey) && rest > 0 && differingRest * 2 > rest,
  };
}

/**
 * What goes, by the fields that were managed and may be shown, as the platform has them. Keys of maps, and texts that may
 * hold secrets, go without saying.
 */
function goneFields(
  { digests, observed: { nameOf }, values = 'usual', redact }: PlanInput,
  { kind, address, pairs }: Pick<StateRecord, 'pairs'> & { readonly kind: Kind; readonly address: string },
  { row }: ObservedObject,
): Change[] {
  const now = readRow(kind, row);
  return Object.entries(pairs).flatMap(([name, pair]) => {
    const field = kind.fields[name];
    if (field === undefined || field.secrecy !== undefined) return [];
    const attribute = { field: name };
    const observed = secret(now.value(attribute));
    const digest = digests(address, name);
    const planned = {
      attribute,
      field,
      wanted: undefined,
      standing: standingOf({ field, wanted: undefined, observed: observed.reveal(), pair, digest, outputs: noOutputs }),
      decision: { do: 'remove' },
      before: observed,
      pair,
    } as const;
    const shown = showSides({
      planned,
      resolved: undefined,
      values,
      outputs: noOutputs,
      plainly: (value) => value,
    });
    const before = redactShown(withNames(shown.before, field, nameOf), redact);
    if (before.is === 'absent' || before.is === 'hidden') return [];
    const path = fieldPath(kind, name);
    const rest = { after: { is: 'absent' }, ...unitOf(field), atDeploy: false, forcesReplacement: false } as const;
    return [{ path, cause: 'delete', before, ...rest }];
  });
}

/** Whether an object without a recorded id was created by a person, or has something that Trueup cannot have created. */
function isSomebodys(input: PlanInput, kind: Kind, object: ObservedObject): boolean {
  if (object.foundBy === 'key') return true;
  return [...servicesInside(input, kind, object), ...unmanagedBelow(input, kind, object)].length > 0;
}

/** The requests that take an object away, and what that puts at risk. Notes what forbids it, and what goes along. */
export function takeAway(
  input: PlanInput,
  about: Pick<Target, 'kind' | 'address' | 'options' | 'protect' | 'position'> & { readonly notes: Diagnostic[] },
  object: ObservedObject,
  { action, parent }: { readonly action: 'delete' | 'replace'; readonly parent: Action | undefined },
): { readonly teardown: readonly Step[]; readonly holds: Parts | undefined } & Pick<Target, 'dataAtRisk'> {
  const { kind, address, options, notes, protect, position } = about;
  if (protect === true) {
    const message = `${address} is protected and would be ${action === 'delete' ? 'deleted' : 'replaced'}`;
    const remedy = input.destroys
      ? 'Write protect: false in its block, apply, and destroy again.'
      : action === 'delete'
        ? 'Put its block back; to delete it, write protect: false, apply, and remove the block then.'
        : 'Undo the change, or write protect: false and apply that first.';
    notes.push(diagnostic(safeguards.protected.code, message, { remedy, address, position }));
  }
  notes.push(...foreignContents(input, about, object));
  const inside = servicesInside(input, kind, object);
  if (inside.length > 0) {
    const message = `${address} holds ${counted(inside.length)} not in the state: ${inside.join(', ')}`;
    const remedy = removalRemedy(kind, input);
    notes.push(diagnostic(safeguards['services of others'].code, message, { remedy, address }));
  }
  const guests = unmanagedBelow(input, kind, object);
  if (guests.length > 0) {
    const message = `what is below ${address} and not in the manifest goes with it: ${guests.join(', ')}`;
    notes.push(diagnostic('goes-along', message, { address }));
  }
  const shown = onceFor((row: Row) => shownRow(input, { kind, address, row }));
  const lossOf = (row: Row) => kind.lifecycle?.dataAtRisk?.({ row, options, action });
  const loss = lossAsShown(lossOf(object.row), () => lossOf(shown(object.row)));
  const isProtected = protect === true || parent?.protect === true;
  const { dataAtRisk, warnings } = weigh(loss === undefined ? [] : [loss], { address, isProtected });
  notes.push(...warnings);
  const holds = kind.lifecycle?.holds === undefined ? undefined : kind.lifecycle.holds(shown(object.row));
  return { teardown: deleteSteps(about), holds, dataAtRisk };
}

/** The remedy for a deletion that would take along what the state does not have. */
function removalRemedy({ kind }: Kind, { destroys }: Pick<PlanInput, 'destroys'>): string {
  const keep = destroys ? '' : ` To keep the ${kind}, put its block back.`;
  return `Move them to another ${kind}, or delete them on the platform, and plan again.${keep}`;
}

/**
 * Services inside an object that Trueup does not manage, each with its name, its id and the data that would be lost. Kinds
 * of services that Trueup does not know count too: every list of an environment is one of services.
 */
function servicesInside(input: PlanInput, kind: Kind, object: ObservedObject): string[] {
  const managed = managedIds(input);
  const services = input.kinds.filter((child) => child.service !== undefined && child.parents[kind.kind] !== undefined);
  if (services.length === 0) return [];
  const known = services.flatMap((child) =>
    rowsBelow(kind, object.row, child).flatMap((row) => {
      const id = String(row[child.identity.id]);
      const data = child.lifecycle?.dataAtRisk?.({ row, options: {}, action: 'delete' });
      const risk = data === undefined ? '' : `; ${input.redact(data.what)} would be lost`;
      return managed.has(id) ? [] : [`${input.redact(nameOf(child.kind, row))} (${id}${risk})`];
    }),
  );
  const lists = new Set(input.kinds.flatMap(({ parents: { [kind.kind]: link } }) => listOf(link) ?? []));
  const unknown = Object.entries(object.row).flatMap(([list, rows]) =>
    lists.has(list) || !Array.isArray(rows) ? [] : rows.filter(isRow).map((row) => input.redact(nameOf(list, row))),
  );
  return [...known, ...unknown];
}

/** The member of a parent's row that lists objects. */
function listOf(link: ParentLink | undefined): string | undefined {
  return link !== undefined && 'at' in link.listed ? link.listed.at : undefined;
}

/** The errors for an object that goes with all that is in it: something of others is in it, or may be. */
function foreignContents(
  input: PlanInput,
  { kind, address }: Pick<Action, 'kind' | 'address'>,
  object: ObservedObject,
): Diagnostic[] {
  const { contents } = kind.lifecycle ?? {};
  if (contents === undefined) return [];
  const refuse = (message: string, remedy: string) =>
    diagnostic(safeguards['services of others'].code, message, { remedy, address });
  if (input.observed.role === 'member') {
    const message = `${address} would be deleted with everything in it, and a member does not see everything`;
    return [refuse(message, 'Use the API key of an owner or admin.')];
  }
  const managed = managedIds(input);
  const others = contents(object.row).filter(({ id }) => !managed.has(id));
  if (others.length === 0) return [];
  const remedy = removalRemedy(kind, input);
  const shown = someOf(others.map(({ id, what }) => `${input.redact(what)} (${id})`));
  return [refuse(`${address} holds what is not in the state: ${shown}`, remedy)];
}

function nameOf(kind: string, { name }: Row): string {
  return typeof name === 'string' ? `${kind} ${name}` : kind;
}

function counted(services: number): string {
  return services === 1 ? 'a service that is' : `${services} services that are`;
}

/** Other undeclared objects of the platform below an object: they are deleted with it. */
function unmanagedBelow(input: PlanInput, kind: Kind, object: ObservedObject): string[] {
  const managed = managedIds(input);
  return input.kinds.flatMap((child) => {
    if (child.service !== undefined) return [];
    const guests = idsBelow(kind, object.row, child).filter((id) => !managed.has(id));
    return guests.length === 0 ? [] : [`${guests.length} of ${child.section}`];
  });
}

/** The ids of all objects that Trueup manages: one found by its key alone is another person's, unless a block takes it over. */
const managedIds = onceFor(({ observed, resources }: PlanInput): ReadonlySet<string> => {
  const declared = new Set(resources.map(({ address }) => address));
  const managed = [...observed.objects].flatMap(([address, { id, foundBy }]) =>
    foundBy === 'key' && !declared.has(address) ? [] : [id],
  );
  return new Set(managed);
});

const noOutputs = () => undefined;
