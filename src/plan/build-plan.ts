import { attempts } from '../api/attempts.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { safeguards } from '../diagnostics/safeguards.ts';
import type { Row } from '../formats/json.ts';
import { dependencies } from '../graph/order.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { wasThere } from '../state/pending-operation.ts';
import { objectDigest } from './find-acceptance.ts';
import { keep } from './action-target.ts';
import {
  type Action,
  type Narrowed,
  type Plan,
  createsObject,
  isChange,
  isCreation,
  isDeletion,
  outputsOf,
} from './action.ts';
import { planCreation } from './creation.ts';
import { planExisting } from './existing.ts';
import { asPlatformHasIt } from './appended-text.ts';
import { withoutCarriedOver } from './carried-data.ts';
import { waitingInCircle } from './circle.ts';
import type { Planning, PlanInput } from './input.ts';
import { withOrigins } from './moved-addresses.ts';
import { choose, isNarrow, leaveOut, leftOutOf, unreadAction } from './narrow.ts';
import { withDeployments } from './plan-deployments.ts';
import { withUsers } from './in-use.ts';
import { emptiedEnvironment, massDeletions } from './mass-deletion.ts';
import { vanished } from './vanished.ts';
import { oldSecretNotes, oldSecrets } from './old-secrets.ts';
import { otherManifest } from './other-manifest.ts';
import { awaitedIn, deferred } from './not-listed.ts';
import { isBelowDeleted } from './relations.ts';
import { planRemoval } from './removal.ts';
import { possibleRenames } from './possible-renames.ts';
import { withoutFailedChanges } from './failed-change.ts';
import { withDeposed } from './deposed.ts';
import { misspeltKeys } from './misspelt.ts';
import { withRemovedFolders } from './removed-folders.ts';
import { withRestores } from './restores.ts';
import { withSeeds } from './seeds.ts';
import { similarNames } from './similar.ts';
import { bodySize } from './steps.ts';
import { unservedKind, unservedRecords } from './unserved.ts';

/** The passes over the actions of all objects that stay in a plan. */
const passes: readonly ((planning: Planning, actions: readonly Action[]) => readonly Action[])[] = [
  withUsers,
  withoutCarriedOver,
  withoutFailedChanges,
  withDeployments,
  withRemovedFolders,
  withRestores,
  withSeeds,
];

/** Computes the actions that make the platform match the manifest. Pure: it sends nothing. */
export function buildPlan(input: PlanInput): Plan {
  const { observed, state } = input;
  const actions = new Map<string, Action>();
  const planning = { ...input, outputs: outputsOf(actions, observed.objects) };
  const declared = new Map(input.resources.map((resource) => [resource.address, resource]));
  for (const resource of input.resources)
    actions.set(resource.address, planDeclared(planning, resource, { actions, declared }));
  for (const [address, action] of removals(input, actions)) actions.set(address, action);
  const unserved = unservedRecords(input, actions);
  const whole = withDeposed(input, actions);
  const narrowed = isNarrow(input.narrowing) ? narrow(planning, whole) : undefined;
  const { objects, planned: chosen } = narrowed ?? whole;
  const withOld = { ...planning, observed: { ...observed, objects } };
  const planned = passes.reduce<readonly Action[]>((before, pass) => pass(withOld, before), chosen);
  const misspelt = misspeltKeys(planned, observed, input.redact);
  const about = narrowed?.about(planned);
  return {
    base: state,
    saved: input.saved,
    observed: withOld.observed,
    destroys: input.destroys,
    narrowed: about,
    actions: withOrigins(planned, input.origins),
    diagnostics: [
      ...(narrowed?.errors ?? []),
      ...(about === undefined ? [] : oldSecretNotes(about)),
      ...waitingInCircle({ actions: planned, base: state, observed: withOld.observed }),
      ...unserved,
      ...misspelt.diagnostics,
      ...possibleRenames(planned, { resources: state.resources, objects, isExplained: misspelt.covers }),
      ...similarNames(planned, observed),
      ...(input.destroys ? [] : vanished(planned, state, observed.objects)),
      ...(input.destroys ? [] : judgeDeletions(input, { whole, planned, objects })),
    ],
  };
}

/** Plans a declared resource, after everything that it depends on. */
function planDeclared(
  planning: Planning,
  written: Resource,
  {
    actions,
    declared,
  }: { readonly actions: ReadonlyMap<string, Action>; readonly declared: ReadonlyMap<string, Resource> },
): Action {
  const { observed, state, outputs } = planning;
  const { address } = written;
  const parent = actions.get(written.parent ?? '');
  const record = state.resources[address];
  if (record !== undefined && observed.unread.has(address)) return unreadAction(written, record, parent);
  const above = parent === undefined || createsObject(parent) ? undefined : observed.objects.get(parent.address)?.row;
  const { resource, notes: unknown } = asPlatformHasIt(written, declared.get(written.parent ?? ''), above, outputs);
  const object = observed.objects.get(address);
  const awaited = awaitedIn(dependencies(resource), actions);
  const action =
    object === undefined || isBelowDeleted(parent, object)
      ? planCreation(planning, resource, object, parent)
      : planExisting(planning, resource, object, { parent, awaited });
  const more = [...unknown, ...tooLarge(action, object?.row, outputs)];
  const noted = more.length === 0 ? action : { ...action, notes: [...action.notes, ...more] };
  return deferred(leftMissing(planning, noted), awaited);
}

