import { onceFor } from '../api/once.ts';
import { withArticle } from '../diagnostics/article.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { member } from '../formats/json.ts';
import type { ChangeAtRisk, Loss } from '../kind/lifecycle.ts';
import { fieldPath, observedValue, takesNull, valueAt } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { withGaps } from '../manifest/wanted.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { fromContext } from '../observe/observed.ts';
import type { Action, AttributeChange } from './action.ts';
import { resourceTarget, sendsNothing } from './action-for.ts';
import { creation } from './creation.ts';
import { diffResource } from './diff.ts';
import type { Planning, PlanInput } from './input.ts';
import { knownPairs } from '../state/known-pairs.ts';
import { notesOnUnproven } from './notes.ts';
import { unlisted } from './pending.ts';
import { takeAway } from './removal.ts';
import { weigh } from './risks.ts';
import { wantedAs } from './shown.ts';
import { lossAsShown, shownRow } from './shown-row.ts';
import { updateSteps } from './steps.ts';
import { writesOrRemoves } from './decide.ts';
import { wantedOf } from './standing.ts';

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
  const base = { ...resourceTarget(resource, parent, record, isAdoption ? 'first managed' : 'edit'), id: object.id };
  const { notes } = base;
  const isProvided = object.isProvided && (provided?.allows === 'update' || object.foundBy !== 'id');
  const {
    attributes,
    changes: written,
    diagnostics,
  } = diffResource({
    ...input,
    resource,
    row: object.row,
    // What was settled with another object says nothing of this one.
    pairs: isAdoption ? {} : knownPairs(record),
    unproven: isAdoption ? undefined : record?.pending?.unproven,
    isProvided,
    accepting: input.accepting && {
      ...input.accepting,
      objectId: object.id,
      isObeyed: input.narrowing.includesAccepted !== true,
    },
  });
  notes.push(...diagnostics);
  const { listedOnce } = kind.identity;
  if (listedOnce !== undefined && object.foundBy === 'key' && record?.id === null) {
    const message = `${unlisted(address, record, listedOnce)}; ${object.id} has its name and may belong to others`;
    const remedy = 'Compare the two on the platform. To keep the created one, rename the other there, and connect it.';
    notes.push(diagnostic('duplicate', message, { remedy, address, position: base.position }));
  }
  const changes = [...written, ...base.changes];
  const refuse = (message: string, next: string | { readonly removal: string }) => {
    const about = typeof next === 'string' ? { remedy: next } : next;
    notes.push(diagnostic('cannot-change', message, { ...about, address, position: base.position }));
  };
  if (isProvided && provided?.allows === 'nothing') {
    const removal = 'Remove the block: it is not to be managed.';
    refuse(`${address} is the one that the platform made by itself`, { removal });
  }
  const isElsewhere = isBelowAnother(input, resource, object, parent);
  if (isElsewhere && (move === undefined || isAdoption)) {
    refuse(
      `${address} belongs to another ${resource.parent === undefined ? 'project or organization' : 'parent'} on the platform`,
      move === undefined && resource.parent !== undefined
        ? {
            removal: `The platform cannot move ${withArticle(kind.kind)}: remove the entry of moved:, so that it is deleted and created.`,
          }
        : 'Declare it where it is, or correct id:.',
    );
  }
  const isRequested = input.narrowing.replaces.includes(address);
  const obstacle = isRequested ? whyNotAnew(kind, isAdoption, isProvided) : undefined;
  if (obstacle !== undefined) refuse(`${address} cannot be replaced: ${obstacle}`, 'Leave out --replace for it.');
  if ((isRequested && obstacle === undefined) || changes.some((change) => change.forcesReplacement)) {
    const made = creation(input, resource, notes);
    const gone = takeAway(input, base, object, { action: 'replace', parent });
    if (resource.pinned !== undefined) {
      refuse(`${address} is pinned to ${object.id}, and the change needs a new object`, {
        removal: 'Remove id: first.',
      });
    }
    const { unless } = createBeforeDestroy ?? {};
    const isKept =
      unless !== undefined && resource.fields[unless] !== undefined && !changes.some(({ path }) => path === unless);
    // The old one goes by an action of its own, when nothing of the manifest uses it any more.
    const old =
      createBeforeDestroy !== undefined && !isKept
        ? ({ order: 'create first', id: undefined, teardown: [] } as const)
        : ({ order: 'delete first', by: 'request', ...gone } as const);
    return { ...base, ...made, action: 'replace', replaced: attributes, isRequested, changes, ...old };
  }
  const moveTo = isElsewhere ? resource.parent : undefined;
  const { steps, notes: said } = updateSteps({ resource, attributes }, object.row, moveTo);
  // A request that the platform accepts proves all that the object has.
  if (steps.length === 0) notes.push(...notesOnUnproven(resource, attributes));
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
      writesOrRemoves(decision) && ![null, '', madeWith[attribute.field]].includes(before.reveal()),
  );
  // What is no longer managed leaves the state.
  const isReleased = attributes.some(({ decision }) => decision.do === 'release');
  const isUpdate = steps.length > 0 || base.changes.length > 0 || isReleased;
  const isProtected = base.protect === true || parent?.protect === true;
  const { objects } = input.observed;
  const above = objects.get(parent?.address ?? '')?.row;
  const from = isElsewhere ? rowsById(objects).get(object.parentId ?? '') : above;
  const to = { action: parent, row: above };
  const { privateKeys } = resource;
  const lost = lossesOf(input, { address, kind, attributes, privateKeys, row: object.row, from, to });
  const { dataAtRisk, warnings } = weigh(lost, { address, position: base.position, isProtected });
  notes.push(...warnings);
  const planned = { ...base, attributes, changes, dataAtRisk };
  const sends = { teardown: [], steps } as const;
  if (object.foundBy === 'key')
    return { ...planned, ...sends, action: 'adopt', from: 'key', needsConsent: overwrites || !object.isProvided };
  if (object.foundBy === 'pin') return { ...planned, ...sends, action: 'adopt', from: 'pin', needsConsent: false };
  if (isElsewhere) return { ...planned, ...sends, action: 'move' };
  if (isUpdate) return { ...planned, ...sends, action: 'update' };
  return { ...planned, ...sendsNothing, action: 'no-op', kept: 'as wanted' };
}

