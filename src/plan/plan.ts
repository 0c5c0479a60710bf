import { maxRequestBytes } from '../api/request.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { oldAddress, replacedAddress } from '../kind/address.ts';
import { choosesId, fieldPath, outputValue } from '../kind/wire.ts';
import { dependencies } from '../graph/order.ts';
import type { Part, Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Outputs, Wanted } from '../manifest/wanted.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { fromContext } from '../observe/observed.ts';
import { seal } from '../secrets/sealed.ts';
import type { Action, Change, Plan, PlannedPart } from './action.ts';
import { isMade, isMadeFirst } from './action.ts';
import { diffResource, partField, pathOf, resolveField, summaryOf, waits } from './diff.ts';
import { showWanted } from './shown.ts';
import type { PlanInput } from './input.ts';
import { planRemoval, protectOf, takeAway } from './removal.ts';
import { possibleRenames } from './renames.ts';
import { bodySize, createSteps, updateSteps } from './steps.ts';

/** Computes what has to be done so that the platform is what the manifest says. Pure: it asks nobody. */
export function buildPlan(input: PlanInput): Plan {
  const { observed, state, kinds } = input;
  const actions = new Map<string, Action>();
  const outputs: Outputs = ({ address, output }) => {
    const source = actions.get(address);
    const object = observed.objects.get(address);
    if (source === undefined || object === undefined || isMade(source)) return undefined;
    return outputValue(source.kind, output, object.id, object.row);
  };
  for (const resource of input.resources) {
    const parent = resource.parent === undefined ? undefined : actions.get(resource.parent);
    const object = observed.objects.get(resource.address);
    const action =
      object === undefined || goesWithOld(parent, object)
        ? planCreation(input, resource, object, parent, outputs)
        : planExisting(input, resource, object, parent, outputs);
    const notes = [...action.notes, ...tooLarge(action), ...waitsFor(action, actions)];
    actions.set(resource.address, { ...action, notes });
  }
  const kindsByName = new Map(kinds.map((kind) => [kind.kind, kind]));
  // Parents before children, so that a child knows whether its parent goes too.
  const left = Object.entries(state.resources).filter(([address]) => !actions.has(address));
  for (const [address, record] of left.toSorted(([a], [b]) => a.length - b.length)) {
    const kind = kindsByName.get(record.kind);
    if (kind !== undefined) actions.set(address, planRemoval(input, kind, address, record, actions));
  }
  const { objects, planned } = withOldOnes(input, actions);
  return {
    base: state,
    saved: input.saved,
    observed: { ...observed, objects },
    actions: planned,
    diagnostics: possibleRenames(planned),
  };
}

/** Adds, for replacements that make the new object first, the deletion of the old one when nobody uses it any more. */
function withOldOnes(input: PlanInput, actions: ReadonlyMap<string, Action>) {
  const objects = new Map(input.observed.objects);
  const planned: Action[] = [];
  for (const action of actions.values()) {
    const object = objects.get(action.address);
    planned.push(action);
    if (!isMadeFirst(action) || object === undefined) continue;
    let old = oldAddress(action.address);
    while (actions.has(old)) old = oldAddress(old);
    objects.delete(action.address);
    objects.set(old, object);
    // What protects it is said of the action itself.
    const {
      kind,
      parent,
      options: { protect: _, ...options },
    } = action;
    const record = { kind: kind.kind, id: object.id, parent: parent ?? null, dependsOn: [], pairs: {}, options };
    planned.push(planRemoval({ ...input, observed: { ...input.observed, objects } }, kind, old, record, actions));
  }
  return { objects, planned: planned.map((action) => ({ ...action, ...following(action, planned) })) };
}

/** What has to be repointed before the old object of a replacement goes. */
function following({ address, action }: Action, planned: readonly Action[]): { follows?: string[] } {
  const successor = replacedAddress(address);
  if (successor === undefined || action !== 'delete') return {};
  return {
    follows: planned.flatMap((other) =>
      other.action !== 'delete' && (other.address === successor || other.dependsOn.includes(successor))
        ? [other.address]
        : [],
    ),
  };
}

/** Says of what depends on something that the platform does not list yet that it has to wait. */
function waitsFor({ address, dependsOn }: Action, actions: ReadonlyMap<string, Action>): Diagnostic[] {
  return dependsOn.flatMap((need) => {
    const other = actions.get(need);
    if (other?.kind.listedOnce === undefined || other.id !== undefined) return [];
    const message = `${address} waits for ${need}: its id is known only once ${other.kind.listedOnce}`;
    return [
      diagnostic('pending', message, {
        address,
        remedy: 'Apply again after that; until then what needs the id fails.',
      }),
    ];
  });
}

