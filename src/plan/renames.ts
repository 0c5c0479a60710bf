import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { replacedAddress } from '../kind/address.ts';
import type { Action } from './action.ts';

/** A plan that deletes and creates one kind may mean a rename without an entry in `moved:`. */
export function possibleRenames(actions: readonly Action[]): Diagnostic[] {
  const created = new Map<string, string>();
  for (const action of actions) if (action.action === 'create') created.set(action.kind.kind, action.address);
  const seen = new Set<string>();
  return actions.flatMap((action) => {
    const other = created.get(action.kind.kind);
    const isOld = replacedAddress(action.address) !== undefined;
    const isLetGo =
      action.action === 'forget' && action.id !== undefined && action.kind.operations.delete === undefined;
    if (!isLetGo && (action.action !== 'delete' || isOld || action.teardown.length === 0)) return [];
    if (other === undefined || seen.has(action.kind.kind)) return [];
    seen.add(action.kind.kind);
    return [
      diagnostic('renamed', `${action.address} is ${isLetGo ? 'let go of' : 'deleted'} and ${other} is created`, {
        remedy: `If that is one object under a new name, write moved: [{ from: ${JSON.stringify(action.address)}, to: ${JSON.stringify(other)} }].`,
        address: action.address,
      }),
    ];
  });
}
