import type { Group } from '../context.ts';
import { ApiError, notFound } from '../errors.ts';
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
    const appName = textOr(find(context, input), 'appName');
    if (context.store.find('container', appName)?.['running'] !== true)
      throw new ApiError('INTERNAL_SERVER_ERROR', `No container or service found for: ${appName}`);
    const wanted = input['search'];
    return ['Starting', 'Listening on port 80']
      .filter((line) => typeof wanted !== 'string' || line.includes(wanted))
      .slice(-Number(input['tail']))
      .join('\n');
  },
};
