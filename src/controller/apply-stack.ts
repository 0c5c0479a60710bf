import { stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { type Plan, type PlanDocument, type ResultDocument, planDocument, resultDocument, Stop } from '../index.ts';
import { restoresOnFailure } from '../kind/written-keys.ts';
import { contentOf } from '../library/manifest-handle.ts';
import type { Running, StackRun } from './with-stack.ts';
import type { PlanRecord } from './records/all.ts';
import { withProgress } from './report-progress.ts';
import { restOf } from './rest-of-plan.ts';
import { watched } from './watch-run.ts';

/** A plan to apply: by the policy, or one that was approved. */
interface ToApply {
  readonly plan: Plan | string;
  readonly document: PlanDocument;
  readonly cause: string;
  readonly approved?: PlanRecord;
}

/** How an apply ended; `deploying`: all is written, and deployments go on. */
export type Applied =
  | { readonly is: 'done' | 'deploying'; readonly problem?: undefined }
  | { readonly is: 'failed'; readonly problem: string };

/**
 * Applies a plan as a run of its own, and does not wait for deployments, but for those that are restored when they fail: only this
 * run knows the former values. Of an approved plan whose apply began and ended with its worker, it applies what is left, if that is a
 * part of the plan. None, where it is not to be applied any more: what changed that has the stack looked at again.
 */
export async function applyPlan(
  running: Running,
  { stack, commit, project, signal: given }: StackRun,
  { plan, document: shown, cause, approved }: ToApply,
): Promise<Applied | undefined> {
  const { records, worker } = running;
  const { resources, settings } = contentOf(project.manifest).manifest;
  const about = { cause, commit, worker, plan: approved?.digest, preview: settings.preview };
  const run = await records.beginApply(stack, about);
  if (run === undefined) return undefined;
  // Who approved a plan saw what it adopts and creates again; that data may be lost has to be said.
  const { allowsDataLoss = false } = approved ?? {};
  const isApproved = approved !== undefined;
  const permissions = {
    adoption: isApproved,
    massRecreation: isApproved,
    dataLoss: allowsDataLoss,
    massDeletion: allowsDataLoss,
  };
  const waits = resources.some(({ options }) => restoresOnFailure(options));
  const continues = isApproved && (await records.continuesApply(run));
  try {
    const document = await watched(running, { run, signal: given }, async (signal) => {
      const ended = await withProgress(running, run, async (onEvent) =>
        project.session({ purpose: 'apply', waits, signal }, async (session) => {
          const made = await session.plan({ reviewed: plan, continues, signal });
          if (continues) refuseOther(shown, planDocument(made));
          return resultDocument(await session.apply(made, permissions, { signal, onEvent }));
        }),
      );
      const ending = appliedAs(ended).is === 'deploying' ? 'deploying' : ended.ending;
      return { result: ended, end: { ending, document: ended } };
    });
    const applied = appliedAs(document);
    // Of one that is done, the row says what was applied first.
    if (applied.is === 'failed' && !document.outcomes.some(isUnderWay) && !document.interrupted)
      await records.deploysNothing(stack);
    return applied;
  } catch (error) {
    // It had the lock of the state, and sent nothing.
    if (error instanceof Stop && error.failure === 'refused') await records.deploysNothing(stack);
    throw error;
  }
}

/** Refuses what is no part of a plan whose apply began. @throws {Stop} `refused` */
function refuseOther(begun: PlanDocument, now: PlanDocument): void {
  const { other } = restOf(begun, now);
  if (other.length === 0) return;
  const message = `more is to do than what is left of the plan, whose apply began: ${someOf(other)}; nothing was sent`;
  throw stop('refused', 'plan-outdated', message, { remedy: 'Approve the plan that takes its place.' });
}

type Outcome = ResultDocument['outcomes'][number];

/** Whether a deployment goes on without the run. */
function isUnderWay({ action, diagnostics }: Outcome): boolean {
  return action === 'deploy' && diagnostics.some(({ code }) => code === 'ordered');
}

/** How a result ended as a whole. */
function appliedAs(document: ResultDocument): Applied {
  const { ending, outcomes } = document;
  if (ending === 'done') return { is: outcomes.some(isUnderWay) ? 'deploying' : 'done' };
  return { is: 'failed', problem: `the apply ended as ${ending}: ${firstError(document)}` };
}

/** Says what went wrong first in a result, or what stopped it before its end. */
export function firstError({ outcomes }: Pick<ResultDocument, 'outcomes'>): string {
  const first = outcomes.flatMap(({ diagnostics }) => diagnostics).find(({ severity }) => severity === 'error');
  return first?.message ?? outcomes.find(({ stopped }) => stopped !== undefined)?.stopped ?? 'nothing says why';
}
