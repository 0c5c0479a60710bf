import { withPreferred } from '../graph/preferred.ts';
import { deployAddress, replacedAddress } from '../kind/address.ts';
import type { Action, Plan } from '../plan/action.ts';
import { isEffective } from '../plan/action.ts';
import type { Edge } from '../graph/schedule.ts';

/** The nodes of a plan, in its order, and which of them come before which. */
export interface ApplyGraph {
  readonly nodes: readonly ApplyNode[];
  readonly edges: readonly Edge[];
}

/** Orders a plan: parents before children, objects before what refers to them, deletions the other way round. */
export function planNodes(plan: Plan): ApplyGraph {
  const indexed: IndexedPlan = {
    ...plan,
    byAddress: new Map(plan.actions.map((action) => [action.address, action])),
    dependents: dependentsOf(plan),
  };
  const work = plan.actions.flatMap(actionNodes);
  const required = [
    ...work.flatMap(({ part, name, scope }) => (part === 'deploy' ? [] : [over(name, readBackName(scope))])),
    ...makeEdges(indexed),
    ...deployEdges(indexed),
    ...teardownEdges(indexed),
  ];
  const deployments = deploymentsInOrder(indexed);
  const referrers = referrersFirst(indexed);
  const removals = removalsFirst(indexed);
  const values = valuesFirst(indexed);
  const readBacks = readBacksFirst(work, [...required, ...referrers, ...values]);
  const nodes = [...work, ...readBackNodes(work), ...deployments.hubs, ...removals.hubs];
  // Where they contradict each other, the first is kept.
  const preferred = [...deployments.edges, ...referrers, ...removals.edges, ...values, ...readBacks];
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const isKnown = ({ from, to }: Edge) => byName.has(from) && byName.has(to);
  const isHub = (name: string) => byName.get(name)?.scope === undefined;
  return { nodes, edges: withPreferred(required.filter(isKnown), preferred.filter(isKnown), isHub) };
}

/** A plan with its actions by address, and who depended on each address when it was applied last. */
interface IndexedPlan extends Plan {
  readonly byAddress: ReadonlyMap<string, Action>;
  readonly dependents: ReadonlyMap<string, readonly Action[]>;
}

/** An object is made after all that it depends on, and after the teardown of its old one. */
function makeEdges(plan: IndexedPlan): Edge[] {
  return plan.actions.filter(isLeft).flatMap((action) => {
    const before = [...dependenciesLeft(plan, action), teardownName(action.address)];
    return before.map((from) => success(from, action.address));
  });
}

/** A service is deployed after all that the deployment depends on was written and read back. */
function deployEdges({ actions, byAddress }: IndexedPlan): Edge[] {
  return actions.filter(isDeployment).flatMap(({ address, dependsOn }) => {
    const needed = dependsOn.flatMap((need) => byAddress.get(need) ?? []).filter((need) => !isDeployment(need));
    const scopes = new Set(needed.map(({ scope }) => scope));
    return [
      ...needed.map((need) => success(isLeft(need) ? need.address : teardownName(need.address), address)),
      ...[...scopes].map((scope) => over(readBackName(scope), address)),
    ];
  });
}

/** An object is deleted after all that is below it or inside it has left, and after all that it follows. */
function teardownEdges(plan: IndexedPlan): Edge[] {
  const inside = insideOf(plan);
  return plan.actions.filter(tearsDown).flatMap((action) => {
    const guests = inside.get(action.address) ?? [];
    const below = dependentsAt(plan, action).filter((dependent) => isBelow(plan, dependent, action));
    const before = [
      ...[...below, ...guests].filter(tearsDown).map(({ address }) => teardownName(address)),
      ...guests.filter((guest) => guest.action === 'move' && !tearsDown(guest)).map(({ address }) => address),
      ...(action.follows ?? []),
    ];
    return before.map((from) => success(from, teardownName(action.address)));
  });
}

/**
 * Services are deployed after those that they refer to. A service that is not deployed in this plan passes on what it
 * refers to, through one hub for all that refer to it.
 */
