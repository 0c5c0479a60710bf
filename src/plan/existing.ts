import { storedLogin, storeLogin } from '../api/stored-logins.ts';
import { withArticle } from '../diagnostics/article.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, takesNull, valueAt } from '../kind/row-values.ts';
import { type Resource, isCreateOnly } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import { topIdOf } from '../observe/expected.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { StateRecord } from '../state/record.ts';
import { knownPairs } from '../state/pending-operation.ts';
import type { Action, AttributeChange, Step, Target } from './action.ts';
import { all, resourceTarget, sendsNothing } from './action-target.ts';
import { creation } from './creation.ts';
import { writesOrRemoves } from './decide.ts';
import { planDeletion } from './deletion.ts';
import { type Difference, diffResource } from './diff.ts';
import type { Planning, PlanInput } from './input.ts';
import { lossesOf } from './data-losses.ts';
import { notesOnUnproven } from './notes.ts';
import { unlisted } from './not-listed.ts';
import { weigh } from './risks.ts';
import { updateSteps } from './steps.ts';

/** Plans an object that the platform has: adopted, changed, moved, replaced, or left as it is. */
export function planExisting(
  input: Planning,
  resource: Resource,
  object: ObservedObject,
  { parent, awaited }: { readonly parent: Action | undefined; readonly awaited: readonly Action[] },
): Action {
  const { kind, address } = resource;
  const isAdoption = object.foundBy === 'key' || object.foundBy === 'pin';
  const record = input.state.resources[address];
  const base = resourceTarget(resource, parent, record, isAdoption ? 'first managed' : 'edit');
  const { provided } = kind.lifecycle ?? {};
  const isProvided = object.isProvided && (provided?.allows === 'update' || object.foundBy !== 'id');
  const difference = diffResource({
    ...input,
    resource,
    row: object.row,
    // What was settled with another object says nothing of this one.
    pairs: isAdoption ? {} : knownPairs(record),
    unproven: isAdoption ? undefined : record?.pending?.unproven,
    isProvided,
    awaited: new Set(awaited.map((other) => other.address)),
    accepting: {
      ...input.accepting,
      objectId: object.id,
      isObeyed: input.narrowing.includesAccepted !== true,
    },
  });
  const isElsewhere = isBelowAnother(input, resource, object, parent);
  const existing: Existing = { resource, object, parent, isAdoption, isProvided, isElsewhere, difference };
  const isRequested = input.narrowing.replaces.includes(address);
  const obstacle = isRequested ? whyNotReplaced(existing) : undefined;
  const target = {
    ...base,
    id: object.id,
    changes: all(difference.changes, base.changes),
    notes: all(
      base.notes,
      difference.diagnostics,
      duplicateOf(existing, record),
      obstaclesOf(existing),
      obstacle === undefined
        ? []
        : [refusal(resource, `${address} cannot be replaced: ${obstacle}`, { remedy: 'Leave out --replace for it.' })],
    ),
  };
  const isReplaced =
    (isRequested && obstacle === undefined) || target.changes.some((change) => change.forcesReplacement);
  return isReplaced ? planReplacement(input, existing, { target, isRequested }) : planUpdate(input, existing, target);
}

/** An object that the platform has, beside its block. */
interface Existing {
  readonly resource: Resource;
  readonly object: ObservedObject;
  readonly parent: Action | undefined;
  /** Trueup did not manage it before. */
  readonly isAdoption: boolean;
  /** The platform made it by itself. */
  readonly isProvided: boolean;
  /** It has another parent on the platform than in the manifest. */
  readonly isElsewhere: boolean;
  readonly difference: Difference;
}

/** Plans a new object in place of the one that is there. */
function planReplacement(
  input: Planning,
  { resource, object, parent, difference }: Existing,
  { target, isRequested }: { readonly target: Target; readonly isRequested: boolean },
): Action {
  const { kind, address, fields, pinned } = resource;
  const made = creation(input, resource);
  const gone = planDeletion(input, target, object, { action: 'replace', parent });
  const message = `${address} is pinned to ${object.id}, and the change needs a new object`;
  const pin = pinned === undefined ? [] : [refusal(resource, message, { removal: 'Remove id: first.' })];
  const { createBeforeDestroy } = kind.lifecycle ?? {};
  const { unless } = createBeforeDestroy ?? {};
  const isKept =
    unless !== undefined && fields[unless] !== undefined && !target.changes.some(({ path }) => path === unless);
  // The old one goes by an action of its own, when nothing of the manifest uses it any more.
  const old =
    createBeforeDestroy !== undefined && !isKept
      ? ({ order: 'create first', id: undefined, teardown: [] } as const)
      : ({
          order: 'delete first',
          by: 'request',
          teardown: gone.teardown,
          holds: gone.holds,
          dataAtRisk: gone.dataAtRisk,
        } as const);
  return {
    ...target,
    attributes: made.attributes,
    steps: made.steps,
    action: 'replace',
    replaced: difference.attributes,
    isRequested,
    notes: [...target.notes.filter(({ code }) => code !== 'create-only'), ...made.notes, ...gone.notes, ...pin],
    ...old,
  };
}

