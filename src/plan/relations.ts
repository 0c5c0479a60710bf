import { onceFor } from '../api/once.ts';
import { groupBy } from '../kind/group.ts';
import type { Observed, ObservedObject } from '../observe/observed.ts';
import type { State } from '../state/state.ts';
import { type Action, deletesObject, isDeployment } from './action.ts';

/** The relations of the actions of a plan, by addresses and ids. */
export type Relations = ReturnType<typeof relationsOf>;

/** Finds which objects the actions of a plan are about, and which use, hold and deploy which. */
export function relationsOf(actions: readonly Action[], records: State['resources'], objects: Observed['objects']) {
  return {
    byAddress: actionsByAddress(actions),
    /** The deployment of each service. */
    deployments: new Map<string, Action>(actions.filter(isDeployment).map((one) => [one.block, one])),
    ...dependentsOf(actions, records),
    /** The actions of what the platform has inside each object, by the id of that one. */
    inside: groupBy(
      actions.flatMap((action) => {
        const { parentId } = objects.get(action.address) ?? {};
        return parentId === undefined ? [] : [[parentId, action] as const];
      }),
    ),
  };
}

/** Finds which actions of a plan are about what depended on each address when it was applied last. */
export function dependentsOf(actions: readonly Action[], records: State['resources']) {
  return {
    /** The actions of what used each address. */
    users: groupBy(
      actions.flatMap((action) => (records[action.address]?.dependsOn ?? []).map((need) => [need, action] as const)),
    ),
    /** The actions of what stood below each address, whether it used that or not. */
    below: groupBy(
      actions.flatMap((action) => {
        const { parent = null } = records[action.address] ?? {};
        return parent === null ? [] : [[parent, action] as const];
      }),
    ),
  };
}

/** The actions of a plan by their addresses. */
export const actionsByAddress = onceFor(
  (actions: readonly Action[]): ReadonlyMap<string, Action> =>
    new Map(actions.map((action) => [action.address, action])),
);

/** The address of the record of an object; that of its block, where a plan is about to depose the object. */
export function recordedAt(
  { resources }: Pick<State, 'resources'>,
  { address, block }: Pick<Action, 'address' | 'block'>,
): string {
  return resources[address] === undefined ? block : address;
}

/** Whether the action at an address is one of those. */
export function isAt(
  { byAddress }: Pick<Relations, 'byAddress'>,
  address: string,
  isMeant: (one: Action) => boolean,
): boolean {
  const one = byAddress.get(address);
  return one !== undefined && isMeant(one);
}

/** Whether the platform has an object below that of an action that deletes it, with or without a new one in its place. */
export function isBelowDeleted(parent: Action | undefined, { parentId }: ObservedObject): parent is Action {
  return parent !== undefined && deletesObject(parent) && parent.id === parentId;
}