/** The rows of all objects by their ids. */
const rowsById = onceFor(
  (objects: Planning['observed']['objects']): ReadonlyMap<string, Row> =>
    new Map([...objects.values()].map(({ id, row }) => [id, row])),
);

/** Why an object cannot be deleted and created again on purpose; undefined when it can. */
function whyNotAnew({ kind, isTop, operations }: Kind, isAdoption: boolean, isProvided: boolean): string | undefined {
  const { create, delete: remove, cannot } = operations;
  if (isAdoption) return 'it is not ours yet, and is taken over first';
  if (isProvided) return 'the platform made it by itself';
  if (isTop === true) return 'everything in it would go; trueup destroy deletes it, and an apply creates it again';
  if (create === undefined) return cannot?.create ?? `no operation of the platform creates ${withArticle(kind)}`;
  return remove === undefined
    ? (cannot?.delete ?? `no operation of the platform deletes ${withArticle(kind)}`)
    : undefined;
}

interface Changing extends Pick<Action, 'address' | 'kind' | 'attributes'> {
  readonly privateKeys: Resource['privateKeys'] | undefined;
  readonly row: Row;
  /** The parents before and afterwards; undefined where the plan does not know them. */
  readonly from: Row | undefined;
  readonly to: { readonly action: Action | undefined; readonly row: Row | undefined };
}