function deploymentsInOrder(plan: IndexedPlan): { readonly hubs: HubNode[]; readonly edges: Edge[] } {
  const referred = servicesReferredTo(plan);
  const isDeployed = (service: string) => plan.byAddress.has(deployAddress(service));
  const hubs = new Map<string, HubNode>();
  const hubOf = (service: string): string => {
    const name = `${service} (references deployed)`;
    hubs.set(service, { part: 'references deployed', name, scope: undefined });
    return name;
  };
  const edges = plan.actions.filter(isDeployment).flatMap(({ address, parent = '', dependsOn }) => {
    const deployments = dependsOn.filter((need) => plan.byAddress.get(need)?.action === 'deploy');
    const others = [...(referred.get(parent) ?? [])].filter((service) => !isDeployed(service));
    return [...deployments, ...others.map(hubOf)].map((from) => success(from, address));
  });
  for (const [service, { name }] of hubs) {
    for (const other of referred.get(service) ?? []) {
      edges.push(success(isDeployed(other) ? deployAddress(other) : hubOf(other), name));
    }
  }
  return { hubs: [...hubs.values()], edges };
}

/** What refers to a deleted object lets go of it before: the deletion of the referrer, its write, its deployment. */
function referrersFirst(plan: IndexedPlan): Edge[] {
  return plan.actions.filter(tearsDown).flatMap((action) => {
    const referrers = dependentsAt(plan, action).filter(
      // A replacement that refers to this one waits for its values instead.
      (dependent) => !isBelow(plan, dependent, action) && dependent.action !== 'replace',
    );
    const before = referrers.flatMap((referrer) => {
      if (tearsDown(referrer)) return [teardownName(referrer.address)];
      if (action.action !== 'delete') return [];
      // What runs lets go of it only when it is deployed.
      const deployment = referrer.scope === action.scope ? [] : [deployAddress(referrer.scope)];
      return isEffective(referrer) ? [referrer.address, ...deployment] : deployment;
    });
    return before.map((from) => success(from, teardownName(action.address)));
  });
}

/**
 * Below one service removals come first, because a removed file mount deletes the file of its path. So does the
 * teardown of whatever may hold a name that a new object takes, of a kind where only one can have it.
 */
function removalsFirst({ actions, byAddress }: IndexedPlan): { readonly hubs: HubNode[]; readonly edges: Edge[] } {
  const hubs = new Map<string, HubNode>();
  const hubOf = (what: string): string => {
    const name = `${what} (removals)`;
    hubs.set(name, { part: 'removals over', name, scope: undefined });
    return name;
  };
  const removals = actions.flatMap((action) => {
    const { address, parent, kind } = action;
    if (!tearsDown(action)) return [];
    const isRemoval = action.action === 'delete' && action.teardown.length > 0 && action.scope !== address;
    const isBarrier = isRemoval && parent !== undefined && byAddress.has(parent);
    return [
      ...(isBarrier ? [over(teardownName(address), hubOf(parent))] : []),
      ...(kind.lifecycle?.createBeforeDestroy?.unless === undefined
        ? []
        : [over(teardownName(address), hubOf(`every ${kind.kind}`))]),
    ];
  });
  const makes = actions.filter(isLeft).flatMap((action) => {
    const { address, parent, kind, steps } = action;
    const own = steps.length > 0 && parent !== undefined ? [over(`${parent} (removals)`, address)] : [];
    return takesName(action) ? [...own, over(`every ${kind.kind} (removals)`, address)] : own;
  });
  return { hubs: [...hubs.values()], edges: [...removals, ...makes] };
}

/** A replaced object is deleted when all that the new one is made from is known. */
function valuesFirst(plan: IndexedPlan): Edge[] {
  return plan.actions.flatMap((action) => {
    // Below a replaced parent the new object comes later anyway.
    const isTop = plan.byAddress.get(action.parent ?? '')?.action !== 'replace';
    if (action.action !== 'replace' || !tearsDown(action) || !isTop) return [];
    return dependenciesLeft(plan, action).map((from) => success(from, teardownName(action.address)));
  });
}

/** An object at the top is deleted when reading back has shown that others no longer use it. */
function readBacksFirst(work: readonly ActionNode[], edges: readonly Edge[]): Edge[] {
  const byName = new Map(work.map((node) => [node.name, node]));
  const found = edges.flatMap(({ from, to }) => {
    const [before, after] = [byName.get(from), byName.get(to)];
    if (before?.part !== 'make' || after?.part !== 'teardown') return [];
    return after.action.parent === undefined && before.scope !== after.scope ? [[before.scope, to] as const] : [];
  });
  return found.map(([scope, to]) => over(readBackName(scope), to));
}

/** Who may still use the object of an action: all that depended on its address when they were applied last. */
function dependentsAt({ dependents }: IndexedPlan, { address }: Action): readonly Action[] {
  const replaced = replacedAddress(address);
  return [...(dependents.get(address) ?? []), ...(replaced === undefined ? [] : (dependents.get(replaced) ?? []))];
}

