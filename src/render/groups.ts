import type { ShownAction } from '../plan/action.ts';

/** The actions of one service, or of an environment by itself. */
export interface Group {
  readonly address: string;
  readonly actions: readonly ShownAction[];
}

/** Groups the actions of a plan by service, in the order of the plan, without unchanged resources that need no attention. */
export function groupActions(actions: readonly ShownAction[]): Group[] {
  const byAddress = new Map(actions.map((action) => [action.address, action]));
  const groups = new Map<string, ShownAction[]>();
  for (const action of actions) {
    if (action.action === 'no-op' && action.notes.length === 0 && action.dataAtRisk === undefined) continue;
    const address = serviceOf(action, byAddress).address;
    const group = groups.get(address);
    if (group === undefined) groups.set(address, [action]);
    else if (action.address === address) group.unshift(action);
    else group.push(action);
  }
  return [...groups].map(([address, members]) => ({ address, actions: members }));
}

/** The service of an action: the ancestor directly below an environment, or the action itself. */
function serviceOf(action: ShownAction, byAddress: ReadonlyMap<string, ShownAction>): ShownAction {
  const parent = action.parent === undefined ? undefined : byAddress.get(action.parent);
  return parent === undefined || parent.parent === undefined ? action : serviceOf(parent, byAddress);
}
