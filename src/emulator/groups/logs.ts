import type { Group } from '../context.ts';
import { linesFor, requireContainer } from '../container-log.ts';
import { notFound } from '../errors.ts';
import { textOf, textOr } from '../json.ts';
import { find } from './application.ts';

/** Logs of deployments, and of the containers of applications: operations that the document does not have. */
export const logs: Group = {
  // Of every organization. What a deployment that succeeded writes is made up.
  'deployment.readLogs'({ store }, { deploymentId, tail }) {
    const row = store.find('deployment', deploymentId);
    if (row === undefined) throw notFound('Deployment');
    const kept = store.find('log', deploymentId);
    const text = kept === undefined ? 'Initializing deployment' : textOf(kept, 'text');
    return `${text.split('\n').slice(-Number(tail)).join('\n')}\n`;
  },

  'application.readLogs'(context, input) {
    requireContainer(context.store, textOr(find(context, input), 'appName'));
    return linesFor(input, ['Starting', 'Listening on port 80']);
  },
};
