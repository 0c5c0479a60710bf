import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { addressParts } from '../kind/address.ts';
import { groupBy } from '../kind/group.ts';
import { defined } from '../formats/json.ts';
import {
  type Action,
  type Change,
  type Plan,
  askedAfter,
  awaitedBy,
  becauseOf,
  comesWithParent,
  followedBy,
  isUnderWay,
  partsIn,
  countIgnored,
  createsFirst,
  goesWithParent,
  hasChanges,
  isBeside,
  isChange,
  isCompared,
  isCreation,
  isDeletion,
  isDeployment,
  isDeposed,
  isEffective,
  isIncluded,
  isLeftOut,
  isRequested,
  isRun,
  needsConsent,
  shownAddress,
} from '../plan/action.ts';
import type { Decision } from '../plan/decide.ts';
import type { ExplainedAction } from '../plan/explain-address.ts';
import { notComparedIn } from '../plan/not-compared.ts';
import { type Relations, actionsByAddress, dependentsOf } from '../plan/relations.ts';
import { rotationsIn } from '../plan/rotations.ts';
import { type Standing, lacksSecret } from '../plan/standing.ts';
import { notDeployed, overwriting, recreating, restarting, risking, underWay } from '../plan/summary.ts';
import { diagnosticJson } from '../render/diagnostics-json.ts';
import type { AddressDocument, PlanDocument } from '../render/document-schemas.ts';
import { environmentOf, isEnvironment } from '../render/places.ts';
import type { PlanAbout } from '../render/plan-head.ts';
import { countActions } from '../render/action-words.ts';

/** A plan, and what a run knows beside it. */
export interface PlanInput {
  readonly plan: Plan;
  /** Requests sent so far. */
  readonly counts: { readonly reads: number; readonly writes: number };
  /** Where it applies, and what it was made from. */
  readonly about?: PlanAbout | undefined;
  /** The permissions that the command line of an apply gives. */
  readonly allowed?: PlanDocument['allowed'];
  /** Warnings of the manifest. */
  readonly warnings?: readonly Diagnostic[];
}

type PlanAction = PlanDocument['actions'][number];

/**
 * A plan as a document: all of it, unchanged resources included, in the order of the manifest. Every view is made from it.
 * Secrets are redacted already. Takes time in proportion to the plan.
 */
export function planDocument({ plan, counts, about, allowed, warnings = [] }: PlanInput): PlanDocument {
  // What a narrowed plan leaves out is no part of it. A move in the state is made all the same.
  const actions = withDeploymentsInPlace(plan.actions.filter(isIncluded));
  const context = contextOf(plan);
  const documented = actions.map((action) => actionDocument(action, context));
  const rotated = rotationsIn(plan.actions);
  return {
    format: 'trueup/plan',
    version: 2,
    hasChanges: hasChanges(plan),
    ...(plan.destroys ? { destroys: true } : {}),
    summary: Object.fromEntries(countActions(documented)),
    ...deletesIn(documented),
    ...comparisonOf(plan),
    requests: { reads: counts.reads, writes: counts.writes },
    ...about,
    restarts: restarting(actions),
    ...(rotated.length === 0 ? {} : { rotated }),
    recreates: recreating(actions),
    waitsFor: underWay(actions),
    notDeployed: notDeployed(actions),
    overwrites: overwriting(actions),
    dataAtRisk: risking(actions),
    unmanaged: plan.observed.unmanaged.length,
    ...defined({ allowed }),
    actions: documented,
    ...defined({ narrowed: plan.narrowed }),
    diagnostics: [
      ...warnings.map((item) => ({ ...diagnosticJson(item), source: 'manifest' as const })),
      ...plan.diagnostics.map(diagnosticJson),
    ],
  };
}

/** Actions with each deployment behind everything below its service, and what runs once at the end. */
function withDeploymentsInPlace(actions: readonly Action[]): readonly Action[] {
  const deployments = new Map<string, Action>();
  for (const action of actions) if (isDeployment(action)) deployments.set(action.block, action);
  const runs = actions.filter(isRun);
  if (deployments.size === 0 && runs.length === 0) return actions;
  const others = actions.filter((action) => !isBeside(action));
  const parents = new Map(others.map(({ address, parent }) => [address, parent]));
  const last = new Map<string, number>();
  for (const [at, { address }] of others.entries())
    for (let above: string | undefined = address; above !== undefined; above = parents.get(above))
      if (deployments.has(above)) last.set(above, at);
  const behind = groupBy([...last].map(([service, at]) => [at, deployments.get(service)] as const));
  const alone = [...deployments].flatMap(([service, action]) => (last.has(service) ? [] : [action]));
  const placed = others.flatMap((action, at) => [action, ...(behind.get(at) ?? []).flatMap((one) => one ?? [])]);
  return [...placed, ...alone, ...runs];
}

