import { groupBy } from '../kind/group.ts';
import { same } from '../formats/json.ts';
import { knownValue } from '../manifest/wanted.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { type Action, createsFirst, createsObject, isDeletion, isDeposed } from './action.ts';
import { deposedAddress } from './action-target.ts';
import type { PlanInput } from './input.ts';
import { planRemoval } from './removal.ts';

/** Adds, for replacements that create before they destroy, the deletion of the deposed object after its last user. */
export function withDeposed(
  input: PlanInput,
  actions: ReadonlyMap<string, Action>,
): { readonly objects: ReadonlyMap<string, ObservedObject>; readonly planned: Action[] } {
  const deposed = new Map(
    [...actions.values()].flatMap((action) => {
      const object = input.observed.objects.get(action.address);
      if (!createsFirst(action) || object === undefined) return [];
      const old = deposedAddress(action.address, (address) => actions.has(address));
      return [[action.address, { old, object }] as const];
    }),
  );
  const objects = new Map([
    ...[...input.observed.objects].filter(([address]) => !deposed.has(address)),
    ...[...deposed.values()].map(({ old, object }) => [old, object] as const),
  ]);
  const withOld = { ...input, observed: { ...input.observed, objects } };
  const planned = [...actions.values()].flatMap((action) => {
    const { kind, parent = null } = action;
    const gone = deposed.get(action.address);
    if (gone === undefined) return [action];
    const { old, object } = gone;
    // What protects it is said of the action itself.
    const { protect: _, ...options } = action.options;
    const record = { kind: kind.kind, id: object.id, parent, dependsOn: [], pairs: {}, options };
    return [action, planRemoval(withOld, { kind, address: old, record }, actions)];
  });
  const staying = planned.filter((one) => !isDeletion(one));
  const followers = groupBy(
    staying.flatMap(({ address, dependsOn }) =>
      [...new Set([address, ...dependsOn])].map((need) => [need, address] as const),
    ),
  );
  return {
    objects,
    planned: planned.map((action) => {
      if (!isDeletion(action) || !isDeposed(action)) return action;
      if (holdsNameOf(actions.get(action.block), objects.get(action.address))) return action;
      // Those that must be done before: the new object, and all that refer to its address.
      return { ...action, follows: followers.get(action.block) ?? [] };
    }),
  };
}

/** Returns true when a deposed object may have the name that a new object takes, of a kind where only one can have it. */
function holdsNameOf(successor: Action | undefined, old: ObservedObject | undefined): boolean {
  const name = successor?.kind.lifecycle?.createBeforeDestroy?.unless;
  if (name === undefined || successor === undefined || !createsObject(successor)) return false;
  const wanted = successor.attributes.find(({ attribute }) => attribute.field === name)?.wanted;
  if (wanted === undefined) return false;
  const now = old?.row[name];
  return same(knownValue(wanted) ?? now, now);
}
