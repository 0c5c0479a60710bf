import { convertedFile, parseComposeFile } from './compose-text.ts';
import { fetchSource, isFromGit, sourceOnDisk } from './compose-source.ts';
import type { Deployable } from './deployment.ts';
import { ApiError } from './error-answers.ts';
import { isEndlessPull, pullProblem } from './images.ts';
import { textOf } from './json-rows.ts';
import { runContainer } from './machine.ts';

/** How a compose is deployed. */
export const composeDeployment: Deployable = {
  table: 'compose',
  status: 'composeStatus',
  isFromGit,

  isStalled({ store }, row, isRebuild) {
    const text = isRebuild && isFromGit(row) ? sourceOnDisk(store, row) : textOf(row, 'composeFile');
    return text !== undefined && isEndlessPull(text);
  },

  deploy({ store }, row, isRebuild) {
    const text = isRebuild && isFromGit(row) ? sourceOnDisk(store, row) : fetchSource(store, row);
    if (text === undefined) throw new ApiError('INTERNAL_SERVER_ERROR', 'Nothing was cloned yet');
    const problem = pullProblem(text);
    if (problem !== undefined) throw new ApiError('INTERNAL_SERVER_ERROR', problem);
    const content = parseComposeFile(text);
    if (content === null && !isFromGit(row)) throw new ApiError('INTERNAL_SERVER_ERROR', 'empty compose file');
    convertedFile(content, row, store.children('domain', 'composeId', row['composeId']));
    runContainer(store, row);
  },
};