/** Plans what the state has and the manifest does not declare: parents first, so that a child knows whether its parent goes. */
function* removals(input: PlanInput, actions: ReadonlyMap<string, Action>): Iterable<readonly [string, Action]> {
  const kindsByName = new Map(input.kinds.map((kind) => [kind.kind, kind]));
  const left = Object.entries(input.state.resources).filter(([address]) => !actions.has(address));
  for (const [address, record] of left.toSorted(([a], [b]) => a.length - b.length)) {
    const kind = kindsByName.get(record.kind) ?? unservedKind(input, record, actions);
    if (kind !== undefined) yield [address, planRemoval(input, { kind, address, record }, actions)];
  }
}

/** Holds the creation of an object back whose absence a person accepted. */
function leftMissing({ accepting, narrowing, state, observed }: PlanInput, action: Action): Action {
  const { address, kind, position } = action;
  const record = state.resources[address];
  if (!isCreation(action) || observed.objects.has(address) || !wasThere(record)) return action;
  const { id: objectId } = record;
  const digest = objectDigest(accepting.digests, objectId, 'missing');
  const accepted = accepting.of({ kind: kind.kind, objectId }, digest);
  if (accepted === undefined) return action;
  const { by, until, because, over } = accepted;
  const about = { address, position };
  if (over || narrowing.includesAccepted === true) {
    const message = `${address}: ${by} accepted until ${until} that it is missing${over ? ', which has passed' : ''}`;
    const note = diagnostic('acceptance-over', `${message}; apply creates it`, about);
    return { ...action, notes: [...action.notes, note] };
  }
  const message = `${address}: ${by} accepted until ${until} that it is missing: ${because}`;
  const remedy = 'To create it now: --include-accepted.';
  return keep({ ...action, notes: [diagnostic('accepted', message, { ...about, remedy })] }, 'held');
}

/**
 * What a plan deletes beyond what one edit means, or as that of another manifest. A plan with targets deletes what they name. One with exclusions only is
 * made of all the others: where the whole plan deletes everything, the manifest is not the one that was meant.
 */
function judgeDeletions(
  input: PlanInput,
  {
    whole,
    planned,
    objects,
  }: { whole: Narrowable; planned: readonly Action[]; objects: ReadonlyMap<string, ObservedObject> },
): Diagnostic[] {
  const { state, narrowing } = input;
  const { targets, excludes } = narrowing;
  const isProvided = (address: string) => objects.get(address)?.isProvided === true;
  const all = massDeletions(planned, state, isProvided, input.ownEnvironment);
  const isOfEverything = ({ code }: Diagnostic) => code === safeguards.everything.code;
  const deletesEverything = all.some(isOfEverything);
  const own = deletesEverything ? all : [...emptiedEnvironment(planned, state, input.ownEnvironment), ...all];
  const isRest = targets.length === 0 && excludes.length > 0 && planned.some(isDeletion);
  const other = otherManifest(input, { actions: planned, objects, deletesEverything });
  if (!isRest || deletesEverything) return [...other, ...own];
  const ofAll = massDeletions(whole.planned, state, isProvided).filter(isOfEverything);
  const remedy = 'Look whether the manifest is whole. To delete a part of what is there, name it with --target.';
  return [
    ...ofAll.map((item) => ({ ...item, message: `without --exclude, ${item.message}`, remedy })),
    ...other,
    ...own,
  ];
}

type Narrowable = ReturnType<typeof withDeposed>;

/** Narrows a plan; reports the replacements on purpose that it leaves out. */
function narrow(planning: Planning, { objects, planned }: Narrowable) {
  const { observed, state, narrowing } = planning;
  const records = state.resources;
  const whole = withDeployments({ ...planning, observed: { ...observed, objects } }, planned);
  const { stays, needed } = choose({ actions: whole, records, objects, narrowing });
  const rest = leaveOut(planned, stays, { records, objects, observed: observed.objects });
  const { targets, excludes } = narrowing;
  return {
    objects: rest.objects,
    planned: rest.actions,
    errors: narrowing.replaces
      .filter((address) => !stays(address))
      .map((address) =>
        diagnostic('bad-reference', `--replace ${address}: the plan leaves it out`, {
          address,
          remedy: 'Add it with --target, or leave out --replace for it.',
        }),
      ),
    about: (deployed: readonly Action[]): Narrowed => {
      const done = new Set(deployed.filter(isChange).map(({ address }) => address));
      const old = oldSecrets(whole, (address) => done.has(address), planning.digests);
      const leftOut = leftOutOf(whole, deployed, needed);
      return { targets, excludes, leftOut, ...(old.length === 0 ? {} : { oldSecrets: old }) };
    },
  };
}

/** Reports each request that is larger than the platform takes. */
function tooLarge(
  { address, kind, position: at, steps }: Action,
  row: Row | undefined,
  outputs: Outputs,
): Diagnostic[] {
  return steps
    .map((step) => ({ step, size: bodySize(step, { kind, row, outputs }) }))
    .filter(({ size }) => size > attempts.request.maxBytes)
    .map(({ step, size }) =>
      diagnostic('too-large', `${address}: ${step.operation} would carry ${size} bytes`, {
        remedy: `The platform takes at most ${attempts.request.maxBytes} bytes in one request. Make the file smaller.`,
        address,
        position: at,
      }),
    );
}
