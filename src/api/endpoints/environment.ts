import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 6 operations of the `environment` group. */
export const environment = {
  'environment.create': post(() => ({
    name: z.string().min(1),
    description: z.string().optional(),
    projectId: z.string().min(1),
  })),
  'environment.one': get(() => ({
    environmentId: z.string().min(1),
  })),
  'environment.byProjectId': get(() => ({
    projectId: z.string(),
  })),
  'environment.remove': post(() => ({
    environmentId: z.string().min(1),
  })),
  'environment.update': post(() => ({
    environmentId: z.string().min(1),
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    projectId: z.string().optional(),
    env: z.string().optional(),
  })),
  'environment.duplicate': post(() => ({
    environmentId: z.string().min(1),
    name: z.string().min(1),
    description: z.string().optional(),
  })),
};
