import { groupBy } from '../kind/group.ts';
import { blockAddress } from '../kind/address.ts';
import type { ShownAction } from '../plan/action.ts';
import { isMovedInState, movesAlong } from '../plan/moved.ts';
import { isEnvironment, serviceOf } from './places.ts';

/** The actions of one service, or of an environment by itself. */
export interface Group {
  readonly address: string;
  /** It is in an environment. */
  readonly isService: boolean;
  readonly actions: readonly GroupedAction[];
}

/** An action as a plan shows it. */
export interface GroupedAction {
  readonly action: ShownAction;
  /** Its former address, unless that follows from the move of an object above. */
  readonly movedFrom: string | undefined;
  /** It deploys an object that the plan creates in the place of another. */
  readonly isOfReplacement: boolean;
  /** Number of objects below that move along. */
  readonly followers: number;
}

/**
 * Groups the actions of a plan by service, in the order of the plan, without resources that need no attention: what is
 * unchanged, and what only gets another address because an object above it does.
 */
export function groupActions(actions: readonly ShownAction[]): Group[] {
  const byAddress = new Map(actions.map((action) => [action.address, action]));
  const parentOf = (address: string) => {
    const { parent } = byAddress.get(address) ?? {};
    return parent !== undefined && byAddress.has(parent) ? parent : undefined;
  };
  const along = movesAlong(actions);
  const followers = groupBy([...along].map(([address, first]) => [first, address]));
  const groups = new Map<string, { readonly isService: boolean; readonly members: GroupedAction[] }>();
  for (const action of actions) {
    const isAlong = along.has(action.address);
    const isQuiet = action.action === 'no-op' || (isMovedInState(action) && isAlong);
    if (isQuiet && action.notes.length === 0 && action.dataAtRisk === undefined) continue;
    const address = serviceOf(action.address, parentOf);
    const parent = byAddress.get(address)?.parent;
    const isService = parent !== undefined && isEnvironment(parent) && !isEnvironment(address);
    const shown = {
      action,
      movedFrom: isAlong ? undefined : action.movedFrom,
      isOfReplacement: action.action === 'deploy' && byAddress.get(blockAddress(action.address))?.action === 'replace',
      followers: followers.get(action.address)?.length ?? 0,
    };
    const group = groups.get(address);
    if (group === undefined) groups.set(address, { isService, members: [shown] });
    else if (action.address === address) group.members.unshift(shown);
    else group.members.push(shown);
  }
  return [...groups].map(([address, { isService, members }]) => ({ address, isService, actions: members }));
}
