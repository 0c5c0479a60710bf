import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { linesFor, requireContainer } from '../container-log.ts';
import { textOf, textOr } from '../json-rows.ts';
import { find } from './application.ts';

const deployments = rowsOf('deployment', 'Deployment');

/** Logs of deployments, and of the containers of applications: operations that the document does not have. */
export const logs: Group = {
  // Of every organization. What a deployment that succeeded writes is made up.
  'deployment.readLogs'(context, input) {
    const { deploymentId } = deployments.find(context, input);
    const kept = context.store.find('log', deploymentId);
    const text = kept === undefined ? 'Initializing deployment' : textOf(kept, 'text');
    return `${text.split('\n').slice(-Number(input['tail'])).join('\n')}\n`;
  },

  'application.readLogs'(context, input) {
    requireContainer(context.store, textOr(find(context, input), 'appName'));
    return linesFor(input, ['Starting', 'Listening on port 80']);
  },
};
