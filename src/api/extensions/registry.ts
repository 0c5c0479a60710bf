import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `registry` group beyond the API document. */
export const registry = {
  'registry.create': post(() => ({
    registryName: z.string().min(1),
    username: z.string().min(1),
    password: z.string().min(1),
    registryUrl: z.string(),
    registryType: z.literal('cloud'),
    imagePrefix: z.string().nullable(),
    serverId: z.string().optional(),
  })),
  'registry.remove': post(() => ({
    registryId: z.string().min(1),
  })),
  'registry.update': post(() => ({
    registryId: z.string().min(1),
    registryName: z.string().min(1).optional(),
    imagePrefix: z.string().nullable().optional(),
    username: z.string().min(1).optional(),
    password: z.string().min(1).optional(),
    registryUrl: z.string().optional(),
    createdAt: z.string().optional(),
    registryType: z.literal('cloud').optional(),
    organizationId: z.string().min(1).optional(),
    serverId: z.string().optional(),
  })),
  'registry.all': get(() => ({})),
  'registry.one': get(() => ({
    registryId: z.string().min(1),
  })),
  'registry.testRegistry': post(() => ({
    registryName: z.string().optional(),
    username: z.string().min(1),
    password: z.string().min(1),
    registryUrl: z.string(),
    registryType: z.literal('cloud'),
    imagePrefix: z.string().nullable().optional(),
    serverId: z.string().optional(),
  })),
  'registry.testRegistryById': post(() => ({
    registryId: z.string().min(1).optional(),
    serverId: z.string().optional(),
  })),
};
