import { type ResultDocument, planDocument, resultDocument } from '../index.ts';
import { removal } from '../project/previews.ts';
import { firstError } from './apply-stack.ts';
import { withProgress } from './report-progress.ts';
import type { StackRecord } from './records/all.ts';
import { watched } from './watch-run.ts';
import { type Ending, type Running, withStack } from './with-stack.ts';

/**
 * Removes a preview from its platform, as `trueup preview prune` does: all that its state holds, and nothing else. Its files are those
 * of the commit that it was made from last. One that no apply began is gone at once.
 *
 * @throws what failed: the queue calls again later
 */
export async function removePreview(running: Running, stack: StackRecord, signal: AbortSignal): Promise<Ending> {
  if (stack.made === null) return ended(running, stack);
  return withStack(running, { stack, as: 'stack', signal }, async (run) => {
    const { records, worker } = running;
    const { commit, project } = run;
    const begun = await records.beginRemoval(stack, { commit, worker });
    if (begun.is !== 'begun') {
      if (begun.is === 'never') await records.stackProblem(stack.id, kept);
      return { is: 'over' };
    }
    const document = await watched(running, { run: begun.run, signal }, async (signal) => {
      const result = await withProgress(running, begun.run, async (onEvent) =>
        resultDocument(await project.apply({ destroys: true, permissions: removal, signal, onEvent })),
      );
      return { result, end: { ending: result.ending, document: result } };
    });
    // What cannot be deleted now is tried again, and the row stays as long.
    if (document.ending !== 'done') throw new Error(problemOf(document));
    if (planDocument(await project.plan({ destroys: true, signal })).hasChanges)
      throw new Error('the preview was removed, and something of it is there again');
    return ended(running, stack);
  });
}

const kept =
  'the preview is to be removed, and its policy lets nothing be written\n-> Give its source another policy for previews.';

function problemOf(document: ResultDocument): string {
  return `the removal ended as ${document.ending}: ${firstError(document)}`;
}

/** Ends the row of a preview; one that is wanted again meanwhile is made anew. */
async function ended({ records }: Running, stack: StackRecord): Promise<Ending> {
  return (await records.previewRemoved(stack)) ? { is: 'over' } : { is: 'again', as: 'stack', afterSeconds: 0 };
}
