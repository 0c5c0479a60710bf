import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { uri } from '../values.ts';

/** The 9 operations of the `ai` group. */
export const ai = {
  'ai.one': get(() => ({
    aiId: z.string(),
  })),
  'ai.getModels': get(() => ({
    apiUrl: z.string().min(1),
    apiKey: z.string(),
  })),
  'ai.create': post(() => ({
    name: z.string().min(1),
    apiUrl: uri,
    apiKey: z.string(),
    model: z.string().min(1),
    isEnabled: z.boolean(),
  })),
  'ai.update': post(() => ({
    aiId: z.string().min(1),
    name: z.string().min(1).optional(),
    apiUrl: uri.optional(),
    apiKey: z.string().optional(),
    model: z.string().min(1).optional(),
    isEnabled: z.boolean().optional(),
    createdAt: z.string().optional(),
  })),
  'ai.getAll': get(() => ({})),
  'ai.get': get(() => ({
    aiId: z.string(),
  })),
  'ai.delete': post(() => ({
    aiId: z.string(),
  })),
  'ai.suggest': post(() => ({
    aiId: z.string(),
    input: z.string(),
    serverId: z.string().optional(),
  })),
  'ai.deploy': post(() => ({
    environmentId: z.string().min(1),
    id: z.string().min(1),
    dockerCompose: z.string().min(1),
    envVariables: z.string(),
    serverId: z.string().optional(),
    name: z.string().min(1),
    description: z.string(),
    domains: z.unknown().optional(),
    configFiles: z.unknown().optional(),
  })),
};