/** What one request cannot carry is said before anything is sent. */
function tooLarge({ address, position: at, steps }: Action): Diagnostic[] {
  return steps
    .filter((step) => bodySize(step) > maxRequestBytes)
    .map((step) =>
      diagnostic('too-large', `${address}: ${step.operation} would carry ${bodySize(step)} bytes`, {
        remedy: `The platform takes at most ${maxRequestBytes} bytes in one request. Make the file smaller.`,
        address,
        position: at,
      }),
    );
}

/** Whether an object goes because the parent that it is below is replaced. */
function goesWithOld(parent: Action | undefined, object: ObservedObject): boolean {
  return parent?.action === 'replace' && parent.id === object.parentId;
}

/** Says what stands in the way of making the object: members that create needs, secrets that this run does not have. */
function creation(input: PlanInput, resource: Resource, outputs: Outputs, notes: Diagnostic[]) {
  const { kind, address } = resource;
  const parts: PlannedPart[] = [];
  const changes: Change[] = [];
  for (const { part, wanted } of wantedParts(resource)) {
    const field = partField(kind, part);
    const resolved = resolveField(field, wanted, outputs);
    const path = pathOf(kind, part);
    if (resolved.is === 'unavailable') {
      notes.push(
        diagnostic('secret-missing', `${path}: needs ${resolved.secrets.join(', ')}, which this run does not have`, {
          remedy: `Set ${resolved.secrets.map((name) => `TRUEUP_SECRET_${name}`).join(', ')} for this run.`,
          address,
          position: position(wanted.at),
        }),
      );
    }
    parts.push({
      part,
      field,
      wanted,
      decision: { do: 'write', cause: 'create' },
      before: seal(null),
      pair: undefined,
    });
    changes.push({
      path,
      cause: 'create',
      before: { is: 'absent' },
      after: showWanted(field, wanted, resolved),
      ...summaryOf(field, null, resolved),
      position: position(wanted.at),
      atDeploy: waits(resource, field),
      forcesReplacement: false,
    });
  }
  const { steps, missing } = createSteps({
    resource,
    context: input.observed,
    parts,
    chosenId: chooseId(input, resource),
  });
  if (kind.calls.create === undefined) {
    notes.push(
      diagnostic(
        'cannot-create',
        `the platform has no such ${kind.kind}, and ${kind.cannot?.create ?? 'no operation makes one'}`,
        {
          remedy: 'Make it there and apply again, pin an existing one with id:, or remove the block.',
          address,
          position: resourcePosition(resource),
        },
      ),
    );
  }
  if (missing.length > 0) {
    const names = missing.map((name) => fieldPath(kind, name)).join(', ');
    notes.push(
      diagnostic('cannot-create', `${address} cannot be created without ${names}`, {
        remedy: `Add ${names}, or id: if it exists under another name.`,
        address,
        position: resourcePosition(resource),
      }),
    );
  }
  return { parts, changes, steps };
}

/**
 * The id of a new object, where it is ours to choose: that of an earlier run which may have sent it, so that the create
 * can be repeated; else one that no version of the state before this one can have given to anything.
 */
function chooseId({ digest, observed, state }: PlanInput, { kind, address }: Resource): string | undefined {
  if (!choosesId(kind)) return undefined;
  const intended = observed.objects.has(address) ? undefined : state.resources[address]?.id;
  return intended ?? digest(`id of ${address} in ${state.serial}`).slice(0, 21);
}

/** Plans an object that is not there, or that goes with its old parent. */
function planCreation(
  input: PlanInput,
  resource: Resource,
  object: ObservedObject | undefined,
  parent: Action | undefined,
  outputs: Outputs,
): Action {
  const { kind, address } = resource;
  const notes: Diagnostic[] = [];
  const isIntended = object === undefined && input.state.resources[address]?.id === null;
  if (isIntended && kind.listedOnce !== undefined) return planPending(resource, parent, kind.listedOnce);
  if (isIntended) {
    notes.push(
      diagnostic(
        'unverified',
        `${address} was about to be created when an earlier run ended; it is not found and is created now`,
        {
          remedy: 'If its name was changed since, look for the old one on the platform.',
          address,
        },
      ),
    );
  }
  const made = creation(input, resource, outputs, notes);
  const gone =
    object === undefined ? undefined : takeAway(input, kind, address, object, resource.options, 'replace', notes);
  return {
    ...common(resource, parent, notes),
    ...made,
    action: gone === undefined ? 'create' : 'replace',
    id: object?.id,
    teardown: gone === undefined || kind.goesWithParent === true ? [] : gone.steps,
    dataAtRisk: undefined, // its parent speaks for it
    needsConsent: false,
  };
}