function dependentsOf(plan: Plan): Map<string, Action[]> {
  const dependents = new Map<string, Action[]>();
  for (const action of plan.actions) {
    for (const need of plan.base.resources[action.address]?.dependsOn ?? []) append(dependents, need, action);
  }
  return dependents;
}

/** What the platform has inside each object that goes, by the parent's id on the platform. */
function insideOf({ actions, observed }: Plan): Map<string, Action[]> {
  const goes = (action: Action) => tearsDown(action) && action.id !== undefined;
  const owners = new Map(actions.filter(goes).map(({ id, address }) => [id, address]));
  const inside = new Map<string, Action[]>();
  for (const action of actions) {
    const owner = owners.get(observed.objects.get(action.address)?.parentId ?? '');
    if (owner !== undefined && owner !== action.address) append(inside, owner, action);
  }
  return inside;
}

/** The other services that each service refers to, itself or with what is below it. */
function servicesReferredTo({ actions, byAddress }: IndexedPlan): Map<string, Set<string>> {
  const referred = new Map<string, Set<string>>();
  for (const { scope, dependsOn } of actions) {
    const services = referred.get(scope) ?? new Set();
    for (const need of dependsOn) {
      const service = byAddress.get(need)?.scope ?? need;
      if (service !== scope && byAddress.get(service)?.service !== undefined) services.add(service);
    }
    referred.set(scope, services);
  }
  return referred;
}

function dependenciesLeft({ byAddress }: IndexedPlan, { dependsOn }: Action): string[] {
  return dependsOn.filter((address) => {
    const needed = byAddress.get(address);
    return needed !== undefined && needed.action !== 'delete';
  });
}

function isBelow({ base }: Plan, { address }: Action, parent: Action): boolean {
  return base.resources[address]?.parent === parent.address;
}

/** Takes a name that only one object of its kind can have. */
function takesName({ kind, steps }: Action): boolean {
  const name = kind.lifecycle?.createBeforeDestroy?.unless;
  return name !== undefined && steps.some(({ role, members }) => role === 'create' && members[name] !== undefined);
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** A node of the schedule. */
export type ApplyNode = ActionNode | ReadBackNode | HubNode;

/** Deletes the old object of an action, makes or changes its object, or deploys its service. */
export interface ActionNode {
  readonly part: 'teardown' | 'make' | 'deploy';
  readonly name: string;
  readonly action: Action;
  /** The service scope in which it writes. */
  readonly scope: string;
  /** It waits for the platform most of its time. */
  readonly isWaiting?: true;
}

/** Reads a service scope back, after all writes in it. */
interface ReadBackNode {
  readonly part: 'read back';
  readonly name: string;
  readonly scope: string;
  readonly runsWhenStopped: true;
}

/** Stands between n nodes and the m nodes that wait for them, so that n + m edges say it. It does no work. */
interface HubNode {
  readonly part: 'removals over' | 'references deployed';
  readonly name: string;
  readonly scope: undefined;
}

/** What an action does, in its order. */
function actionNodes(action: Action): ActionNode[] {
  const { address, scope } = action;
  if (action.action === 'deploy') return [{ part: 'deploy', name: address, action, scope, isWaiting: true }];
  const nodes: ActionNode[] = [];
  if (tearsDown(action)) nodes.push({ part: 'teardown', name: teardownName(address), action, scope });
  if (isLeft(action)) nodes.push({ part: 'make', name: address, action, scope });
  return nodes;
}

/** One for each scope with something to write; a deployment reads its own result. */
function readBackNodes(work: readonly ActionNode[]): ReadBackNode[] {
  const scopes = new Set(work.flatMap(({ part, scope }) => (part === 'deploy' ? [] : [scope])));
  return [...scopes].map((scope) => ({ part: 'read back', name: readBackName(scope), scope, runsWhenStopped: true }));
}

function tearsDown(action: Action): boolean {
  return action.teardown.length > 0 || action.action === 'delete';
}

function isDeployment({ action }: Action): boolean {
  return action === 'deploy';
}

/** Leaves an object behind. */
function isLeft({ action }: Action): boolean {
  return action !== 'delete' && action !== 'deploy';
}

function teardownName(address: string): string {
  return `${address} (teardown)`;
}

function readBackName(scope: string): string {
  return `${scope} (read back)`;
}

function success(from: string, to: string): Edge {
  return { from, to, is: 'success' };
}

function over(from: string, to: string): Edge {
  return { from, to, is: 'over' };
}
