import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Stop } from '../../../index.ts';
import type { Records } from '../../records/all.ts';
import { isBy } from '../../records/authors.ts';
import type { PlanRow } from '../../records/shown-runs.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { planAddress } from '../addresses.ts';
import { refusal } from '../refusal.ts';
import type { PageContext } from '../server.ts';
import { fieldOf } from '../fields.ts';
import { now, show, withStackOf } from '../show.ts';
import type { Act, Viewer } from '../viewer.ts';
import { type MayNot, planView, tooLatePage } from '../views/plan.ts';

/** Plans and their verdicts. */
export function planRoutes(app: FastifyInstance, context: PageContext): void {
  const { records } = context;
  app.get('/plans/:digest', { config: { act: 'see' } }, async (request, reply) => {
    const { viewer, query } = request;
    const { plan, stack } = await planOf(records, request);
    const mayNot = mayNotJudge(viewer, { plan, stack, fourEyes: context.fourEyes === true });
    const because = fieldOf(query, 'because');
    const view = { plan, stack, now: now(), csrf: reply.csrf(), who: viewer.name, mayNot, because };
    return show(request, reply, planView(view));
  });
  app.post('/plans/:digest/verdict', { config: { act: 'approve' } }, async (request, reply) => {
    const { viewer, body } = request;
    const { plan, stack } = await planOf(records, request, 'approve');
    const verdict = verdictIn(body);
    const problem = problemOf(verdict, plan);
    if (problem !== undefined) {
      const { because } = verdict;
      const view = {
        plan,
        stack,
        now: now(),
        csrf: reply.csrf(),
        who: viewer.name,
        mayNot: undefined,
        because,
        problem,
      };
      return show(request, reply, planView(view), 422);
    }
    const isNoted = await noteVerdict(context, { plan, stack, viewer }, verdict);
    if (isNoted) return reply.redirect(planAddress(plan.digest), 303);
    const since = await planOf(records, request);
    const view = { ...since, ...verdict, now: now(), who: viewer.name };
    return show(request, reply, tooLatePage(view), 409);
  });
}

/** A verdict as a form or a document has it. */
export interface Given {
  readonly approves: boolean;
  readonly because: string;
  /** Whoever sends it agrees that data is deleted. */
  readonly dataLoss: boolean;
}

/** @throws {Refusal} 400, where it is neither `approve` nor `refuse` */
export function verdictIn(fields: unknown): Given {
  const verdict = fieldOf(fields, 'verdict');
  if (verdict !== 'approve' && verdict !== 'refuse') throw refusal(400, 'verdict must be approve or refuse.');
  const isTrue = (Object(fields) as { readonly dataLoss?: unknown }).dataLoss === true;
  return {
    approves: verdict === 'approve',
    because: fieldOf(fields, 'because'),
    dataLoss: isTrue || fieldOf(fields, 'dataLoss') === 'yes',
  };
}

/** Why a verdict is not taken before it is tried; undefined: it is complete. */
export function problemOf({ approves, because, dataLoss }: Given, { losing }: PlanRow): string | undefined {
  if (!approves) return because === '' ? 'Write why you refuse it: whoever made the commit reads it.' : undefined;
  if (losing.length === 0) return undefined;
  if (!dataLoss) return 'This plan deletes data. Agree to that, or refuse the plan.';
  return because === '' ? 'Write why this data may be deleted.' : undefined;
}

/**
 * Notes a verdict. False: the plan does not wait any more, or this person had spoken.
 *
 * @throws {Refusal} 422, where this person may not approve this plan
 */
export function noteVerdict(
  { records, fourEyes = false }: PageContext,
  { plan, stack, viewer }: { readonly plan: PlanRow; readonly stack: StackRow; readonly viewer: Viewer },
  { approves, because, dataLoss }: Given,
): Promise<boolean> {
  const role = viewer.role(stack.labels) ?? 'none';
  const verdict = { who: viewer.name, role, approves, because, allowsDataLoss: dataLoss, fourEyes };
  return records.judge(plan.digest, verdict).catch((error: unknown) => {
    throw error instanceof Stop ? refusal(422, error.message) : error;
  });
}

/** The plan of an address with its stack. @throws {Refusal} 404 where the viewer may not see it, 403 where they may not do this */
export async function planOf(
  records: Records,
  { viewer, params }: Pick<FastifyRequest, 'viewer' | 'params'>,
  act: Act = 'see',
): Promise<{ readonly plan: PlanRow; readonly stack: StackRow }> {
  const { digest = '' } = params as { readonly digest?: string };
  const { row: plan, stack } = await withStackOf(records, await records.shownPlan(digest), viewer, act);
  return { plan, stack };
}

/** Why a viewer gives no verdict on a plan; undefined: they may. Who wrote the commit may still refuse it. */
function mayNotJudge(
  viewer: Viewer,
  { plan, stack, fourEyes }: { readonly plan: PlanRow; readonly stack: StackRow; readonly fourEyes: boolean },
): MayNot | undefined {
  if (!viewer.may('approve', stack.labels))
    return { act: 'judge', because: 'To approve or refuse it needs the role approver over this stack.' };
  if (fourEyes && plan.authors.some((author) => isBy(author, viewer.name)))
    return { act: 'approve', because: 'You wrote this commit: another approver has to approve its plan.' };
  return undefined;
}