/** What a plan compared with the platform, and what it did not. */
export function comparisonOf(
  plan: Pick<Plan, 'actions'>,
): Pick<PlanDocument, 'compared' | 'notCompared' | 'left' | 'ignored'> {
  const notCompared = notComparedIn(plan);
  const existing = plan.actions.filter((action) => !isLeftOut(action) && isCompared(action));
  let [declared, left] = [0, 0];
  for (const { attributes } of existing) {
    for (const { wanted, decision, standing } of attributes) {
      // A key that a person added, and that was accepted, is not declared, and differs all the same.
      if (wanted === undefined) left += decision.do === 'leave' ? 1 : 0;
      if (wanted === undefined || isUnknown(decision, standing)) continue;
      declared += 1;
      if (decision.do === 'leave' && wanted.missing.length === 0) left += 1;
    }
  }
  const fields = notCompared.filter(({ path }) => path !== undefined).length;
  return {
    compared: declared - fields,
    notCompared,
    left,
    ignored: countIgnored(plan.actions),
  };
}

/** Whether a wanted value is not known to the run. The plan has a change or an error about it. */
function isUnknown(decision: Decision, standing: Standing): boolean {
  if (decision.do === 'wait') return false; // it is among what was not compared
  return standing.declared === 'known after apply' || (decision.do === 'error' && lacksSecret(standing));
}

/** What the members of an action depend on beside itself. */
interface Context extends Pick<Relations, 'byAddress' | 'users' | 'below'> {
  readonly destroys: boolean;
  /** The addresses of what is created, by kind and key. */
  readonly created: ReadonlyMap<string, string>;
}

function contextOf({ actions, destroys, base }: Plan): Context {
  const isDeleting = actions.some(isDeletion);
  return {
    byAddress: actionsByAddress(actions),
    // Only a deletion waits for what depends on it.
    ...dependentsOf(isDeleting ? actions : [], base.resources),
    destroys,
    created: new Map(
      actions.flatMap((action) => (isDeleting && isCreation(action) ? [[placeKey(action), action.address]] : [])),
    ),
  };
}

/** Equal for blocks of one kind and key, wherever they stand. */
function placeKey({ kind, address }: Action): string {
  return JSON.stringify([kind.kind, addressParts(address)?.at(-1)]);
}

/** What a plan does at an address, as `explain` has it. */
export function explainedDocument(
  plan: Plan,
  {
    actions,
    diagnostics,
    reads,
  }: {
    readonly actions: readonly ExplainedAction[];
    readonly diagnostics: readonly Diagnostic[];
    readonly reads: number;
  },
): NonNullable<AddressDocument['planned']> {
  const context = contextOf(plan);
  return {
    requests: { reads, writes: 0 },
    diagnostics: diagnostics.map(diagnosticJson),
    actions: actions.map(({ action, sends }) => ({ ...actionDocument(action, context), sends })),
  };
}

function actionDocument(action: Action, context: Context): PlanAction {
  const { kind, id, parent, movedFrom, dataAtRisk, protect, position, steps, teardown } = action;
  const address = shownAddress(action);
  const requests = steps.length + teardown.length;
  const after = isEffective(action) ? doneBefore(action, context) : [];
  const awaited = awaitedBy(action).map((need) => shownIn(context, need));
  const asked = askedAfter(action).map(({ shown, block }) => shown ?? block);
  return {
    address,
    kind: kind.kind,
    ...defined({ single: kind.isSingle }),
    action: action.action,
    ...defined({ id, parent }),
    dependsOn: [...new Set(action.dependsOn.map((need) => shownIn(context, need)))]
      .filter((need) => need !== address)
      .toSorted(),
    ...defined({
      movedFrom,
      createsBeforeDestroy: markOf(createsFirst(action)),
      comesWithParent: markOf(comesWithParent(action)),
      goesWithParent: markOf(goesWithParent(action)),
    }),
    ...(isDeletion(action) ? reasonOf(action, context) : {}),
    ...defined({ underWay: markOf(isUnderWay(action)) }),
    requests,
    ...defined({ sendsNothing: markOf(requests === 0 && isChange(action)) }),
    ...(after.length === 0 ? {} : { after }),
    ...(awaited.length === 0 ? {} : { deploysAfter: awaited }),
    ...(asked.length === 0 ? {} : { asks: asked }),
    changes: inOrderOfLines(action.changes),
    ...defined({ because: becauseOf(action), holds: partsIn(action), asked: markOf(isRequested(action)) }),
    ...defined({ dataAtRisk, protect }),
    needsConsent: needsConsent(action),
    notes: action.notes.map(diagnosticJson),
    ...defined({ position }),
  };
}