/** Plans an object that stays: adopted, moved, changed, or left as it is. */
function planUpdate(input: Planning, existing: Existing, target: Target): Action {
  const { resource, object, parent, isElsewhere, difference } = existing;
  const { kind, address, privateKeys } = resource;
  const { attributes } = difference;
  const { steps, notes: unsent } = updateSteps(
    { resource, attributes },
    object.row,
    isElsewhere ? resource.parent : undefined,
  );
  const losses = lossesOf(input, { ...target, attributes, privateKeys, object, parent, isElsewhere });
  const isProtected =
    target.protect === true || parent?.protect === true || (losses.length > 0 && isOfProtected(input, kind, object));
  const { dataAtRisk, warnings } = weigh(losses, { address, position: target.position, isProtected });
  const notes = all(
    target.notes,
    // A request that the platform accepts proves all that the object has.
    steps.length === 0 ? notesOnUnproven(resource, attributes) : [],
    unsent.map((message) => diagnostic('not-effective', message, { address })),
    changedLogin(existing, steps),
    membersLacking(existing, steps),
    warnings,
  );
  const planned = { ...target, attributes, notes, dataAtRisk };
  const { teardown, steps: none } = sendsNothing;
  // The spread stands last: V8 gives an object that gets a member after one a class of its own, of 500 bytes.
  if (object.foundBy === 'key')
    return { action: 'adopt', from: 'key', needsConsent: overwrites(existing), teardown, steps, ...planned };
  if (object.foundBy === 'pin')
    return { action: 'adopt', from: 'pin', needsConsent: false, teardown, steps, ...planned };
  if (isElsewhere) return { action: 'move', teardown, steps, ...planned };
  // What is no longer managed leaves the state, and options are in the state only.
  const isReleased = attributes.some(({ decision }) => decision.do === 'release');
  const hasOptions = target.changes.length > difference.changes.length;
  if (steps.length > 0 || hasOptions || isReleased) return { action: 'update', teardown, steps, ...planned };
  return { action: 'no-op', kept: 'as wanted', teardown, steps: none, ...planned };
}

/** The note of a request that logs in to the database with a stored password that somebody changed: it may be that of the row alone. */
function changedLogin({ resource: { address }, object, difference }: Existing, steps: readonly Step[]): Diagnostic[] {
  const isChanged = ({ attribute, pair, standing }: AttributeChange, member: string) =>
    attribute.field === member && pair !== undefined && standing.there === 'other';
  const step = steps.find(({ operation }) => {
    const member = storedLogin(operation);
    return member !== undefined && difference.attributes.some((one) => isChanged(one, member));
  });
  if (step === undefined) return [];
  const message = `the platform logs in to the database with the ${storedLogin(step.operation) ?? ''} that it stores, which was changed since the last apply`;
  return [diagnostic('not-effective', message, { address, remedy: storeLogin(step.operation, object.id) })];
}

/** Whether something that is protected, or is below what is protected, goes by the object: a backup by its destination. */
function isOfProtected({ kinds, observed, state: { resources } }: PlanInput, { kind }: Kind, { id }: ObservedObject) {
  const users = kinds.filter(({ fields }) => Object.values(fields).some(({ refersTo }) => refersTo === kind));
  return Object.entries(resources).some(([address, { kind: name, parent, options }]) => {
    const isProtected = options.protect === true || resources[parent ?? '']?.options.protect === true;
    const user = isProtected ? users.find((one) => one.kind === name) : undefined;
    const row = user === undefined ? undefined : observed.objects.get(address)?.row;
    return Object.entries(user?.fields ?? {}).some(([field, { refersTo }]) => refersTo === kind && row?.[field] === id);
  });
}

