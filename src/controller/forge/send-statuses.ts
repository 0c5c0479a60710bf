import { writeComment } from '../../forge/comments.ts';
import type { Repository } from '../../forge/repository.ts';
import { type CommitStatus, writeStatus } from '../../forge/statuses.ts';
import type { DueStatus } from '../records/statuses.ts';
import { previewComment } from './preview-comment.ts';
import { type AtForge, refusalOf, withForge } from './forge-of-source.ts';
import { statusOf } from './status-text.ts';

/** Most requests in one job. */
const most = 50;

/**
 * Tells the forge of a source what is true of its commits and it does not know, one after the other. What it refuses is noted, and
 * fails nothing.
 *
 * @throws as `withForge`
 */
export async function sendStatuses(
  { records }: Pick<AtForge, 'records'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const changes = await records.untold(id);
  const [due, address] = [await records.dueStatuses(id, most), await records.pageAddress()];
  // Where there may be more, the changes stay for the next job.
  const told = async (): Promise<void> => void (due.length < most && (await records.told(id, changes)));
  const send = async (forge: Repository): Promise<void> => {
    for (const one of due) {
      signal.throwIfAborted();
      const status = statusOf(one, address);
      const problem = await say(forge, one, status).then(
        () => undefined,
        (error: unknown) => refusalOf(forge, error),
      );
      await records.saidStatus(one, { state: status.state, problem });
    }
    await told();
  };
  // A forge that nothing is sent to has not answered.
  await (due.length === 0 ? told() : withForge({ records }, id, send, signal));
}

/** Writes a status; of a preview also the comment of its pull request. */
async function say(forge: Repository, due: DueStatus, status: CommitStatus): Promise<void> {
  await writeStatus(forge, status);
  if (due.pull !== null && due.is !== 'superseded')
    await writeComment(forge, due.pull, previewComment(due, status.url));
}
