import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Plan } from './action.ts';

/** What the user permitted beyond an ordinary apply. */
export interface Permissions {
  /** Data may be deleted. */
  readonly dataLoss: boolean;
  /** Objects that exist already may be taken over. */
  readonly adoption: boolean;
  /** More may be deleted than one edit usually means. */
  readonly massDeletion?: boolean;
}

/**
 * Checks that a plan may be applied.
 *
 * @throws {Stop} `refused`, with everything that keeps the plan from being applied.
 */
export function requirePermissions(plan: Plan, permissions: Permissions): void {
  const stopping = obstacles(plan, permissions);
  if (stopping.length > 0) throw new Stop('refused', stopping);
}

/** What keeps a plan from being applied: its own errors, and what was not permitted. */
export function obstacles(plan: Plan, permissions: Permissions): Diagnostic[] {
  const found = plan.diagnostics.flatMap((item): Diagnostic[] => {
    const isMass = item.code === 'mass-deletion' && permissions.massDeletion !== true;
    return item.severity === 'error' || isMass ? [{ ...item, severity: 'error' }] : [];
  });
  for (const action of plan.actions) {
    found.push(...action.notes.filter((item) => item.severity === 'error'));
    const about = { address: action.address, position: action.position };
    if (action.dataAtRisk !== undefined && action.protect === undefined && !permissions.dataLoss) {
      found.push(
        diagnostic('data-at-risk', `to ${action.action} ${action.address} puts ${action.dataAtRisk} at risk`, {
          ...about,
          remedy: 'Allow it with --allow-data-loss, or write protect: false in the block and apply that first.',
        }),
      );
    }
    if (action.needsConsent && !permissions.adoption) {
      found.push(
        diagnostic('consent', `${action.address} exists on the platform (${action.id ?? ''}) and is not ours yet`, {
          ...about,
          remedy: 'Take it over with --adopt, or pin it with id:.',
        }),
      );
    }
  }
  return found;
}
