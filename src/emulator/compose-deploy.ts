import { checkDomains, parseComposeFile } from './compose-file.ts';
import { fetchSource, isFromGit, sourceOnDisk } from './compose-source.ts';
import type { Context } from './context.ts';
import { ApiError } from './errors.ts';
import { textOf, textOr, type Row } from './json.ts';
import { runContainer } from './machine.ts';
import { logPath } from './names.ts';
import type { Job } from './queue.ts';

/** How many earlier deployments are kept when a new one is written down. */
const historyLength = 10;

/** What a person or client says about a deployment. */
export interface DeployOrder {
  readonly title: string;
  readonly description: string;
  /** Works with the files on disk instead of fetching them. */
  readonly isRebuild: boolean;
}

/** The job of deploying a compose: nothing of it shows in the platform before the queue takes it. */
export function composeJob(context: Context, composeId: string, order: DeployOrder): Job {
  const { store, newId, now } = context;
  const deploymentId = newId();

  return {
    owner: composeId,
    server: textOr(store.find('compose', composeId), 'serverId'),

    begin() {
      const row = store.find('compose', composeId);
      if (row === undefined) return;
      store.update('compose', composeId, { composeStatus: 'running' });
      trimHistory(context, composeId);
      const time = now();
      store.insert('deployment', {
        deploymentId,
        title: order.title,
        description: order.description,
        logPath: logPath(textOf(row, 'appName'), time),
        composeId,
        createdAt: time,
        startedAt: time,
      });
    },

    finish(killed) {
      const row = store.find('compose', composeId);
      if (row === undefined) return;
      const errorMessage = killed ? 'The build was killed' : tryDeploy(context, row, order.isRebuild);
      const status = errorMessage === null ? 'done' : 'error';
      store.update('deployment', deploymentId, {
        status,
        errorMessage,
        finishedAt: now(),
        // A build from a repository ends up under the name of its commit.
        ...(isFromGit(row) && errorMessage === null ? { title: 'Latest commit' } : {}),
      });
      store.update('compose', composeId, { composeStatus: status });
    },
  };
}

/** Deploys; the reason when it cannot. */
function tryDeploy({ store }: Context, row: Row, isRebuild: boolean): string | null {
  try {
    const text = isRebuild && isFromGit(row) ? sourceOnDisk(store, row) : fetchSource(store, row);
    if (text === undefined) return 'Nothing was cloned yet';
    if (text.includes('fail:')) return 'cannot pull the image';
    const content = parseComposeFile(text);
    if (content === null && !isFromGit(row)) return 'empty compose file';
    checkDomains(content, store.children('domain', 'composeId', row['composeId']));
    runContainer(store, row);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

function trimHistory({ store }: Context, composeId: string): void {
  const earlier = store
    .children('deployment', 'composeId', composeId)
    .toSorted((a, b) => textOf(b, 'createdAt').localeCompare(textOf(a, 'createdAt')));
  for (const row of earlier.slice(historyLength)) store.remove('deployment', row['deploymentId']);
}