/** Plans an object that was created and that the platform does not list yet: nothing is to be done. */
function planPending(resource: Resource, parent: Action | undefined, until: string): Action {
  const { address } = resource;
  const notes = [
    diagnostic('pending', `${address} was created and is listed only once ${until}`, {
      remedy: 'If the platform does not have it, remove the block, apply, and put it back.',
      address,
      position: resourcePosition(resource),
    }),
  ];
  const nothing = { id: undefined, changes: [], teardown: [], steps: [], parts: [] };
  return {
    ...common(resource, parent, notes),
    ...nothing,
    action: 'no-op',
    dataAtRisk: undefined,
    needsConsent: false,
  };
}

function planExisting(
  input: PlanInput,
  resource: Resource,
  object: ObservedObject,
  parent: Action | undefined,
  outputs: Outputs,
): Action {
  const { kind, address } = resource;
  const isAdoption = object.foundBy === 'key' || object.foundBy === 'pin';
  const isProvided = object.isProvided && (kind.provided?.allows === 'update' || object.foundBy !== 'id');
  const { parts, changes, diagnostics } = diffResource({
    resource,
    row: object.row,
    // What was settled with another object says nothing of this one.
    pairs: isAdoption ? {} : (input.state.resources[address]?.pairs ?? {}),
    isProvided,
    outputs,
    digest: input.digest,
  });
  const notes: Diagnostic[] = [...diagnostics];
  const report = (message: string, remedy: string) =>
    notes.push(diagnostic('cannot-change', message, { remedy, address, position: resourcePosition(resource) }));
  if (isProvided && kind.provided?.allows === 'nothing') {
    report(`${address} is the one that the platform made by itself`, 'Remove the block: it is not to be managed.');
  }
  const isElsewhere = isBelowAnother(input, resource, object, parent);
  if (isElsewhere && (kind.calls.move === undefined || isAdoption)) {
    report(
      `${address} belongs to another parent on the platform`,
      kind.calls.move === undefined
        ? `The platform cannot move a ${kind.kind}: remove the entry of moved:, so that it is deleted and created.`
        : 'Declare it where it is, or correct id:.',
    );
  }
  const base = { ...common(resource, parent, notes), id: object.id, needsConsent: false };
  if (changes.some((change) => change.forcesReplacement)) {
    const made = creation(input, resource, outputs, notes);
    const gone = takeAway(input, kind, address, object, resource.options, 'replace', notes);
    const replaced = { ...base, ...made, action: 'replace', changes } as const;
    const { unless } = kind.createsFirst ?? { unless: kind.id };
    // The old one goes by an action of its own, when nobody uses it any more.
    return kind.createsFirst !== undefined && (unless === undefined || resource.fields[unless] === undefined)
      ? { ...replaced, id: undefined, teardown: [], dataAtRisk: undefined }
      : { ...replaced, teardown: gone.steps, dataAtRisk: gone.dataAtRisk };
  }
  const { steps, notes: said } = updateSteps(
    { resource, context: input.observed, parts, chosenId: undefined },
    { row: object.row, moveTo: isElsewhere ? resource.parent : undefined },
  );
  for (const message of said) notes.push(diagnostic('not-effective', message, { address }));
  const overwrites = parts.some(
    ({ part, decision, before }) =>
      (decision.do === 'write' || decision.do === 'remove') &&
      ![null, '', kind.provided?.madeWith?.[part.field]].includes(before.reveal()),
  );
  return {
    ...base,
    action: isAdoption ? 'adopt' : isElsewhere ? 'move' : steps.length > 0 ? 'update' : 'no-op',
    parts,
    changes,
    teardown: [],
    steps,
    dataAtRisk: undefined,
    needsConsent: object.foundBy === 'key' && (overwrites || !object.isProvided),
  };
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
  const own = fromContext(link.set[link.idAt], input.observed);
  return own !== undefined && own !== object.parentId;
}

function common(resource: Resource, parent: Action | undefined, notes: Diagnostic[]) {
  return {
    address: resource.address,
    lane: resource.link.rows === 'whole' && parent !== undefined ? parent.lane : resource.address,
    kind: resource.kind,
    parent: resource.parent,
    dependsOn: dependencies(resource),
    options: resource.options,
    notes,
    protect: protectOf(resource.options),
    position: resourcePosition(resource),
  };
}

function* wantedParts(resource: Resource): Generator<{ part: Part; wanted: Wanted }> {
  for (const [field, wanted] of Object.entries(resource.fields)) yield { part: { field }, wanted };
  for (const [field, entries] of Object.entries(resource.maps)) {
    for (const [key, wanted] of entries) yield { part: { field, key }, wanted };
  }
}
