import { convertedFile, parseComposeFile } from './compose-text.ts';
import { fetchSource, isFromGit, sourceOnDisk } from './compose-source.ts';
import type { Deployable } from './deployment.ts';
import { ApiError } from './error-answers.ts';
import { pullProblem, pullTime } from './images.ts';
import { textOf } from './json-rows.ts';
import { runContainer } from './machine.ts';
import { ordersOfCompose } from './service-orders.ts';

/** How a compose is deployed. */
export const composeDeployment: Deployable = {
  table: 'compose',
  status: 'composeStatus',
  isFromGit,

  pullTime({ store }, row, isRebuild) {
    // Of a stack the nodes pull, when it is deployed.
    if (row['composeType'] === 'stack') return 0;
    const text = isRebuild && isFromGit(row) ? sourceOnDisk(store, row) : textOf(row, 'composeFile');
    return text === undefined ? 0 : pullTime(text);
  },

  deploy(context, row, isRebuild) {
    const { store } = context;
    const text = isRebuild && isFromGit(row) ? sourceOnDisk(store, row) : fetchSource(store, row);
    if (text === undefined) throw new ApiError('INTERNAL_SERVER_ERROR', 'Nothing was cloned yet');
    const problem = row['composeType'] === 'stack' ? undefined : pullProblem(text);
    if (problem !== undefined) throw new ApiError('INTERNAL_SERVER_ERROR', problem);
    const content = parseComposeFile(text);
    if (content === null && !isFromGit(row)) throw new ApiError('INTERNAL_SERVER_ERROR', 'empty compose file');
    const converted = convertedFile(content, row, store.children('domain', 'composeId', row['composeId']));
    runContainer(context, row, ordersOfCompose(converted ?? ofRepository, row));
  },
};

/** What a repository holds that nobody reads: a service that stays up. */
const ofRepository = { services: { web: { image: 'repository' } } };
