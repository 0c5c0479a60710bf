import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Action, createsObject, isChange, isMove, isReplacement } from './action.ts';

/**
 * Why deployments fail, as far as a plan is about their blocks: an error where the plan writes to the service or to what is
 * below it, and a warning where what was applied stays as it is.
 */
export function failuresIn(failing: readonly Diagnostic[], actions: readonly Action[]): Diagnostic[] {
  if (failing.length === 0) return [];
  const scopes = new Map(actions.map(({ address, scope }) => [address, scope]));
  const edited = new Set(actions.filter(writes).map(({ scope }) => scope));
  return failing.flatMap((item) => {
    const scope = scopes.get(item.address ?? '');
    if (scope === undefined) return [];
    return [edited.has(scope) ? item : { ...item, severity: 'warning' as const }];
  });
}

function writes(one: Action): boolean {
  return createsObject(one) || isChange(one) || isMove(one) || isReplacement(one);
}
