import { topological } from '../graph/order.ts';
import { deployAddress, replacedAddress } from '../kind/address.ts';
import type { Action, Plan } from '../plan/action.ts';
import { isEffective } from '../plan/action.ts';

/** One thing to do: take the old object of an action away, make and change the new one, or wait for what goes first. */
export interface ApplyNode {
  readonly name: string;
  readonly action: Action;
  readonly part: 'teardown' | 'make' | 'deploy' | 'barrier';
  readonly lane: string;
  /** Nodes that have to succeed before. */
  readonly after: readonly string[];
  /** Nodes that have to be over before, whatever became of them. */
  readonly behind: readonly string[];
  /** Lanes that have to be read back before. */
  readonly settled: readonly string[];
  /** It waits for the platform most of its time. */
  readonly isWaiting?: true;
}

/** What is better in order, and gives way where it would close a circle; the first goes first. */
interface Wishes {
  /** What others were told to let go of goes when it was seen that they did. */
  readonly settledFirst: boolean;
  /** What a replacement is made from is known before the old object goes. */
  readonly valuesFirst: boolean;
  /** Below one service removals go first: a removed file mount deletes the file of its path. */
  readonly removalsFirst: boolean;
  /** Who refers to a deleted object says so before it goes. */
  readonly referrersFirst: boolean;
}

/** The order of a plan: parents before children, what is referred to before who refers, deletions the other way round. */
export function planNodes(plan: Plan): ApplyNode[] {
  for (const given of [0, 1, 2, 3]) {
    const wishes = { settledFirst: given < 1, valuesFirst: given < 2, removalsFirst: given < 3, referrersFirst: true };
    const nodes = buildNodes(plan, wishes);
    if (isOrdered(nodes)) return nodes;
  }
  return buildNodes(plan, { settledFirst: false, valuesFirst: false, removalsFirst: false, referrersFirst: false });
}

function isOrdered(nodes: readonly ApplyNode[]): boolean {
  const needs = new Map(
    nodes.map((node) => [node.name, [...node.after, ...node.behind, ...node.settled.map(laneName)]]),
  );
  for (const lane of new Set(nodes.flatMap((node) => node.settled))) {
    needs.set(
      laneName(lane),
      nodes.flatMap((node) => (node.lane === lane ? [node.name] : [])),
    );
  }
  return topological([...needs.keys()], (name) => needs.get(name) ?? []).circle === undefined;
}

function buildNodes(plan: Plan, wishes: Wishes): ApplyNode[] {
  const actions = new Map(plan.actions.map((action) => [action.address, action]));
  const dependents = dependentsOf(plan);
  const inside = insideOf(plan);
  const removals = wishes.removalsFirst ? removalsByParent(plan) : new Map<string, Action[]>();
  const nodes: ApplyNode[] = [];
  for (const [parent, removed] of removals) {
    const action = actions.get(parent);
    if (action === undefined) continue;
    const behind = removed.map(({ address }) => teardownName(address));
    const { lane } = action;
    nodes.push({ name: barrierName(parent), action, part: 'barrier', lane, after: [], behind, settled: [] });
  }
  for (const action of plan.actions) {
    const { address, lane } = action;
    if (action.action === 'deploy') {
      nodes.push(deployNode(action, actions));
      continue;
    }
    if (tearsDown(action)) {
      // Who depended on an address may still use the old object of it.
      const whose = [address, replacedAddress(address) ?? address];
      const after = [...new Set(whose)]
        .flatMap((one) => dependents.get(one) ?? [])
        .flatMap((dependent) => {
          const isBelow = plan.base.resources[dependent.address]?.parent === address;
          if (isBelow) return tearsDown(dependent) ? [teardownName(dependent.address)] : [];
          // A replacement that refers to this one waits for its values instead.
          if (!wishes.referrersFirst || dependent.action === 'replace') return [];
          if (tearsDown(dependent)) return [teardownName(dependent.address)];
          if (action.action !== 'delete') return [];
          // What runs lets go of it only when it is deployed.
          const deployment = deployAddress(dependent.lane);
          const waits = dependent.lane !== lane && actions.has(deployment) ? [deployment] : [];
          return isEffective(dependent) ? [dependent.address, ...waits] : waits;
        });
      after.push(...(action.follows ?? []));
      // What is inside has to leave before, wherever the manifest and the state have it.
      for (const guest of inside.get(address) ?? []) {
        if (tearsDown(guest)) after.push(teardownName(guest.address));
        else if (guest.action === 'move') after.push(guest.address);
      }
      // Below a replaced parent the new object comes later anyway.
      const isTop = actions.get(action.parent ?? '')?.action !== 'replace';
      if (wishes.valuesFirst && action.action === 'replace' && isTop) after.push(...made(action, actions));
      const settled = wishes.settledFirst && action.parent === undefined ? lanesOf(after, actions, lane) : [];
      nodes.push({ name: teardownName(address), action, part: 'teardown', lane, after, behind: [], settled });
    }
    if (action.action === 'delete') continue;
    const after = made(action, actions);
    if (tearsDown(action)) after.push(teardownName(address));
    const isAfterRemovals = action.parent !== undefined && action.steps.length > 0 && removals.has(action.parent);
    const behind = isAfterRemovals ? [barrierName(action.parent)] : [];
    if (wishes.removalsFirst) behind.push(...holders(action, plan));
    nodes.push({ name: address, action, part: 'make', lane, after, behind, settled: [] });
  }
  return nodes;
}

