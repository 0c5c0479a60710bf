/** Which plans of a stack are applied: all at once, each after an approval, or none. */
export type Policy = 'automatic' | 'approval' | 'never';

/** What says whether a person has to approve a plan. */
export interface Asking {
  readonly cause: 'commit' | 'drift';
  /** A person must approve it, whatever the policy is. */
  readonly isNeeded: boolean;
}

/** A plan that was neither applied nor superseded, and has not expired. */
export interface OpenPlan extends Asking {
  readonly commit: string;
  /** null: there is no verdict yet. */
  readonly isApproved: boolean | null;
}

/** What holds up the plan of a stack, or lets it be applied. */
interface Holding {
  readonly policy: Policy;
  readonly wanted: string | null;
  readonly isGone: boolean;
  readonly isPaused: boolean;
  /** The wave that does not let the commit in yet. */
  readonly wave: string | null;
}

/**
 * How an open plan stands. `outdated`: its stack wants another commit; `ended`: the policy applies none; `waits`: for an approval;
 * `next`: the next free worker makes it again, and applies it by the policy. What is `paused`, `approved` or waits for its `wave`
 * needs no person.
 */
export type PlanStanding =
  | 'gone'
  | 'outdated'
  | 'refused'
  | 'ended'
  | 'waits'
  | 'paused'
  | 'wave'
  | 'approved'
  | 'next';

/** Whether a plan is applied only after a person approved it; the policy `never` applies none. */
export function needsApproval(policy: Policy, { cause, isNeeded }: Asking): boolean {
  return policy === 'approval' || (policy === 'automatic' && (isNeeded || cause === 'drift'));
}

/** Says how an open plan stands. Waves let repairs of drift in at any time. */
export function standingOf(plan: OpenPlan, stack: Holding): PlanStanding {
  if (stack.isGone) return 'gone';
  if (plan.commit !== stack.wanted) return 'outdated';
  if (plan.isApproved === false) return 'refused';
  if (stack.policy === 'never') return 'ended';
  if (plan.isApproved === null && needsApproval(stack.policy, plan)) return 'waits';
  if (stack.isPaused) return 'paused';
  if (plan.cause === 'commit' && stack.wave !== null) return 'wave';
  return plan.isApproved === true ? 'approved' : 'next';
}
