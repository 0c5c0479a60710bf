import type { Context } from './context.ts';
import { ApiError } from './error-answers.ts';
import { textOf, textOr, type Row } from './json-rows.ts';
import { logPath } from './made-up-names.ts';
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

/** How applications and compose stacks differ when they are deployed. */
export interface Deployable {
  readonly table: 'application' | 'compose';
  readonly status: 'applicationStatus' | 'composeStatus';
  isFromGit(row: Row): boolean;
  /** Milliseconds that the pulls of images take: Infinity for those that never end. */
  pullTime(context: Context, row: Row, isRebuild: boolean): number;
  /** Does the work, and gives what docker says about it; throws an ApiError with the reason when it cannot. */
  deploy(context: Context, row: Row, isRebuild: boolean): readonly string[];
}

/** The job of deploying a service: nothing of it shows in the platform before the queue takes it. */
export function deployJob(context: Context, kind: Deployable, id: string, order: DeployOrder): Job {
  const { store, newId, now } = context;
  const { table, status } = kind;
  const deploymentId = newId();
  const server = textOr(store.find(table, id), 'serverId');
  const timestamp = Date.parse(now());
  let processedOn: number | undefined;

  return {
    owner: id,
    table,
    server,

    about: () => ({
      name: 'deployments',
      data: {
        [`${table}Id`]: id,
        titleLog: order.title,
        descriptionLog: order.description,
        type: order.isRebuild ? 'redeploy' : 'deploy',
        applicationType: table,
        server: server !== '',
      },
      timestamp,
      ...(processedOn === undefined ? {} : { processedOn }),
    }),

    begin() {
      processedOn = Date.parse(now());
      const row = store.find(table, id);
      if (row === undefined) return;
      store.update(table, id, { [status]: 'running' });
      trimHistory(context, `${table}Id`, id);
      const time = now();
      store.insert('deployment', {
        deploymentId,
        title: order.title,
        description: order.description,
        logPath: logPath(textOf(row, 'appName'), time),
        [`${table}Id`]: id,
        createdAt: time,
        startedAt: time,
      });
    },

    pullTime() {
      const row = store.find(table, id);
      return row === undefined ? 0 : kind.pullTime(context, row, order.isRebuild);
    },

    finish(killed) {
      const row = store.find(table, id);
      if (row === undefined) return;
      let said: readonly string[] = [];
      const failure = killed ? 'Killed' : failureOf(() => (said = kind.deploy(context, row, order.isRebuild)));
      const outcome = failure === undefined ? 'done' : 'error';
      if (failure !== undefined) {
        const text = `Initializing deployment\n${failure}\nError occurred ❌, check the logs for details.`;
        store.insert('log', { deploymentId, text });
      } else if (said.length > 0) {
        store.insert('log', { deploymentId, text: ['Initializing deployment', ...said].join('\n') });
      }
      store.update('deployment', deploymentId, {
        status: outcome,
        // Measured: the reason is in the log of the deployment only.
        errorMessage: null,
        finishedAt: now(),
        // What was fetched ends up under the name of its commit; what was only rebuilt does not.
        ...(kind.isFromGit(row) && !order.isRebuild && outcome === 'done'
          ? { title: 'Latest commit', description: `Commit: ${deploymentId}` }
          : {}),
      });
      store.update(table, id, { [status]: outcome });
    },
  };
}

/** A run that is over within its request, such as a backup by hand, under the row it belongs to. */
export function recordRun(
  { store, newId, now }: Context,
  row: Row,
  run: { owner: 'backupId' | 'volumeBackupId' | 'scheduleId'; title: string; status: 'done' | 'error' },
): Row {
  const time = now();
  return store.insert('deployment', {
    deploymentId: newId(),
    title: run.title,
    description: run.title,
    status: run.status,
    logPath: logPath(textOf(row, 'appName'), time),
    [run.owner]: textOf(row, run.owner),
    createdAt: time,
    startedAt: time,
    finishedAt: time,
  });
}

/** What stops some work; undefined when nothing does. */
function failureOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return `Error: ${error.message}`;
    throw error;
  }
}

function trimHistory({ store }: Context, column: string, id: string): void {
  const earlier = store
    .children('deployment', column, id)
    .toSorted((a, b) => textOf(b, 'createdAt').localeCompare(textOf(a, 'createdAt')));
  for (const row of earlier.slice(historyLength)) store.remove('deployment', row['deploymentId']);
}
