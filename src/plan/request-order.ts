import { groupBy } from '../kind/group.ts';
import { topological } from '../graph/order.ts';
import { withPreferred } from '../graph/preferred.ts';
import type { Edge } from '../graph/run-schedule.ts';
import { defined } from '../formats/json.ts';
import { type Action, followedBy, isBeside, isChange, isDeletion, isEffective, isMove } from './action.ts';
import { credentialsFirst } from './credential-order.ts';
import { failedNoteOf } from './failed-change.ts';
import {
  type Ordered,
  edgesBy,
  freedName,
  indexOf,
  isLeft,
  nameOf,
  preferredRules,
  removalsOver,
  requiredRules,
  tearsDown,
} from './order-rules.ts';
import { isAt } from './relations.ts';

/** The nodes of a plan, in its order, and which of them come before which. */
interface ApplyGraph {
  readonly nodes: readonly ApplyNode[];
  readonly edges: readonly Edge[];
  /** The scopes without a node. */
  readonly resting: readonly string[];
}

/** A node of the schedule. */
export type ApplyNode = ActionNode | ReadBackNode | HubNode;

/** Deletes the old object of an action, makes or changes its object, or deploys or runs it. */
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
  /** The list that shows that the object is gone, or the scope itself, where one request reads many of them. */
  readonly shownBy?: string;
}

/** Stands between n nodes and the m nodes that wait for them, so that n + m edges say it. It does no work. */
interface HubNode {
  readonly part: 'hub';
  readonly name: string;
  readonly scope: undefined;
}

/**
 * Orders what is to do in a plan: parents before children, objects before what refers to them, deletions the other way round.
 * `in bulk`: one request reads many scopes back.
 */
export function planNodes(plan: Ordered, how?: 'in bulk'): ApplyGraph {
  const index = indexOf(plan);
  const resting = restingScopes(index);
  const ordered = plan.actions.filter(({ scope }) => !resting.has(scope));
  const work = ordered.flatMap(actionNodes);
  const written = work.filter(({ part }) => part !== 'deploy');
  const overs = [
    ...written.map(({ name, scope }) => [name, nameOf(scope, 'read back')] as const),
    ...removalsOver(index),
  ];
  const required = [
    ...overs.map(([from, to]): Edge => ({ from, to, is: 'over' })),
    ...edgesBy(requiredRules, index, ordered),
  ];
  const preferred = [...credentialsFirst(plan.actions, index), ...edgesBy(preferredRules, index, ordered)];
  const scopes = [...new Set(written.map(({ scope }) => scope))];
  const touched = new Set(how === undefined ? [] : ordered.filter(isEffective).map(({ scope }) => scope));
  const shownBy = (scope: string) => {
    const { parent, kind } = index.byAddress.get(scope) ?? {};
    if (isAt(index, scope, isDeletion)) return `list ${parent ?? kind?.kind}`;
    return touched.has(scope) ? scope : undefined;
  };
  const readBacks = scopes.map((scope): ReadBackNode => ({
    part: 'read back',
    name: nameOf(scope, 'read back'),
    scope,
    runsWhenStopped: true,
    ...defined({ shownBy: shownBy(scope) }),
  }));
  const nodes = [...work, ...readBacks];
  const names = new Set(nodes.map(({ name }) => name));
  const hubs = new Set([...required, ...preferred].flatMap(({ to }) => (names.has(to) ? [] : [to])));
  const isKnown = ({ from }: Edge) => names.has(from) || hubs.has(from);
  return {
    nodes: [...nodes, ...[...hubs].map((name): HubNode => ({ part: 'hub', name, scope: undefined }))],
    edges: withPreferred(required.filter(isKnown), preferred.filter(isKnown), (name) => hubs.has(name)),
    resting: [...resting],
  };
}

/**
 * The scopes in which nothing is to do, but for those that depend on others: what fails there holds them back. What a service is
 * deployed or run for is not at rest, and neither is one whose change failed before: it fails again.
 */
function restingScopes({ actions, byAddress }: ReturnType<typeof indexOf>): ReadonlySet<string> {
  const scopeAt = (address: string) => byAddress.get(address)?.scope ?? address;
  const isBusy = (one: Action) => isChange(one) || failedNoteOf(one) !== undefined;
  const users = groupBy(
    actions.flatMap(({ scope, dependsOn }) => dependsOn.map((need) => [scopeAt(need), scope] as const)),
  );
  const busy = new Set(actions.filter(isBusy).flatMap(({ scope, block }) => [scope, scopeAt(block)]));
  for (const scope of busy) for (const user of users.get(scope) ?? []) busy.add(user);
  return new Set(actions.flatMap(({ scope }) => (busy.has(scope) ? [] : scope)));
}

/** Actions that wait for one another in a circle, each for the next one; undefined where an order keeps all that is required. */
export function circleIn(plan: Ordered): readonly Action[] | undefined {
  // What is made stands in the order of what it depends on: only a deletion that waits for something made closes a circle,
  // and a name that an object takes from another one.
  const mayClose = (one: Action) => isMove(one) || followedBy(one).length > 0 || freedName(one, plan) !== undefined;
  if (!plan.actions.some(mayClose)) return undefined;
  const before = groupBy(edgesBy(requiredRules, indexOf(plan), plan.actions).map(({ from, to }) => [to, from]));
  const nodes = new Map(plan.actions.flatMap(actionNodes).map((node) => [node.name, node]));
  const { circle } = topological([...nodes.keys()], (name) => before.get(name) ?? []);
  return circle && [...new Set(circle.flatMap((name) => nodes.get(name)?.action ?? []))];
}

/** The nodes of an action, in their order. */
function actionNodes(action: Action): ActionNode[] {
  const { address, scope } = action;
  if (isBeside(action)) return [{ part: 'deploy', name: address, action, scope, isWaiting: true }];
  const nodes: ActionNode[] = [];
  if (tearsDown(action)) nodes.push({ part: 'teardown', name: nameOf(address, 'teardown'), action, scope });
  if (isLeft(action)) nodes.push({ part: 'make', name: address, action, scope });
  return nodes;
}
