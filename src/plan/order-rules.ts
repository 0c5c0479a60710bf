import { groupBy } from '../kind/group.ts';
import type { Edge } from '../graph/run-schedule.ts';
import { knownValue } from '../manifest/wanted.ts';
import {
  type Action,
  type Plan,
  awaitedBy,
  followedBy,
  isBeside,
  isDeletion,
  isLeftOut,
  isMove,
  isReplacement,
  leavesState,
} from './action.ts';
import { writesOrRemoves } from './decide.ts';
import { type Relations, isAt, relationsOf } from './relations.ts';

/** The rules of the order of a plan: which node of an action comes after which others. `request-order.ts` makes a graph of them. */

/** Gives the name of a node of an action; undefined for an action without such a node. */
type NodeOf = (action: Action, plan: PlanIndex) => string | undefined;

/** Gives the names of nodes that come before a node of an action. One that the plan does not have counts for nothing. */
type Before = (action: Action, plan: PlanIndex) => readonly string[];

type Rule = readonly [of: NodeOf, is: Edge['is'], before: Before];

/** No order is without them. */
export const requiredRules: readonly Rule[] = [
  [makeOf, 'success', needsAndTeardown],
  [makeOf, 'over', freesName],
  [deploymentOf, 'success', writesDeployed],
  [deploymentOf, 'over', readBacksDeployed],
  [deploymentOf, 'success', awaitedBy],
  [teardownOf, 'success', allThatLeaves],
  [teardownOf, 'success', referrersOfName],
];

/** Where they contradict each other, the first is kept. */
export const preferredRules: readonly Rule[] = [
  [deploymentOf, 'success', deploymentsReferredTo],
  [referencesOf, 'success', referencesPassedOn],
  [teardownOf, 'success', referrers],
  [makeOf, 'over', removals],
  [teardownOf, 'success', valuesOfNew],
  [teardownOf, 'over', readBacksOfUsers],
];

/** The edges that rules say of some actions of a plan. */
export function edgesBy(rules: readonly Rule[], index: PlanIndex, actions: readonly Action[]): Edge[] {
  return rules.flatMap(([of, is, before]) =>
    actions.flatMap((action) => {
      const to = of(action, index);
      return to === undefined ? [] : before(action, index).map((from) => ({ from, to, is }));
    }),
  );
}

/** What the order of a plan follows from. */
export type Ordered = Pick<Plan, 'actions' | 'base' | 'observed'>;

/** A plan, indexed for the rules. */
interface PlanIndex extends Ordered, Relations {
  /** The nodes that free a name, by kind and name. */
  readonly freed: ReadonlyMap<string, readonly string[]>;
  /** The other services that each service refers to, itself or with what is below it. */
  readonly referred: ReadonlyMap<string, ReadonlySet<string>>;
}

/** An object is made after all that it depends on, and after the teardown of its old one. One that is left out is not made. */
function needsAndTeardown(action: Action, plan: PlanIndex): string[] {
  // It depends on what its record says, which may depend on it by now.
  if (isLeftOut(action)) return [];
  return [...dependenciesLeft(action, plan), nameOf(action.address, 'teardown')];
}

/** An object takes a name, of a kind where only one can have it, after the object that has it took another one, or is gone. */
function freesName(action: Action, { freed }: PlanIndex): string[] {
  const { to } = renaming(action) ?? {};
  return to === undefined ? [] : (freed.get(`${action.kind.kind} ${to}`) ?? []).filter((one) => one !== action.address);
}

/** The name that an action takes from its object or that goes with it, of a kind where only one can have a name. */
export function freedName(action: Action, { observed }: Ordered): string | undefined {
  if (!isDeletion(action)) return renaming(action)?.from;
  const name = observed.objects.get(action.address)?.row[action.kind.lifecycle?.unique ?? ''];
  return typeof name === 'string' ? name : undefined;
}

/**
 * An object whose name another one takes is deleted after its referrers let go of it: what the platform takes from them
 * looks like a change by a person.
 */
function referrersOfName(action: Action, plan: PlanIndex): string[] {
  return action.kind.lifecycle?.unique === undefined ? [] : referrers(action, plan);
}

