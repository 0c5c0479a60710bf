import { driftDocument, driftPlan, planDocument, planFile, Stop } from '../index.ts';
import { type Applied, applyPlan } from './apply-stack.ts';
import { consentFor } from './consent.ts';
import { type Ending, type Running, type StackRun, withStack } from './with-stack.ts';
import { problemText } from './problem-text.ts';
import { noteInStep } from './note-in-step.ts';
import { restOf, restText } from './rest-of-plan.ts';
import type { PlanRecord } from './records/all.ts';
import { removePreview } from './remove-preview.ts';
import { watched } from './watch-run.ts';

export type { Ending, Running } from './with-stack.ts';

const over: Ending = { is: 'over' };

/**
 * Brings a stack on: applies the plan that waits, once it is approved; plans a new commit; or looks for drift where nothing is new.
 * While its deployments go on, they are seen through first. A preview that is to be removed is removed. The lease of its state keeps
 * two runs apart, whatever the queue does.
 *
 * @throws what failed: the queue calls again later
 */
export async function runStack(running: Running, id: string, signal: AbortSignal): Promise<Ending> {
  const { records } = running;
  const stack = await records.stack(id);
  if (stack === undefined || stack.isPaused || stack.isGone) return over;
  if (stack.ends !== null) return removePreview(running, stack, signal);
  if (stack.deploying !== null) return { is: 'again', as: 'follow', afterSeconds: 0 };
  return withStack(running, { stack, as: 'stack', signal }, async (run) => {
    const waiting = await records.waitingPlan(id);
    return waiting?.commit === run.commit && waiting.isApproved === true && stack.policy !== 'never'
      ? applyApproved(running, run, waiting)
      : look(running, run);
  });
}

/** Applies the plan that was approved, and nothing else. One that does not fit any more is superseded, and the stack is planned again. */
async function applyApproved(running: Running, run: StackRun, plan: PlanRecord): Promise<Ending> {
  const { records } = running;
  try {
    const { file, document, cause } = plan;
    const applied = await applyPlan(running, run, { plan: file, document, cause, approved: plan });
    if (applied === undefined) return over;
    await records.endPlan(plan.digest, 'applied');
    return await concluded(running, run, applied);
  } catch (error) {
    if (!(error instanceof Stop) || error.failure !== 'refused') throw error;
    await records.endPlan(plan.digest, 'superseded');
    const ended = await look(running, run);
    // Who approved sees why it is asked again, and what is done.
    const next = await records.waitingPlan(run.stack.id);
    if (next === undefined) return ended;
    const isBegun = await records.isApplyBegun(plan.digest);
    const rest = isBegun ? [restText(plan.digest, restOf(plan.document, next.document))] : [];
    await records.explainPlan(next.digest, [problemText(error), ...rest].join('\n'));
    return ended;
  }
}

/** Looks for drift where the platform was brought to what the manifest wants, and plans where it was not. */
function look(running: Running, run: StackRun): Promise<Ending> {
  const wasInStep = run.stack.applied !== null && run.stack.digest === run.digest;
  return wasInStep ? lookForDrift(running, run) : planAndApply(running, run);
}

/** Plans what a commit changes; applies it where the policy says so, and keeps it for a verdict where that or the plan needs one. */
async function planAndApply(running: Running, run: StackRun): Promise<Ending> {
  const { records, worker } = running;
  const { stack, commit, project } = run;
  const id = await records.beginRun(stack, { kind: 'plan', cause: 'commit', commit, worker });
  const { plan, document } = await watched(running, { run: id, signal: run.signal }, async (signal) => {
    const made = await project.plan({ signal });
    const shown = planDocument(made);
    return { result: { plan: made, document: shown }, end: { ending: 'done', document: shown } };
  });
  if (!document.hasChanges) return inStep(running, run);
  const consent = consentFor(document);
  if (stack.policy === 'automatic' && !consent.isNeeded) {
    const applied = await applyPlan(running, run, { plan, document, cause: 'commit' });
    if (applied !== undefined) return concluded(running, run, applied);
  }
  // Until its wave lets it in, people see what it will do.
  await keep(running, run, { cause: 'commit', document, file: planFile(plan), ...consent });
  return over;
}

/** Keeps a plan for a verdict. Who wrote the commit of a pull request, only git says; of the branch, its source has it. */
async function keep(
  { records, checkouts }: Running,
  { stack, source, commit }: StackRun,
  plan: Omit<Parameters<Running['records']['keepPlan']>[1], 'commit' | 'authors'>,
): Promise<void> {
  const authors = stack.pull === null ? undefined : await checkouts.authors(source, commit);
  await records.keepPlan(stack, { ...plan, commit, authors });
}

/**
 * Compares the platform with what was applied last. What drifted is put right only after an approval; where nothing did, and
 * something is to change all the same, such as a secret that was rotated, it is planned like a commit.
 */
async function lookForDrift(running: Running, run: StackRun): Promise<Ending> {
  const { records, worker } = running;
  const { stack, commit, project } = run;
  const id = await records.beginRun(stack, { kind: 'drift', cause: 'look', commit, worker });
  const { plan, hasDrift } = await watched(running, { run: id, signal: run.signal }, async (signal) => {
    const drift = await project.drift({ remembers: false, signal });
    const found = driftDocument(drift);
    const { hasChanges } = planDocument(driftPlan(drift));
    const hasDrift = hasChanges && found.findings.some(({ status }) => status !== 'not yet applied');
    return {
      result: { plan: driftPlan(drift), hasDrift },
      end: { ending: hasDrift ? 'drifted' : 'in step', document: found },
    };
  });
  const document = planDocument(plan);
  if (hasDrift) {
    await keep(running, run, { cause: 'drift', document, file: planFile(plan), ...consentFor(document) });
    return over;
  }
  return document.hasChanges ? planAndApply(running, run) : inStep(running, run);
}

/** Notes that the platform is in step with a commit, or will be when its deployments end. @throws what failed otherwise */
async function concluded(running: Running, run: StackRun, { is, problem }: Applied): Promise<Ending> {
  if (is === 'failed') throw new Error(problem);
  if (is === 'deploying') {
    const { stack, commit, digest } = run;
    await running.records.deploys(stack, { commit, digest });
    return { is: 'again', as: 'follow', afterSeconds: 0 };
  }
  const ended = await inStep(running, run);
  await running.records.deploysNothing(run.stack);
  return ended;
}

/** Notes that the platform is in step with the commit of a run. Where a newer one came meanwhile, the stack is run again. */
async function inStep(running: Running, run: StackRun): Promise<Ending> {
  const { wantsOther } = await noteInStep(running, run);
  return wantsOther ? { is: 'again', as: 'stack', afterSeconds: 0 } : over;
}
