import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `compose` group beyond the API document. */
export const compose = {
  'compose.saveEnvironment': post({
    composeId: z.string(),
    env: z.string().nullable(),
    createEnvFile: z.boolean().optional(),
  }),
  'compose.clearDeployments': post({
    composeId: z.string().min(1),
  }),
  'compose.disconnectGitProvider': post({
    composeId: z.string().min(1),
  }),
  'compose.move': post({
    composeId: z.string(),
    targetEnvironmentId: z.string(),
  }),
  'compose.search': get({
    q: z.string().optional(),
    name: z.string().optional(),
    appName: z.string().optional(),
    description: z.string().optional(),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    limit: z.number().min(1).max(100).default(20),
    offset: z.number().min(0).default(0),
  }),
  'compose.readLogs': get({
    composeId: z.string().min(1),
    containerId: z
      .string()
      .min(1)
      .regex(/^[a-zA-Z0-9.\-_]+$/),
    tail: z.number().int().min(1).max(10000).default(100),
    since: z
      .string()
      .regex(/^(all|\d+[smhd])$/)
      .default('all'),
    search: z
      .string()
      .regex(/^[a-zA-Z0-9 ._-]{0,500}$/)
      .optional(),
  }),
};
