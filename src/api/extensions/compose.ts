import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { logPart, serviceSearch } from '../values.ts';

/** Operations of the `compose` group beyond the API document. */
export const compose = {
  'compose.saveEnvironment': post(() => ({
    composeId: z.string(),
    env: z.string().nullable(),
    createEnvFile: z.boolean().optional(),
  })),
  'compose.clearDeployments': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.disconnectGitProvider': post(() => ({
    composeId: z.string().min(1),
  })),
  'compose.move': post(() => ({
    composeId: z.string(),
    targetEnvironmentId: z.string(),
  })),
  'compose.search': get(() => ({
    ...serviceSearch(),
  })),
  'compose.readLogs': get(() => ({
    composeId: z.string().min(1),
    containerId: z
      .string()
      .min(1)
      .regex(/^[a-zA-Z0-9.\-_]+$/),
    ...logPart(),
  })),
};