/** The data that new values of fields put at risk, and new variables of the parent, or another parent. */
function lossesOf(input: Planning, changing: Changing): Loss[] {
  const { kind, attributes, row, from, to } = changing;
  const { outputs } = input;
  const { changeAtRisk } = kind.lifecycle ?? {};
  if (changeAtRisk === undefined) return [];
  const hasOther =
    from !== to.row || to.action?.attributes.some((one) => one.field.map !== undefined && isWritten(one)) === true;
  if (!hasOther && !attributes.some(isWritten)) return [];
  const sorts = Object.entries(changeAtRisk) as [Loss['of'], Readonly<Record<string, ChangeAtRisk>>][]; // of its type
  const maps = Object.entries(kind.fields).flatMap(([name, { map }]) => (map === undefined ? [] : [name]));
  const changed = attributes.filter(isWritten).map(({ attribute }) => attribute.field);
  const names = [...new Set([...changed, ...(hasOther ? maps : [])])];
  if (!names.some((name) => sorts.some(([, risks]) => Object.hasOwn(risks, name)))) return [];
  const next = rowAfter({ kind, attributes }, row, outputs);
  const parent = { row: from ?? {}, next: to.action === undefined ? {} : rowAfter(to.action, to.row ?? {}, outputs) };
  // The rows as people may see them, made when a loss has something of them.
  let shown: readonly [Row, Row] | undefined;
  const lossIn = (of: Loss['of'], name: string, [row, next]: readonly [Row, Row]): Loss | undefined => {
    const before = observedValue(kind, name, row) ?? null;
    const after = member(next, name) ?? null;
    const risks = changeAtRisk[of] ?? {};
    const found = Object.hasOwn(risks, name) ? risks[name]?.({ before, after, row, next, parent }) : undefined;
    return found === undefined ? undefined : { of, ...found };
  };
  return sorts.flatMap(([of]) =>
    names.flatMap((name) => {
      const loss = lossAsShown(lossIn(of, name, [row, next]), () => {
        shown ??= [shownRow(input, { ...changing, outputs }), shownAfter(input, changing, next)];
        return lossIn(of, name, shown);
      });
      return loss ?? [];
    }),
  );
}

function isWritten({ attribute, decision, wanted }: AttributeChange): boolean {
  return (decision.do === 'write' && wanted !== undefined) || (decision.do === 'remove' && attribute.key !== undefined);
}

/** An object as a plan leaves it. Text has gaps where it is not known yet; the variables of a map have `notKnown` there. */
function rowAfter({ kind, attributes }: Pick<Action, 'kind' | 'attributes'>, row: Row, outputs: Outputs): Row {
  const next: Record<string, unknown> = { ...row };
  const maps = new Map<string, Map<string, string>>();
  for (const one of attributes.filter(isWritten)) {
    const { attribute, decision, wanted } = one;
    const { map: codec } = kind.fields[attribute.field] ?? {};
    const resolved = wantedOf(one, outputs);
    if (attribute.key === undefined || codec === undefined) {
      const known: Outputs = (reference) => outputs(reference) ?? (codec === undefined ? undefined : notKnown);
      if (resolved?.is === 'known') next[attribute.field] = resolved.value;
      else if (wanted !== undefined) next[attribute.field] = withGaps(wanted, known);
      continue;
    }
    const text = observedValue(kind, attribute.field, row);
    const entries = maps.get(attribute.field) ?? new Map(codec.read(typeof text === 'string' ? text : ''));
    maps.set(attribute.field, entries);
    if (decision.do === 'remove') entries.delete(attribute.key);
    else entries.set(attribute.key, resolved?.is === 'known' ? String(resolved.value) : notKnown);
  }
  for (const [name, entries] of maps) next[name] = kind.fields[name]?.map?.write(entries).text ?? null;
  return next;
}

/** The same as people may see it: with marks in place of secrets. Maps stay: nothing quotes their values. */
function shownAfter(
  { outputs, values = 'usual' }: Planning,
  { attributes, privateKeys }: Pick<Changing, 'attributes' | 'privateKeys'>,
  next: Row,
): Row {
  const shown: Record<string, unknown> = { ...next };
  for (const planned of attributes.filter(isWritten)) {
    const { attribute, field } = planned;
    if (field.map !== undefined || attribute.key !== undefined) continue;
    const resolved = wantedOf(planned, outputs);
    shown[attribute.field] = wantedAs({ planned, resolved, values, outputs, privateKeys }) ?? null;
  }
  return shown;
}

/** Stands for a value that is not known before the apply: no value that is known equals it. */
const notKnown = '(not known)';

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
