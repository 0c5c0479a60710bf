import {
  type Plan,
  type Project,
  type Result,
  driftDocument,
  driftPlan,
  manifestDocument,
  planDocument,
  planFile,
  resultDocument,
  Stop,
} from '../index.ts';
import type { Checkouts } from './checkouts.ts';
import { type Opening, openStack } from './open-stack.ts';
import { problemText } from './problem-text.ts';
import type { PlanRecord, PlatformRecord, Records, StackRecord } from './records.ts';

/** What the runs of a worker share. */
export interface Running extends Opening {
  readonly records: Records;
  readonly checkouts: Checkouts;
  /** Names this worker in runs. */
  readonly worker: string;
}

/** How a run of a stack ends for the queue: it is over, or to be done again in some seconds. */
export type Ending = { readonly is: 'over' } | { readonly is: 'again'; readonly afterSeconds: number };

/**
 * Brings a stack on: sees deployments through that an earlier run began; applies the plan that waits, once it is approved; plans a new
 * commit; or looks for drift where nothing is new. The lease of its state keeps two runs apart, whatever the queue does.
 *
 * @throws what failed: the queue calls again later
 */
export async function runStack(running: Running, id: string, signal: AbortSignal): Promise<Ending> {
  const { records, checkouts } = running;
  const stack = await records.stack(id);
  if (stack === undefined || stack.isPaused || stack.isGone || stack.wanted === null) return { is: 'over' };
  const [source, platform] = await Promise.all([records.source(stack.source), records.platform(stack.platform)]);
  if (source === undefined || platform === undefined) return { is: 'over' };
  try {
    const { wanted: commit } = stack;
    await checkouts.at(source, commit, (folder) => inFolder(running, { stack, commit, platform, folder, signal }));
    return { is: 'over' };
  } catch (error) {
    if (error instanceof Stop && error.failure === 'locked') {
      const { expiresInMs = 5_000 } = error.holder ?? {};
      return { is: 'again', afterSeconds: Math.max(1, Math.ceil(expiresInMs / 1_000)) };
    }
    // What its worker stops has not failed.
    if (!signal.aborted)
      await records.stackFailed(id, {
        problem: problemText(error),
        commit: stack.wanted,
        ending: error instanceof Stop ? error.failure : 'failed',
      });
    throw error;
  }
}

/** One stack with the files of the commit that it is to have. */
interface StackRun {
  readonly stack: StackRecord;
  /** The commit that it wants. */
  readonly commit: string;
  readonly platform: PlatformRecord;
  readonly folder: string;
  readonly signal: AbortSignal;
}

async function inFolder(running: Running, run: StackRun): Promise<void> {
  const { records } = running;
  const { stack, commit, folder, platform } = run;
  const open = () => openStack(running, { id: stack.id, path: stack.path, platform, folder });
  const project = await noted(running, run, open);
  const close = (): void => void project.close().catch(() => undefined);
  run.signal.addEventListener('abort', close);
  try {
    const { digest } = manifestDocument(project.manifest);
    await noted(running, run, () => followEarlier(running, run, project));
    const waiting = await records.waitingPlan(stack.id);
    if (waiting?.commit === commit && waiting.isApproved === true && stack.policy !== 'never')
      await applyApproved(running, run, { project, digest, plan: waiting });
    else await look(running, run, { project, digest });
  } finally {
    run.signal.removeEventListener('abort', close);
    await project.close();
  }
}

/** A project, and the digest of what its manifest wants. */
interface Opened {
  readonly project: Project;
  readonly digest: string;
}

/** Sees deployments through that an earlier run began, and that ended with its worker. */
async function followEarlier(running: Running, { stack, commit, signal }: StackRun, project: Project): Promise<void> {
  const result = await project.follow({ signal });
  if (result === undefined) return;
  const { records, worker } = running;
  const run = await records.beginRun(stack, {
    kind: 'follow',
    cause: 'earlier run',
    commit,
    worker,
  });
  await records.endRun(run, { ending: resultDocument(result).ending, document: resultDocument(result) });
}

/** Applies the plan that was approved, and nothing else. One that does not fit any more is superseded, and the stack is planned again. */
async function applyApproved(
  running: Running,
  run: StackRun,
  { project, digest, plan }: Opened & { readonly plan: PlanRecord },
): Promise<void> {
  const { records } = running;
  try {
    const ended = await apply(running, run, { project, plan: plan.file, cause: plan.cause, digest: plan.digest });
    if (ended === undefined) return;
    await records.endPlan(plan.digest, 'applied');
    await concluded(running, run, { digest, ended });
  } catch (error) {
    if (!(error instanceof Stop) || error.failure !== 'refused') throw error;
    await records.endPlan(plan.digest, 'superseded');
    await look(running, run, { project, digest });
    // Who approved sees why it is asked again.
    if ((await records.waitingPlan(run.stack.id)) !== undefined)
      await records.stackProblem(run.stack.id, problemText(error));
  }
}

