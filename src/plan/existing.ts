import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { ChangeAtRisk, Loss } from '../kind/lifecycle.ts';
import { fieldPath, takesNull, valueAt } from '../kind/wire.ts';
import { resolveField } from '../manifest/fields.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { withGaps } from '../manifest/wanted.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { fromContext } from '../observe/observed.ts';
import type { Action, AttributeChange } from './action.ts';
import { resourceAction } from './action-for.ts';
import { creation } from './creation.ts';
import { diffResource } from './diff.ts';
import type { Planning, PlanInput } from './input.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { takeAway } from './removal.ts';
import { weigh } from './risks.ts';
import { updateSteps } from './steps.ts';

/** Plans an object that the platform has: taken over, changed, moved, replaced, or left as it is. */
export function planExisting(
  input: Planning,
  resource: Resource,
  object: ObservedObject,
  parent: Action | undefined,
): Action {
  const { kind, address } = resource;
  const { move } = kind.operations;
  const { provided, createBeforeDestroy } = kind.lifecycle ?? {};
  const isAdoption = object.foundBy === 'key' || object.foundBy === 'pin';
  const record = input.state.resources[address];
  const base = { ...resourceAction(resource, parent, record, isAdoption ? 'first managed' : 'edit'), id: object.id };
  const { notes } = base;
  const isProvided = object.isProvided && (provided?.allows === 'update' || object.foundBy !== 'id');
  const {
    attributes,
    changes: written,
    diagnostics,
  } = diffResource({
    resource,
    row: object.row,
    // What was settled with another object says nothing of this one.
    pairs: isAdoption ? {} : knownPairs(record),
    isProvided,
    outputs: input.outputs,
    digests: input.digests,
  });
  notes.push(...diagnostics);
  const changes = [...written, ...base.changes];
  const refuse = (message: string, remedy: string) =>
    notes.push(diagnostic('cannot-change', message, { remedy, address, position: base.position }));
  if (isProvided && provided?.allows === 'nothing') {
    refuse(`${address} is the one that the platform made by itself`, 'Remove the block: it is not to be managed.');
  }
  const isElsewhere = isBelowAnother(input, resource, object, parent);
  if (isElsewhere && (move === undefined || isAdoption)) {
    refuse(
      `${address} belongs to another ${resource.parent === undefined ? 'project or organization' : 'parent'} on the platform`,
      move === undefined && resource.parent !== undefined
        ? `The platform cannot move a ${kind.kind}: remove the entry of moved:, so that it is deleted and created.`
        : 'Declare it where it is, or correct id:.',
    );
  }
  if (changes.some((change) => change.forcesReplacement)) {
    const made = creation(input, resource, notes);
    const gone = takeAway(input, base, object, { action: 'replace', parent });
    if (resource.pinned !== undefined) {
      refuse(`${address} is pinned to ${object.id}, and the change needs a new object`, 'Remove id: first.');
    }
    const { unless } = createBeforeDestroy ?? {};
    const isKept =
      unless !== undefined && resource.fields[unless] !== undefined && !changes.some(({ path }) => path === unless);
    // The old one goes by an action of its own, when nothing of the manifest uses it any more.
    const old = createBeforeDestroy !== undefined && !isKept ? { createsBeforeDestroy: true, id: undefined } : gone;
    return { ...base, ...made, action: 'replace', createsObject: true, changes, ...old };
  }
  const moveTo = isElsewhere ? resource.parent : undefined;
  const { steps, notes: said } = updateSteps({ resource, attributes }, object.row, moveTo);
  for (const message of said) notes.push(diagnostic('not-effective', message, { address }));
  for (const { operation, members } of steps) {
    for (const [name, from] of Object.entries(members)) {
      if (from.is !== 'as read' || takesNull(operation, name) || (valueAt(object.row, from.from) ?? null) !== null)
        continue;
      const path = fieldPath(kind, name);
      refuse(`${path}: the platform has none, and ${operation} cannot go without`, `Declare ${path}.`);
    }
  }
  const madeWith = provided?.allows === 'update' ? provided.madeWith : {};
  const overwrites = attributes.some(
    ({ attribute, decision, before }) =>
      (decision.do === 'write' || decision.do === 'remove') &&
      ![null, '', madeWith[attribute.field]].includes(before.reveal()),
  );
  const isUpdate = steps.length > 0 || base.changes.length > 0;
  const isProtected = base.protect === true || parent?.protect === true;
  const lost = lossesOf(kind, attributes, { row: object.row, outputs: input.outputs });
  const { dataAtRisk, warnings } = weigh(lost, { address, position: base.position, isProtected });
  notes.push(...warnings);
  return {
    ...base,
    action: isAdoption ? 'adopt' : isElsewhere ? 'move' : isUpdate ? 'update' : 'no-op',
    attributes,
    changes,
    steps,
    dataAtRisk,
    needsConsent: object.foundBy === 'key' && (overwrites || !object.isProvided),
  };
}

/** The data that new values of fields put at risk. */
function lossesOf(
  { lifecycle: { changeAtRisk } = {} }: Kind,
  attributes: readonly AttributeChange[],
  { row, outputs }: { readonly row: Row; readonly outputs: Outputs },
): Loss[] {
  if (changeAtRisk === undefined) return [];
  const changes = attributes.flatMap(({ attribute, field, decision, wanted, before }) => {
    if (decision.do !== 'write' || wanted === undefined || attribute.key !== undefined) return [];
    const resolved = resolveField(field, wanted, outputs);
    const after = resolved.is === 'known' ? resolved.value : withGaps(wanted, outputs);
    return [{ name: attribute.field, before: before.reveal(), after }];
  });
  if (changes.length === 0) return [];
  const next = { ...row, ...Object.fromEntries(changes.map(({ name, after }) => [name, after])) };
  const sorts = Object.entries(changeAtRisk) as [Loss['of'], Readonly<Record<string, ChangeAtRisk>>][]; // of its type
  return sorts.flatMap(([of, risks]) =>
    changes.flatMap(({ name, before, after }) => {
      const what = Object.hasOwn(risks, name) ? risks[name]?.({ before, after, row, next }) : undefined;
      return what === undefined ? [] : [{ of, what }];
    }),
  );
}

/** Whether the object has another parent on the platform than in the manifest. */
function isBelowAnother(
  input: PlanInput,
  resource: Resource,
  object: ObservedObject,
  parent: Action | undefined,
): boolean {
  const { link } = resource;
  if (resource.parent !== undefined) return parent?.id === undefined || parent.id !== object.parentId;
  const own = fromContext(link.set[link.idAt], input.observed) ?? input.observed.organizationId;
  return object.parentId !== undefined && own !== object.parentId;
}