/** Whether an object is another person's, or has values of another person that an update writes over. */
function overwrites({ resource: { kind }, object, difference }: Existing): boolean {
  const { provided } = kind.lifecycle ?? {};
  const madeWith = provided?.allows === 'update' ? provided.madeWith : {};
  const isOverwritten = difference.attributes.some(
    ({ attribute, decision, before }) =>
      writesOrRemoves(decision) && ![null, '', madeWith[attribute.field]].includes(before.reveal()),
  );
  return isOverwritten || !object.isProvided;
}

/** The error of a change that no request can make. */
function refusal(
  { address, at }: Resource,
  message: string,
  next: { readonly remedy: string } | { readonly removal: string },
): Diagnostic {
  return diagnostic('cannot-change', message, { ...next, address, position: position(at) });
}

/** The warning that an object of the name of one that Trueup created may be another one. */
function duplicateOf({ resource, object }: Existing, record: StateRecord | undefined): Diagnostic[] {
  const { kind, address, at } = resource;
  const { listedOnce } = kind.identity;
  if (listedOnce === undefined || object.foundBy !== 'key' || record?.id !== null) return [];
  const message = `${unlisted(address, record, listedOnce)}; ${object.id} has its name and may belong to others`;
  const remedy = 'Compare the two on the platform. To keep the created one, rename the other there, and connect it.';
  return [diagnostic('duplicate', message, { remedy, address, position: position(at) })];
}

/** The errors of an object that a block cannot have. */
function obstaclesOf({ resource, isAdoption, isProvided, isElsewhere }: Existing): Diagnostic[] {
  const { kind, address, parent } = resource;
  const { move } = kind.operations;
  const found: Diagnostic[] = [];
  if (isProvided && kind.lifecycle?.provided?.allows === 'nothing') {
    const removal = 'Remove the block: it is not to be managed.';
    found.push(refusal(resource, `${address} is the one that the platform made by itself`, { removal }));
  }
  if (isElsewhere && (move === undefined || isAdoption)) {
    const above = parent === undefined ? 'project or organization' : 'parent';
    const removal = `The platform cannot move ${withArticle(kind.kind)}: remove the entry of moved:, so that it is deleted and created.`;
    const next =
      move === undefined && parent !== undefined ? { removal } : { remedy: 'Declare it where it is, or correct id:.' };
    found.push(refusal(resource, `${address} belongs to another ${above} on the platform`, next));
  }
  return found;
}

/** The errors of requests that need a value which neither the block nor the platform has. */
function membersLacking({ resource, object, difference }: Existing, steps: readonly Step[]): Diagnostic[] {
  const waits = (name: string) =>
    difference.attributes.some(({ attribute, decision }) => attribute.field === name && decision.do === 'wait');
  return steps.flatMap(({ operation, members }) =>
    Object.entries(members).flatMap(([name, from]) => {
      if (
        from.is !== 'as read' ||
        waits(name) ||
        takesNull(operation, name) ||
        (valueAt(object.row, from.from) ?? null) !== null
      )
        return [];
      const path = fieldPath(resource.kind, name);
      const message = `${path}: the platform has none, and ${operation} cannot go without`;
      const remedy = isCreateOnly(resource, { field: name })
        ? `Set ${path} on the platform: createOnly leaves it to others.`
        : `Declare ${path}.`;
      return [refusal(resource, message, { remedy })];
    }),
  );
}

/** Why an object cannot be deleted and created again on purpose; undefined when it can. */
function whyNotReplaced({ resource, isAdoption, isProvided }: Existing): string | undefined {
  const { kind, isTop, operations } = resource.kind;
  const { create, delete: remove, cannot } = operations;
  if (isAdoption) return 'it is not ours yet, and is taken over first';
  if (isProvided) return 'the platform made it by itself';
  if (isTop === true) return 'everything in it would go; trueup destroy deletes it, and an apply creates it again';
  if (create === undefined) return cannot?.create ?? `no operation of the platform creates ${withArticle(kind)}`;
  return remove === undefined
    ? (cannot?.delete ?? `no operation of the platform deletes ${withArticle(kind)}`)
    : undefined;
}

/** Whether the object has another parent on the platform than in the manifest. */
function isBelowAnother(
  input: PlanInput,
  resource: Resource,
  object: ObservedObject,
  parent: Action | undefined,
): boolean {
  if (resource.parent !== undefined) return parent?.id === undefined || parent.id !== object.parentId;
  return object.parentId !== undefined && object.parentId !== topIdOf(resource.kind, input.observed);
}