/** Looks for drift where the platform was brought to what the manifest wants, and plans where it was not. */
function look(running: Running, run: StackRun, opened: Opened): Promise<void> {
  const wasInStep = run.stack.applied !== null && run.stack.digest === opened.digest;
  return wasInStep ? lookForDrift(running, run, opened) : planAndApply(running, run, opened);
}

/** Plans what a commit changes; applies it where the policy says so, and keeps it for a verdict where that does. */
async function planAndApply(running: Running, run: StackRun, { project, digest }: Opened): Promise<void> {
  const { records, worker } = running;
  const { stack, commit } = run;
  const id = await records.beginRun(stack, { kind: 'plan', cause: 'commit', commit, worker });
  const plan = await ending(running, { id, signal: run.signal }, () => project.plan());
  const document = planDocument(plan);
  await records.endRun(id, { ending: 'done', document });
  if (!document.hasChanges) {
    await records.inStep(stack, commit, digest);
    return;
  }
  if (stack.policy === 'automatic') {
    const ended = await apply(running, run, { project, plan, cause: 'commit' });
    if (ended !== undefined) return concluded(running, run, { digest, ended });
  }
  // Until its wave lets it in, people see what it will do.
  await records.keepPlan(stack, { commit, cause: 'commit', document, file: planFile(plan) });
}

/** Compares the platform with what was applied last. What drifted is put right only after an approval. */
async function lookForDrift(running: Running, run: StackRun, { project, digest }: Opened): Promise<void> {
  const { records, worker } = running;
  const { stack, commit } = run;
  const id = await records.beginRun(stack, { kind: 'drift', cause: 'look', commit, worker });
  const { signal } = run;
  const drift = await ending(running, { id, signal }, () => project.drift({ remembers: false, signal }));
  const document = driftDocument(drift);
  const plan = driftPlan(drift);
  const changes = planDocument(plan);
  await records.endRun(id, { ending: changes.hasChanges ? 'drifted' : 'in step', document });
  if (changes.hasChanges)
    await records.keepPlan(stack, { commit, cause: 'drift', document: changes, file: planFile(plan) });
  else await records.inStep(stack, commit, digest);
}

/** Applies a plan as a run of its own. None, where it is not to be applied any more: what changed that has the stack looked at again. */
async function apply(
  running: Running,
  { stack, commit, signal }: StackRun,
  {
    project,
    plan,
    cause,
    digest,
  }: { readonly project: Project; readonly plan: Plan | string; readonly cause: string; readonly digest?: string },
): Promise<Result | undefined> {
  const { records, worker } = running;
  const id = await records.beginApply(stack, { cause, commit, worker, plan: digest });
  if (id === undefined) return undefined;
  // Who approved a plan saw what it takes over; data is lost by no policy.
  const permissions = { adoption: digest !== undefined };
  const result = await ending(running, { id, signal }, () => project.apply({ plan, permissions, signal }));
  await records.endRun(id, { ending: resultDocument(result).ending, document: resultDocument(result) });
  return result;
}

/** Notes that the platform is in step with a commit, or throws, so that the stack is done again. */
async function concluded(
  { records }: Running,
  { stack, commit }: StackRun,
  { digest, ended }: { readonly digest: string; readonly ended: Result },
): Promise<void> {
  const { ending: how, outcomes } = resultDocument(ended);
  if (how === 'done') {
    await records.inStep(stack, commit, digest);
    return;
  }
  const first = outcomes.flatMap(({ diagnostics }) => diagnostics).find(({ severity }) => severity === 'error');
  throw new Error(`the apply ended as ${how}: ${first?.message ?? 'nothing says why'}`);
}

/** Does the work of a run whose row ends as failed when the work throws; as stopped, when it was told to end. */
async function ending<T>(
  { records }: Running,
  { id, signal }: { readonly id: string; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failure = error instanceof Stop ? error.failure : 'failed';
    await records.endRun(id, { ending: signal.aborted ? 'stopped' : failure });
    throw error;
  }
}

/** Does what comes before a run, such as to read a manifest: a failure of it is that of a plan, for the history and the wave. */
async function noted<T>(running: Running, { stack, commit, signal }: StackRun, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || (error instanceof Stop && error.failure === 'locked')) throw error;
    const { records, worker } = running;
    const id = await records.beginRun(stack, { kind: 'plan', cause: 'commit', commit, worker });
    return ending(running, { id, signal }, () => Promise.reject(error as Error));
  }
}
