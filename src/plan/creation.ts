import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Attribute, attributeField, attributeName, pathOf } from '../kind/attribute.ts';
import { type Json, same } from '../formats/json.ts';
import { groupBy } from '../kind/group.ts';
import { choosesId, fieldPath, saidAtCreate } from '../kind/row-values.ts';
import { missingAtCreation, missingPosition } from '../manifest/required.ts';
import { type Resource, wantedAttributes } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import { type Wanted, knownValue } from '../manifest/wanted.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { secret } from '../secrets/secret.ts';
import { pendingCreate } from '../state/pending-operation.ts';
import type { StateRecord } from '../state/record.ts';
import { type Action, type Change, type AttributeChange, createsObject } from './action.ts';
import { resourceTarget } from './action-target.ts';
import { changeOf } from './attribute-change.ts';
import type { Planning, PlanInput } from './input.ts';
import { planPending } from './not-listed.ts';
import { planDeletion } from './deletion.ts';
import { absent } from './shown-values.ts';
import { standingOf } from './standing.ts';
import { createSteps, updateSteps } from './steps.ts';

/** Plans an object that is not there, or that goes with its old parent. */
export function planCreation(
  input: Planning,
  resource: Resource,
  object: ObservedObject | undefined,
  parent: Action | undefined,
): Action {
  const { kind, address } = resource;
  const record = input.state.resources[address];
  if (object === undefined && parent !== undefined && createsObject(parent) && isProvidedWith(resource)) {
    return planComing(input, resource, parent);
  }
  const { listedOnce } = kind.identity;
  const isPending = object === undefined && record?.id === null;
  if (isPending && listedOnce !== undefined) return planPending(input, resource, parent, listedOnce);
  const base = resourceTarget(resource, parent, record, 'create');
  const made = creation(input, resource);
  const planned = {
    steps: made.steps,
    ...base,
    attributes: made.attributes,
    // A new object has no value in a field that is declared to have none.
    changes: [...made.changes.filter(({ after }) => after.is !== 'absent'), ...base.changes],
    notes: [
      ...base.notes,
      ...(isPending ? [unfound(resource, record)] : []),
      ...(record === undefined ? perhapsSecond(resource) : []),
      ...made.notes,
    ],
  };
  if (object === undefined) return { action: 'create', teardown: [], ...planned };
  const gone = planDeletion(input, base, object, { action: 'replace', parent });
  return {
    ...planned,
    action: 'replace',
    order: 'delete first',
    ...(kind.lifecycle?.deletedWithParent === true
      ? { by: 'parent', teardown: [] }
      : { by: 'request', teardown: gone.teardown }),
    holds: gone.holds,
    replaced: [],
    isRequested: false,
    id: object.id,
    notes: [...planned.notes, ...gone.notes],
    // A service speaks for what is below it; an environment has no data of its own.
    dataAtRisk: parent?.dataAtRisk === undefined ? gone.dataAtRisk : undefined,
  };
}

/** The warning that an earlier run was about to create an object, which is not found. */
function unfound({ address }: Resource, record: StateRecord | undefined): Diagnostic {
  const sends = pendingCreate(record)?.sends ?? 1;
  const attempt = sends === 1 ? '' : ` (attempt ${sends})`;
  const message = `${address} was about to be created${attempt} when an earlier run ended; it is not found and is created now`;
  const remedy = 'If its name was changed since, look for the old one on the platform.';
  return diagnostic('unverified', message, { remedy, address });
}

/** The warning that an object which the platform lists late may be there already. */
function perhapsSecond(resource: Resource): Diagnostic[] {
  const { address, kind } = resource;
  const { listedOnce } = kind.identity;
  if (listedOnce === undefined) return [];
  const message = `the platform lists ${address} only once ${listedOnce}: if an earlier state had it, this creates a second one`;
  const remedy = `Look under Git on the platform. If it is there, connect it, or adopt it: trueup import ${address} <id>.`;
  return [diagnostic('duplicate', message, { remedy, address, position: position(resource.at) })];
}

/** Whether the platform makes the object of a resource along with its parent. */
function isProvidedWith({ kind, fields }: Resource): boolean {
  const { provided } = kind.lifecycle ?? {};
  const comesWith = provided?.allows === 'update' ? provided.comesWith : undefined;
  if (comesWith === undefined) return false;
  return Object.entries(comesWith).every(([name, value]) => {
    const wanted = fields[name];
    return wanted !== undefined && same(knownValue(wanted) ?? null, value);
  });
}