/** The names that an action takes from its object and gives to it, of a kind where only one can have a name. */
function renaming({ kind, attributes }: Action): { readonly from?: string; readonly to?: string } | undefined {
  const { unique } = kind.lifecycle ?? {};
  if (unique === undefined) return undefined;
  const named = attributes.find(({ attribute, decision }) => attribute.field === unique && writesOrRemoves(decision));
  const [from, to] = [named?.before.reveal(), knownValue(named?.wanted)];
  return { ...(typeof from === 'string' ? { from } : {}), ...(typeof to === 'string' ? { to } : {}) };
}

/** A service is deployed after all that the deployment depends on was written. */
function writesDeployed(action: Action, plan: PlanIndex): string[] {
  return writesBefore(action, plan).map((need) => (isLeft(need) ? need.address : nameOf(need.address, 'teardown')));
}

/** A service is deployed after the scopes of all that the deployment depends on were read back. */
function readBacksDeployed(action: Action, plan: PlanIndex): string[] {
  return [...new Set(writesBefore(action, plan).map(({ scope }) => nameOf(scope, 'read back')))];
}

/** An object is deleted after all that is below it or inside it has left, and after all that it follows. */
function allThatLeaves(action: Action, plan: PlanIndex): string[] {
  const guests = (plan.inside.get(action.id ?? '') ?? []).filter((guest) => guest !== action);
  const below = leavingBelow(action, plan);
  return [
    ...[...below, ...guests].flatMap((other) => teardownOf(other) ?? []),
    ...guests.filter((guest) => isMove(guest) && !tearsDown(guest)).map(({ address }) => address),
    ...followedBy(action),
  ];
}

/** The actions of what leaves below an object; below one that only leaves the state, also those. */
function leavingBelow(action: Action, plan: PlanIndex): Action[] {
  const below = plan.below.get(action.address) ?? [];
  return below.flatMap((one) => (leavesState(one) && !isDeletion(one) ? [one, ...leavingBelow(one, plan)] : [one]));
}

/** Services are deployed after those that they refer to. */
function deploymentsReferredTo(action: Action, plan: PlanIndex): string[] {
  const { dependsOn, parent = '' } = action;
  const required = awaitedBy(action);
  const deployments = dependsOn.filter((need) => isAt(plan, need, isBeside) && !required.includes(need));
  const others = [...(plan.referred.get(parent) ?? [])].filter((service) => !plan.deployments.has(service));
  return [...deployments, ...others.map((one) => nameOf(one, 'references deployed'))];
}

/** A service that is not deployed in this plan passes on what it refers to, through one hub for all that refer to it. */
function referencesPassedOn({ address }: Action, plan: PlanIndex): string[] {
  const services = [...(plan.referred.get(address) ?? [])];
  return services.map((service) => plan.deployments.get(service)?.address ?? nameOf(service, 'references deployed'));
}

/** A referrer lets go of a deleted object first: by its own deletion, or by its write and its deployment. */
function referrers(action: Action, plan: PlanIndex): string[] {
  const { address, block } = action;
  const below = new Set(plan.below.get(address)); // they leave first anyway
  const users = [...new Set([address, block])].flatMap((one) => plan.users.get(one) ?? []);
  return users.flatMap((referrer) => {
    // A replacement that refers to one that stays waits for its values instead.
    if (below.has(referrer) || (isReplacement(referrer) && !isDeletion(action))) return [];
    if (tearsDown(referrer)) return [nameOf(referrer.address, 'teardown')];
    if (!isDeletion(action)) return [];
    // What runs lets go of it only when it is deployed.
    const deployment =
      referrer.scope === action.scope ? [] : [plan.deployments.get(referrer.scope)?.address ?? []].flat();
    return referrer.steps.length > 0 ? [referrer.address, ...deployment] : deployment;
  });
}

/**
 * Below one service removals come first, because a removed file mount deletes the file of its path. So does the
 * teardown of whatever may hold a name that a new object takes, of a kind where only one can have it.
 */
function removals({ parent, kind, steps }: Action): string[] {
  const name = uniqueIn(kind);
  const takesName =
    name !== undefined &&
    steps.some(({ role, members, changed }) =>
      role === 'create' ? members[name] !== undefined : changed.includes(name),
    );
  const below = steps.length > 0 && parent !== undefined ? [nameOf(parent, 'removals')] : [];
  return takesName ? [...below, nameOf(`every ${kind.kind}`, 'removals')] : below;
}

