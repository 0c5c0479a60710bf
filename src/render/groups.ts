import { isWithin } from '../kind/address.ts';
import { groupBy } from '../kind/group.ts';
import type { PlanDocument } from './document-schemas.ts';
import { isEnvironment, serviceOf } from './places.ts';
import { isBeside, isChange, isDeployment } from './action-words.ts';

/** An action of a plan. */
export type PlannedAction = PlanDocument['actions'][number];

/** The actions of one service, or of an environment by itself. */
export interface Group {
  readonly address: string;
  /** It is in an environment. */
  readonly isService: boolean;
  readonly actions: readonly GroupedAction[];
}

/** An action as a plan shows it. */
export interface GroupedAction {
  readonly action: PlannedAction;
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
export function groupActions(actions: readonly PlannedAction[]): Group[] {
  const byAddress = byAddressIn(actions);
  const parentOf = (address: string) => {
    const { parent } = byAddress.get(address) ?? {};
    return parent !== undefined && byAddress.has(parent) ? parent : undefined;
  };
  const along = movesAlong(actions, byAddress);
  const followers = groupBy([...along].map(([address, first]) => [first, address]));
  const groups = new Map<string, { readonly isService: boolean; readonly members: GroupedAction[] }>();
  for (const action of actions) {
    const isAlong = !isBeside(action) && along.has(action.address);
    const isQuiet = !isChange(action) || (isMovedInState(action) && isAlong);
    if (isQuiet && action.notes.length === 0 && action.dataAtRisk === undefined) continue;
    const address = serviceOf(action.address, parentOf);
    const parent = byAddress.get(address)?.parent;
    const isService = parent !== undefined && isEnvironment(parent) && !isEnvironment(address);
    const shown = {
      action,
      movedFrom: isAlong ? undefined : action.movedFrom,
      isOfReplacement: isDeployment(action) && byAddress.get(action.address)?.action === 'replace',
      followers: isBeside(action) ? 0 : (followers.get(action.address)?.length ?? 0),
    };
    const group = groups.get(address);
    if (group === undefined) groups.set(address, { isService, members: [shown] });
    else if (isAt(action, address)) group.members.unshift(shown);
    else group.members.push(shown);
  }
  return [...groups].map(([address, { isService, members }]) => ({ address, isService, actions: members }));
}

/** Whether an action is that of an address, and not the deployment of its service. */
export function isAt(action: PlannedAction, address: string): boolean {
  return action.address === address && !isBeside(action);
}

/** Whether a move changes the address in the state, and nothing on the platform. */
export function isMovedInState({ action, movedFrom, requests }: PlannedAction): boolean {
  return action === 'move' && movedFrom !== undefined && requests === 0;
}

function byAddressIn(actions: readonly PlannedAction[]): ReadonlyMap<string, PlannedAction> {
  return new Map(actions.flatMap((action) => (isBeside(action) ? [] : [[action.address, action] as const])));
}

/** The moves that follow from the move of an object above, by the address of the first one above. */
function movesAlong(
  actions: readonly PlannedAction[],
  byAddress: ReadonlyMap<string, PlannedAction>,
): ReadonlyMap<string, string> {
  const along = new Map<string, string>();
  const firstAbove = ({ address, parent, movedFrom }: PlannedAction): string | undefined => {
    const above = byAddress.get(parent ?? '');
    if (above?.movedFrom === undefined || !isWithin(address, above.address)) return undefined;
    if (movedFrom !== above.movedFrom + address.slice(above.address.length)) return undefined;
    return firstAbove(above) ?? above.address;
  };
  for (const action of actions) {
    const first = action.movedFrom === undefined || isBeside(action) ? undefined : firstAbove(action);
    if (first !== undefined) along.set(action.address, first);
  }
  return along;
}
