import type { Action } from '../plan/action.ts';
import type { Edge } from './schedule.ts';

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
export interface HubNode {
  readonly part: 'removals over' | 'references deployed';
  readonly name: string;
  readonly scope: undefined;
}

/** What an action does, in its order. */
export function actionNodes(action: Action): ActionNode[] {
  const { address, scope } = action;
  if (action.action === 'deploy') return [{ part: 'deploy', name: address, action, scope, isWaiting: true }];
  const nodes: ActionNode[] = [];
  if (tearsDown(action)) nodes.push({ part: 'teardown', name: teardownName(address), action, scope });
  if (isLeft(action)) nodes.push({ part: 'make', name: address, action, scope });
  return nodes;
}

/** One for each scope with something to write; a deployment reads its own result. */
export function readBackNodes(work: readonly ActionNode[]): ReadBackNode[] {
  const scopes = new Set(work.flatMap(({ part, scope }) => (part === 'deploy' ? [] : [scope])));
  return [...scopes].map((scope) => ({ part: 'read back', name: readBackName(scope), scope, runsWhenStopped: true }));
}

export function tearsDown(action: Action): boolean {
  return action.teardown.length > 0 || action.action === 'delete';
}

export function isDeployment({ action }: Action): boolean {
  return action === 'deploy';
}

/** Leaves an object behind. */
export function isLeft({ action }: Action): boolean {
  return action !== 'delete' && action !== 'deploy';
}

export function teardownName(address: string): string {
  return `${address} (teardown)`;
}

export function readBackName(scope: string): string {
  return `${scope} (read back)`;
}

export function success(from: string, to: string): Edge {
  return { from, to, is: 'success' };
}

export function over(from: string, to: string): Edge {
  return { from, to, is: 'over' };
}
