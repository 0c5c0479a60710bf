import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ShownAction, ShownPlan } from '../plan/action.ts';
import { isIgnored } from '../plan/action.ts';
import type { PlanView } from './plan-text.ts';

/** What `plan` printed, as a plan file holds it: `show` prints the same, in every format, and cut short or in full. */
export interface SavedView extends Omit<PlanView, 'isFull' | 'allowed'> {
  /** Warnings of the manifest. */
  readonly warnings: readonly Diagnostic[];
}

/** The members of an action that are JSON already. */
const plain = [
  ...(['address', 'movedFrom', 'action', 'createsBeforeDestroy', 'id', 'parent', 'changes', 'notes'] as const),
  ...(['because', 'isOrdered', 'isLeftOut', 'isAsked', 'holds', 'dataAtRisk', 'protect'] as const),
  ...(['needsConsent', 'position', 'dependsOn', 'comesWithParent', 'goesWithParent'] as const),
];

/** The others, which are counted. A member that is missing in both does not compile. */
type Counted = Record<Exclude<keyof ShownAction, (typeof plain)[number]>, string | number | boolean>;

/** Writes a view as text, for a plan file. Of requests and of ignored fields it keeps the number. */
export function saveView({ plan, ...view }: SavedView): string {
  const { actions, destroys, narrowed, saved, unmanaged, diagnostics } = plan;
  const kept: Record<keyof ShownPlan, unknown> = {
    actions: actions.map(savedAction),
    destroys,
    narrowed,
    saved: saved !== undefined,
    unmanaged,
    diagnostics,
  };
  return JSON.stringify({ ...view, plan: kept });
}

function savedAction(action: ShownAction): object {
  const { kind, teardown, steps, attributes, service } = action;
  const counted: Counted = {
    kind: kind.kind,
    teardown: teardown.length,
    steps: steps.length,
    attributes: attributes.filter(isIgnored).length,
    service: service?.isLeft === true,
  };
  return { ...Object.fromEntries(plain.map((name) => [name, action[name]])), ...counted };
}