/** The field of a kind whose value only one object can have. */
function uniqueIn({ lifecycle }: Action['kind']): string | undefined {
  return lifecycle?.createBeforeDestroy?.unless ?? lifecycle?.unique;
}

/** The teardowns that `removals` waits for, each with its hub. */
export function removalsOver({ actions, byAddress }: PlanIndex): (readonly [from: string, to: string])[] {
  return actions.filter(tearsDown).flatMap(({ address, parent, kind, scope, teardown }) => {
    const isRemoval = teardown.length > 0 && scope !== address;
    const below = isRemoval && parent !== undefined && byAddress.has(parent) ? [parent] : [];
    const named = uniqueIn(kind) === undefined ? [] : [`every ${kind.kind}`];
    return [...below, ...named].map((what) => [nameOf(address, 'teardown'), nameOf(what, 'removals')] as const);
  });
}

/** A replaced object is deleted when all that the new one is made from is known. */
function valuesOfNew(action: Action, plan: PlanIndex): string[] {
  // Below a replaced parent the new object comes later anyway.
  const isTop = !isAt(plan, action.parent ?? '', isReplacement);
  return isReplacement(action) && isTop ? dependenciesLeft(action, plan) : [];
}

/** An object at the top is deleted when reading back has shown that others no longer use it. */
function readBacksOfUsers(action: Action, plan: PlanIndex): string[] {
  if (action.parent !== undefined) return [];
  const before = [allThatLeaves, referrers, valuesOfNew].flatMap((rule) => rule(action, plan));
  const users = before.flatMap((name) => plan.byAddress.get(name) ?? []);
  return users
    .filter((user) => isLeft(user) && user.scope !== action.scope)
    .map(({ scope }) => nameOf(scope, 'read back'));
}

/** Indexes a plan for the rules. */
export function indexOf(plan: Ordered): PlanIndex {
  const { actions, base, observed } = plan;
  const relations = relationsOf(actions, base.resources, observed.objects);
  const { byAddress } = relations;
  const isOther = (one: string, other: string) => other !== one && byAddress.get(other)?.service !== undefined;
  const referred = groupBy(
    actions.flatMap(({ scope, dependsOn }) =>
      dependsOn.map((need) => [scope, byAddress.get(need)?.scope ?? need] as const),
    ),
  );
  return {
    ...plan,
    ...relations,
    freed: groupBy(
      actions.flatMap((action) => {
        const name = freedName(action, plan);
        const node = isDeletion(action) ? nameOf(action.address, 'teardown') : action.address;
        return name === undefined ? [] : [[`${action.kind.kind} ${name}`, node] as const];
      }),
    ),
    referred: new Map(
      [...referred].map(([one, others]) => [one, new Set(others.filter((other) => isOther(one, other)))]),
    ),
  };
}

function dependenciesLeft({ dependsOn }: Action, { byAddress }: PlanIndex): string[] {
  return dependsOn.filter((address) => {
    const needed = byAddress.get(address);
    return needed !== undefined && !leavesState(needed);
  });
}

function writesBefore({ dependsOn }: Action, { byAddress }: PlanIndex): Action[] {
  return dependsOn.flatMap((need) => byAddress.get(need) ?? []).filter((need) => !isBeside(need));
}

function makeOf(action: Action): string | undefined {
  return isLeft(action) ? action.address : undefined;
}

function teardownOf(action: Action): string | undefined {
  return tearsDown(action) ? nameOf(action.address, 'teardown') : undefined;
}

function deploymentOf(action: Action): string | undefined {
  return isBeside(action) ? action.address : undefined;
}

function referencesOf({ address, service }: Action, plan: PlanIndex): string | undefined {
  return service === undefined || plan.deployments.has(address) ? undefined : nameOf(address, 'references deployed');
}

/** Whether an action takes an object away, with or without a request. */
export function tearsDown(action: Action): boolean {
  return action.teardown.length > 0 || isDeletion(action);
}

/** Whether an action leaves an object behind. */
export function isLeft(action: Action): boolean {
  return !isDeletion(action) && !isBeside(action);
}

/** The name of a node or a hub: of what it is, and what is done. */
export function nameOf(subject: string, done: 'teardown' | 'read back' | 'removals' | 'references deployed'): string {
  return `${subject} (${done})`;
}
