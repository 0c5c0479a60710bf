import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Safeguard, safeguards } from '../diagnostics/safeguards.ts';
import type { Loss } from '../kind/lifecycle.ts';

/** Says what the losses of an action need: the data for which it asks, and warnings. */
export function weigh(
  losses: readonly Loss[],
  about: { readonly address: string; readonly position?: Position | undefined; readonly isProtected: boolean },
): { readonly dataAtRisk: string | undefined; readonly warnings: readonly Diagnostic[] } {
  const ruled = losses
    .map(({ of, what, remedy }): Pick<Loss, 'what' | 'remedy'> & { rule: Safeguard } => ({
      what,
      remedy,
      rule: safeguards[of],
    }))
    .filter(({ rule }) => rule.ofProtected !== true || about.isProtected);
  const asked = [...new Set(ruled.flatMap(({ rule, what }) => (rule.permission === undefined ? [] : [what])))];
  const { address, position } = about;
  return {
    dataAtRisk: asked.length === 0 ? undefined : asked.join('; '),
    warnings: ruled.flatMap(({ rule: { permission, code }, what, remedy }) =>
      permission === undefined ? [diagnostic(code, `${address}: ${what}`, { address, position, remedy })] : [],
    ),
  };
}

/** Whether an apply of an action needs the permission to lose data. What `protect: true` refuses needs more. */
export function needsDataLoss({
  dataAtRisk,
  protect,
  notes,
}: {
  readonly dataAtRisk?: string | undefined;
  readonly protect?: boolean | undefined;
  readonly notes: readonly { readonly code: string }[];
}): boolean {
  return dataAtRisk !== undefined && protect !== false && !notes.some(({ code }) => code === safeguards.protected.code);
}
