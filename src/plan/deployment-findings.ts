import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Action, createsObject, isChange, isDeployment, isMove, isReplacement } from './action.ts';

/**
 * What is to be said about the deployments of blocks beside a plan: of services that it writes to or deploys. Why one fails is an
 * error where the plan writes to the service or to what is below it, and a warning where what was applied stays as it is.
 */
export function deploymentFindings(found: readonly Diagnostic[], actions: readonly Action[]): Diagnostic[] {
  if (found.length === 0) return [];
  const scopes = new Map(actions.map(({ address, scope }) => [address, scope]));
  const edited = new Set(actions.filter(writes).map(({ scope }) => scope));
  const deployed = new Set(actions.filter((one) => isDeployment(one)).map(({ block }) => block));
  return inOrder(found).flatMap((item) => {
    const scope = scopes.get(item.address ?? '');
    if (scope === undefined) return [];
    if (item.severity !== 'error') return edited.has(scope) || deployed.has(scope) ? [item] : [];
    return [edited.has(scope) ? item : { ...item, severity: 'warning' as const }];
  });
}

/** By address and code: the order of the blocks in their files does not count. */
function inOrder(found: readonly Diagnostic[]): readonly Diagnostic[] {
  const ranked = found.map((item) => [`${item.address} ${item.code} ${item.message}`, item] as const);
  return ranked.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => item);
}

function writes(one: Action): boolean {
  return createsObject(one) || isChange(one) || isMove(one) || isReplacement(one);
}
