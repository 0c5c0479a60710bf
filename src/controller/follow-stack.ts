import { type ResultDocument, resultDocument } from '../index.ts';
import { firstError } from './apply-stack.ts';
import { withProgress } from './report-progress.ts';
import { noteInStep } from './note-in-step.ts';
import { type Ending, type Running, type StackRun, withStack } from './with-stack.ts';
import { watched } from './watch-run.ts';

/** Seconds before a stack whose apply or deployment failed is planned again: 5 after the first failure, then twice as many each time. */
const [firstPause, longestPause] = [5, 300];

/**
 * Sees the deployments of a stack through that an apply began, also one that ended with its worker. Then the stack is in step, or it
 * is to be planned again: soon after a failure, and later after each further one. Where another run saw them through, the stack is
 * run: that run may have ended with its worker, or this one was to be another when the deployments went on.
 *
 * @throws what failed: the queue calls again later
 */
export async function followStack(running: Running, id: string, signal: AbortSignal): Promise<Ending> {
  const stack = await running.records.stack(id);
  if (stack === undefined || stack.ends !== null) return { is: 'over' };
  if (stack.deploying === null) return { is: 'again', as: 'stack', afterSeconds: 0 };
  return withStack(running, { stack, as: 'follow', signal }, (run) => follow(running, run));
}

async function follow(running: Running, { stack, commit, project, signal: given }: StackRun): Promise<Ending> {
  const { records, worker } = running;
  const { deploying } = stack;
  const id = await records.beginRun(stack, { kind: 'follow', cause: 'apply', commit: deploying ?? commit, worker });
  const followed = await watched(running, { run: id, signal: given }, async (signal) => {
    const result = await withProgress(running, id, (onEvent) => project.follow({ signal, onEvent }));
    const document = result && resultDocument(result);
    return { result: document, end: { ending: document?.ending ?? 'done', document } };
  });
  const isDone = followed?.ending === 'done';
  if (isDone && deploying !== null && stack.deployingDigest !== null) {
    const noted = { stack, project, commit: deploying, digest: stack.deployingDigest };
    const { wantsOther } = await noteInStep(running, noted);
    await records.deploysNothing(stack);
    return wantsOther ? { is: 'again', as: 'stack', afterSeconds: 0 } : { is: 'over' };
  }
  if (followed !== undefined && !isDone) {
    const about = { problem: problemOf(followed), commit: deploying ?? commit, ending: followed.ending };
    await records.stackFailed(stack.id, about);
  }
  await records.deploysNothing(stack);
  const failures = await records.failures(stack.id);
  const afterSeconds = failures === 0 ? 0 : Math.min(firstPause * 2 ** (failures - 1), longestPause);
  return { is: 'again', as: 'stack', afterSeconds };
}

function problemOf(document: ResultDocument): string {
  return `a deployment ended as ${document.ending}: ${firstError(document)}`;
}
