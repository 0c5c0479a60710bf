import type { Resource } from '../manifest/resource.ts';
import { type Action, isDeployment, isRun } from './action.ts';
import { actionsByAddress } from './relations.ts';

/**
 * Sorts actions as the manifest declares their resources. What is not declared any more stands where its block would:
 * behind the last one of its kind below its parent, else behind all that is below its parent. Deployments come behind them, and what runs once last.
 */
export function inFileOrder(actions: readonly Action[], resources: readonly Resource[]): Action[] {
  const places = new Map(resources.map(({ address }, place) => [address, place]));
  const ends = endsOf(resources);
  const siblings = new Map<string, number>();
  for (const { address, kind, parent } of resources) {
    const list = listOf(kind.kind, parent);
    siblings.set(list, Math.max(siblings.get(list) ?? 0, ends.get(address) ?? 0));
  }
  const byAddress = actionsByAddress(actions);
  const placeOf = (action: Action): number => {
    const { block, kind, parent } = action;
    if (isDeployment(action)) return resources.length;
    const own = places.get(block);
    if (own !== undefined) return own;
    const above = byAddress.get(parent ?? '');
    if (above !== undefined && !places.has(above.address)) return placeOf(above);
    return siblings.get(listOf(kind.kind, parent)) ?? ends.get(parent ?? '') ?? resources.length;
  };
  const runs = actions.filter(isRun);
  const ranked = actions.flatMap((action) => {
    if (isRun(action)) return [];
    const { address } = action;
    const rank = isDeployment(action) ? 2 : places.has(address) ? 0 : 1;
    return [{ action, address, place: placeOf(action), rank }];
  });
  const sorted = ranked.toSorted((a, b) => a.place - b.place || a.rank - b.rank || (a.address < b.address ? -1 : 1));
  return [...sorted.map(({ action }) => action), ...runs];
}

/** The place of the last resource that is a resource or below it, by the address of that one. */
function endsOf(resources: readonly Resource[]): ReadonlyMap<string, number> {
  const parents = new Map(resources.map(({ address, parent }) => [address, parent]));
  const ends = new Map<string, number>();
  for (const [place, { address }] of resources.entries()) {
    for (let above: string | undefined = address; above !== undefined; above = parents.get(above))
      ends.set(above, place);
  }
  return ends;
}

function listOf(kind: string, parent: string | undefined): string {
  return `${kind} below ${parent ?? ''}`;
}