/** A member of a document that is true, or left out. */
function markOf(isSo: boolean): true | undefined {
  return isSo || undefined;
}

function shownIn({ byAddress }: Context, address: string): string {
  const action = byAddress.get(address);
  return action === undefined ? address : shownAddress(action);
}

/** Why an object is deleted, and the outermost deleted object that it goes with. */
function reasonOf(action: Action, context: Context): Pick<PlanAction, 'why' | 'elsewhere' | 'goesWith'> {
  const goesWith = outermost(action, context);
  const along = goesWith === undefined ? {} : { goesWith };
  if (context.destroys) return { ...along, why: 'destroy' };
  if (isDeposed(action)) return { ...along, why: 'replaced' };
  const elsewhere = context.created.get(placeKey(action));
  return elsewhere === undefined ? { ...along, why: 'block removed' } : { ...along, why: 'block elsewhere', elsewhere };
}

function outermost({ parent }: Action, { byAddress }: Context): string | undefined {
  let found: string | undefined;
  const deletedAt = (address = '') => [byAddress.get(address)].find((one) => one !== undefined && isDeletion(one));
  for (let above = deletedAt(parent); above !== undefined; above = deletedAt(above.parent))
    // An environment holds services, which do not belong to it as a domain does to its service.
    if (!isEnvironment(above.address)) found = above.address;
  return found;
}

/** A creation waits for its dependencies; a deletion, for its dependents. */
function doneBefore(action: Action, { byAddress, users, below }: Context): NonNullable<PlanAction['after']> {
  const named = isDeletion(action) ? followedBy(action) : action.dependsOn;
  const dependents = isDeletion(action) ? [users, below].flatMap((some) => some.get(action.address) ?? []) : [];
  const before = new Set([...dependents, ...named.flatMap((address) => byAddress.get(address) ?? [])]);
  return [...before].filter(isEffective).map((other) => ({ address: shownAddress(other), action: other.action }));
}

/** The numbers of deletions by what they are; nothing without deletions. */
function deletesIn(actions: readonly PlanAction[]): Pick<PlanDocument, 'deletes'> {
  const deleted = actions.filter(isDeletion);
  if (deleted.length === 0) return {};
  const along = deleted.filter(({ goesWith }) => goesWith !== undefined).length;
  const services = deleted.filter(isService).length;
  const environments = deleted.filter((one) => environmentOf(one) === one.address).length;
  return { deletes: { environments, services, along, others: deleted.length - along - services - environments } };
}

function isService({ address, parent, goesWith }: PlanAction): boolean {
  return goesWith === undefined && parent !== undefined && isEnvironment(parent) && !isEnvironment(address);
}

/** Changes as their lines stand in the files; then what has no line, and keys that go, by their paths. */
function inOrderOfLines(changes: readonly Change[]): readonly Change[] {
  if (changes.length < 2) return changes;
  const files = [...new Set(changes.flatMap(({ position }) => position?.file ?? []))];
  const keyed = changes.map((change) => {
    const { position: at, cause } = change;
    const rank = at === undefined ? (cause === 'removed' ? 2 : 1) : 0;
    return { change, key: [rank, files.indexOf(at?.file ?? ''), at?.line ?? 0, at?.column ?? 0] };
  });
  return keyed
    .toSorted((a, b) => {
      const differing = a.key.findIndex((part, at) => part !== b.key[at]);
      if (differing !== -1) return (a.key[differing] ?? 0) - (b.key[differing] ?? 0);
      if (a.change.cause !== 'removed' || a.change.path === b.change.path) return 0;
      return a.change.path < b.change.path ? -1 : 1;
    })
    .map(({ change }) => change);
}
