import type { ApplyResult } from '../../src/apply/job.ts';
import type { PlanInput } from '../../src/documents/plan-document.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { appliedPlan, resultDocument } from '../../src/documents/result-document.ts';
import type { Plan } from '../../src/plan/action.ts';
import type { PlanDocument, ResultDocument } from '../../src/render/document-schemas.ts';

/** Documents for tests of views. */

/** A plan as a document, after no request. */
export function documentOf(plan: Plan, over: Partial<PlanInput> = {}): PlanDocument {
  return planDocument({ plan, counts: { reads: 0, writes: 0 }, ...over });
}

/** A plan without actions. */
export const noPlan: PlanDocument = {
  format: 'trueup/plan',
  version: 2,
  hasChanges: false,
  summary: {},
  compared: 0,
  notCompared: [],
  left: 0,
  ignored: 0,
  requests: { reads: 0, writes: 0 },
  actions: [],
  diagnostics: [],
};

/** The result of an apply as a document. */
export function resultOf(
  result: ApplyResult,
  { plan = noPlan, ...over }: { readonly plan?: PlanDocument } & Partial<ResultDocument> = {},
): ResultDocument {
  const about = { isInterrupted: false, counts: { reads: 4, writes: 2 } };
  return { ...resultDocument({ plan: appliedPlan(plan), result, ...about }), exitCode: 0, ...over };
}
