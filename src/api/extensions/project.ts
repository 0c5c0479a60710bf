import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { serviceType } from '../values.ts';

/** Operations of the `project` group beyond the API document. */
export const project = {
  'project.create': post(() => ({
    name: z.string().min(1),
    description: z.string().nullable().optional(),
    env: z.string().optional(),
  })),
  'project.one': get(() => ({
    projectId: z.string().min(1),
  })),
  'project.all': get(() => ({})),
  'project.allForPermissions': get(() => ({})),
  'project.homeStats': get(() => ({})),
  'project.search': get(() => ({
    q: z.string().optional(),
    name: z.string().optional(),
    description: z.string().optional(),
    limit: z.number().min(1).max(100).default(20),
    offset: z.number().min(0).default(0),
  })),
  'project.remove': post(() => ({
    projectId: z.string().min(1),
  })),
  'project.update': post(() => ({
    projectId: z.string().min(1),
    name: z.string().min(1).optional(),
    description: z.string().nullable().optional(),
    createdAt: z.string().optional(),
    organizationId: z.string().optional(),
    env: z.string().optional(),
  })),
  'project.duplicate': post(() => ({
    sourceEnvironmentId: z.string(),
    name: z.string(),
    description: z.string().optional(),
    includeServices: z.boolean().default(true),
    selectedServices: z.array(z.object({ id: z.string(), type: serviceType })).optional(),
    duplicateInSameProject: z.boolean().default(false),
  })),
};