/** A deployment comes after everything of its service was read back, and after those that it waits for. */
function deployNode(action: Action, actions: ReadonlyMap<string, Action>): ApplyNode {
  const { address, lane, dependsOn } = action;
  const after = dependsOn.map((need) => {
    const needed = actions.get(need);
    return needed !== undefined && needed.action === 'delete' ? teardownName(need) : need;
  });
  const settled = dependsOn.flatMap((need) => {
    const needed = actions.get(need);
    return needed === undefined || needed.action === 'deploy' ? [] : [needed.lane];
  });
  return { name: address, action, part: 'deploy', lane, after, behind: [], settled, isWaiting: true };
}

/** The other lanes in which nodes make or change something. */
function lanesOf(nodes: readonly string[], actions: ReadonlyMap<string, Action>, own: string): string[] {
  return nodes.flatMap((name) => actions.get(name)?.lane ?? []).filter((lane) => lane !== own);
}

/** What goes before an object is made, because it may hold what there can be only one of. */
function holders({ address, kind, steps }: Action, plan: Plan): string[] {
  const { unless } = kind.lifecycle?.createBeforeDestroy ?? {};
  const isTaking = steps.some(({ role, members }) => role === 'create' && members[unless ?? ''] !== undefined);
  if (!isTaking) return [];
  return plan.actions.flatMap((other) => {
    const isHolder = other.kind === kind && other.address !== address && tearsDown(other);
    return isHolder && replacedAddress(other.address) !== address ? [teardownName(other.address)] : [];
  });
}

function tearsDown(action: Action): boolean {
  return action.teardown.length > 0 || action.action === 'delete';
}

function made(action: Action, actions: ReadonlyMap<string, Action>): string[] {
  return action.dependsOn.filter((address) => {
    const needed = actions.get(address);
    return needed !== undefined && needed.action !== 'delete';
  });
}

/** Who depended on each address when it was applied last. */
function dependentsOf(plan: Plan): Map<string, Action[]> {
  const dependents = new Map<string, Action[]>();
  for (const action of plan.actions) {
    for (const need of plan.base.resources[action.address]?.dependsOn ?? []) {
      const list = dependents.get(need);
      if (list === undefined) dependents.set(need, [action]);
      else list.push(action);
    }
  }
  return dependents;
}

/** What the platform has inside each object that goes, by the parent's id on the platform. */
function insideOf(plan: Plan): Map<string, Action[]> {
  const owners = new Map(
    plan.actions.flatMap((action) =>
      tearsDown(action) && action.id !== undefined ? [[action.id, action.address] as const] : [],
    ),
  );
  const inside = new Map<string, Action[]>();
  for (const action of plan.actions) {
    const owner = owners.get(plan.observed.objects.get(action.address)?.parentId ?? '');
    if (owner === undefined || owner === action.address) continue;
    const list = inside.get(owner);
    if (list === undefined) inside.set(owner, [action]);
    else list.push(action);
  }
  return inside;
}

/** What goes below each service that stays. */
function removalsByParent(plan: Plan): Map<string, Action[]> {
  const removals = new Map<string, Action[]>();
  for (const action of plan.actions) {
    if (action.parent === undefined || action.lane === action.address || action.action !== 'delete') continue;
    if (action.teardown.length === 0) continue;
    const siblings = removals.get(action.parent);
    if (siblings === undefined) removals.set(action.parent, [action]);
    else siblings.push(action);
  }
  return removals;
}

function teardownName(address: string): string {
  return `${address} (teardown)`;
}

function barrierName(address: string): string {
  return `${address} (removals)`;
}

function laneName(lane: string): string {
  return `${lane} (lane)`;
}
