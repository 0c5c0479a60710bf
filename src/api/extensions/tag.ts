import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `tag` group beyond the API document. */
export const tag = {
  'tag.create': post(() => ({
    name: z.string().min(1),
    color: z.string().nullable().optional(),
  })),
  'tag.all': get(() => ({})),
  'tag.one': get(() => ({
    tagId: z.string().min(1),
  })),
  'tag.update': post(() => ({
    tagId: z.string().min(1),
    name: z.string().min(1).optional(),
    color: z.string().nullable().optional(),
    createdAt: z.string().optional(),
    organizationId: z.string().optional(),
  })),
  'tag.remove': post(() => ({
    tagId: z.string().min(1),
  })),
  'tag.assignToProject': post(() => ({
    projectId: z.string().min(1),
    tagId: z.string().min(1),
  })),
  'tag.removeFromProject': post(() => ({
    projectId: z.string().min(1),
    tagId: z.string().min(1),
  })),
  'tag.bulkAssign': post(() => ({
    projectId: z.string().min(1),
    tagIds: z.array(z.string().min(1)),
  })),
};
