import * as z from 'zod';
import { get } from '../endpoint.ts';

/** Operations of the `environment` group beyond the API document. */
export const environment = {
  'environment.search': get(() => ({
    q: z.string().optional(),
    name: z.string().optional(),
    description: z.string().optional(),
    projectId: z.string().optional(),
    limit: z.number().min(1).max(100).default(20),
    offset: z.number().min(0).default(0),
  })),
};
