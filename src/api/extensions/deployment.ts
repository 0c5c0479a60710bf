import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `deployment` group beyond the API document. */
export const deployment = {
  'deployment.all': get(() => ({
    applicationId: z.string().min(1),
  })),
  'deployment.allByCompose': get(() => ({
    composeId: z.string().min(1),
  })),
  'deployment.allByServer': get(() => ({
    serverId: z.string().min(1),
  })),
  'deployment.allCentralized': get(() => ({})),
  'deployment.queueList': get(() => ({})),
  'deployment.allByType': get(() => ({
    id: z.string().min(1),
    type: z.enum(['application', 'compose', 'server', 'schedule', 'previewDeployment', 'backup', 'volumeBackup']),
  })),
  'deployment.killProcess': post(() => ({
    deploymentId: z.string().min(1),
  })),
  'deployment.removeDeployment': post(() => ({
    deploymentId: z.string().min(1),
  })),
  'deployment.readLogs': get(() => ({
    deploymentId: z.string().min(1),
    tail: z.number().int().min(1).max(10000).default(100),
  })),
};