/** Plans an object that the platform makes along with its parent: it is adopted and updated, never created. */
function planComing(input: Planning, resource: Resource, parent: Action): Action {
  const { kind, address } = resource;
  const base = resourceTarget(resource, parent, input.state.resources[address], 'first managed');
  const made = creation(input, resource);
  const { provided } = kind.lifecycle ?? {};
  const { fixed = [], madeWith = {} } = provided?.allows === 'update' ? provided : {};
  const attributes = made.attributes.map((one): AttributeChange => {
    const { field, key } = one.attribute;
    if (fixed.includes(field)) return { ...one, decision: { do: 'nothing', settled: true } };
    return key === undefined && Object.hasOwn(madeWith, field)
      ? { ...one, before: secret(madeWith[field] ?? null) }
      : one;
  });
  const { steps } = updateSteps({ resource, attributes }, {}, undefined);
  const changes = [...made.changes.filter(({ path }) => !fixed.includes(path)), ...base.changes];
  const notes = [...base.notes, ...made.notes];
  const planned = { ...base, attributes, changes, notes, teardown: [], steps } as const;
  return { ...planned, action: 'adopt', from: 'parent', needsConsent: false };
}

/** The creation of an object. Notes what prevents it: members that create needs, secrets that this run lacks. */
export function creation(input: Planning, resource: Resource) {
  const { kind, address } = resource;
  const notes: Diagnostic[] = [];
  const lacking: [string, { readonly attribute: Attribute; readonly wanted: Wanted }][] = [];
  const attributes: AttributeChange[] = [];
  const changes: Change[] = [];
  for (const { attribute, wanted } of wantedAttributes(resource)) {
    const field = attributeField(kind, attribute);
    if (wanted.missing.length > 0) lacking.push([wanted.missing.join(', '), { attribute, wanted }]);
    const digest = input.digests(address, attributeName(attribute));
    const standing = standingOf({ field, wanted, observed: null, pair: undefined, digest, outputs: input.outputs });
    const planned = { attribute, field, wanted, standing, decision: creates, before: nothing, pair: undefined };
    attributes.push(planned);
    changes.push(...changeOf(resource, planned, input));
  }
  for (const [names, all] of groupBy(lacking)) {
    const [first] = all;
    if (first === undefined) continue;
    const { missing, at } = first.wanted;
    const paths = all.map(({ attribute }) => pathOf(kind, attribute)).join(', ');
    const message = `${paths}: ${all.length === 1 ? 'needs' : 'need'} ${names}, which this run does not have`;
    const remedy = input.howToGive(missing);
    notes.push(diagnostic('secret-missing', message, { remedy, address, position: position(at) }));
  }
  for (const [name, value] of saidAtCreate(kind)) {
    if (resource.fields[name] !== undefined || resource.link.set[name] !== undefined) continue;
    const after = { is: 'value', value } as const;
    const path = fieldPath(kind, name);
    changes.push({ path, cause: 'create', before: absent, after, atDeploy: false, forcesReplacement: false });
  }
  const steps = createSteps({ resource, attributes }, input.observed, chooseId(input, resource));
  const missing = missingAtCreation(resource);
  const about = { address, position: position(resource.at) };
  if (kind.operations.create === undefined) {
    const message = `the platform has no such ${kind.kind}, and ${kind.operations.cannot?.create ?? 'no operation makes one'}`;
    const removal = 'Make it there and apply again, pin an existing one with id:, or remove the block.';
    notes.push(diagnostic('cannot-create', message, { ...about, removal }));
  }
  if (missing.length > 0) {
    const names = missing.map((name) => fieldPath(kind, name)).join(', ');
    const remedy = `Add ${names}, or id: if it exists under another name.`;
    const where = { address, position: missingPosition(resource, missing) };
    notes.push(diagnostic('cannot-create', `${address} cannot be created without ${names}`, { ...where, remedy }));
  }
  // An array that grew holds room for more.
  return { attributes: [...attributes], changes, steps, notes };
}

/** The same for every attribute of every new object. */
const creates = { do: 'write', cause: 'create' } as const;
const nothing = secret<Json>(null);

/**
 * The id of a new object, where Trueup chooses it: that of a pending create, which can be repeated with it; else one that
 * no earlier version of the state gave to any object. A late deletion would take a new object with an id used before.
 */
function chooseId({ digests, observed, state }: PlanInput, { kind, address }: Resource): string | undefined {
  if (!choosesId(kind)) return undefined;
  const record = observed.objects.has(address) ? undefined : state.resources[address];
  if (typeof record?.id === 'string' && pendingCreate(record) !== undefined) return record.id;
  const present = observed.objects.get(address)?.id;
  const chosen = (more: number) => digests(address, '(id)')([state.serial, present, more].join(' ')).slice(-21);
  let more = 0;
  // A state that was lost begins to count again.
  while (observed.listed.has(chosen(more))) more++;
  return chosen(more);
}
