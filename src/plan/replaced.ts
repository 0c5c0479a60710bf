import { groupBy } from '../kind/group.ts';
import { oldAddress, replacedAddress } from '../kind/address.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { Action } from './action.ts';
import type { PlanInput } from './input.ts';
import { planRemoval } from './removal.ts';

/** Adds, for replacements that create before they destroy, the deletion of the deposed object after its last user. */
export function withOldOnes(
  input: PlanInput,
  actions: ReadonlyMap<string, Action>,
): { readonly objects: Map<string, ObservedObject>; readonly planned: Action[] } {
  const objects = new Map(input.observed.objects);
  const planned: Action[] = [];
  for (const action of actions.values()) {
    const object = objects.get(action.address);
    planned.push(action);
    if (!action.createsBeforeDestroy || object === undefined) continue;
    let old = oldAddress(action.address);
    while (actions.has(old)) old = oldAddress(old);
    objects.delete(action.address);
    objects.set(old, object);
    const { kind, parent = null } = action;
    // What protects it is said of the action itself.
    const { protect: _, ...options } = action.options;
    const record = { kind: kind.kind, id: object.id, parent, dependsOn: [], pairs: {}, options };
    planned.push(planRemoval({ ...input, observed: { ...input.observed, objects } }, kind, old, record, actions));
  }
  const staying = planned.filter(({ action }) => action !== 'delete');
  const followers = groupBy(
    staying.flatMap(({ address, dependsOn }) =>
      [...new Set([address, ...dependsOn])].map((need) => [need, address] as const),
    ),
  );
  return {
    objects,
    planned: planned.map((action) => {
      const successor = action.action === 'delete' ? replacedAddress(action.address) : undefined;
      // Those that must be done before: the new object, and all that refer to its address.
      return successor === undefined ? action : { ...action, follows: followers.get(successor) ?? [] };
    }),
  };
}
