import type { Deployable } from './deployment.ts';
import { ApiError } from './error-answers.ts';
import { checkRepository } from './clone-check.ts';
import { isEndlessPull, pullProblem } from './images.ts';
import { textOr, type Row } from './json-rows.ts';
import { runContainer } from './machine.ts';
import type { Store } from './table-store.ts';

/** How an application is deployed: its code is cloned and built; an image needs neither. */
export const applicationDeployment: Deployable = {
  table: 'application',
  status: 'applicationStatus',
  isFromGit,
  isStalled: (_context, row) => row['sourceType'] === 'docker' && isEndlessPull(textOr(row, 'dockerImage')),

  deploy({ store }, row, isRebuild) {
    const appName = row['appName'] ?? null;
    if (isFromGit(row) && !isRebuild) {
      checkRepository(row);
      if (store.find('code', appName) === undefined) store.insert('code', { appName });
    }
    if (row['sourceType'] !== 'docker' && store.find('code', appName) === undefined)
      throw new ApiError('INTERNAL_SERVER_ERROR', 'There is no code on disk: nothing was cloned yet');
    runImage(store, row);
  },
};

/** Creates or renews the docker service of an application, with its configured image or the one that was built. */
export function runImage(store: Store, row: Row): void {
  if (row['sourceType'] === 'docker') {
    const image = textOr(row, 'dockerImage');
    if (image === '') throw new ApiError('INTERNAL_SERVER_ERROR', 'Docker image not found');
    const problem = pullProblem(image);
    if (problem !== undefined) throw new ApiError('INTERNAL_SERVER_ERROR', problem);
  }
  runContainer(store, row);
}

function isFromGit(row: Row): boolean {
  return row['sourceType'] !== 'docker' && row['sourceType'] !== 'drop';
}
