import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { databasePassword } from '../values.ts';

/** Operations of the `redis` group beyond the API document. */
export const redis = {
  'redis.changePassword': post({
    redisId: z.string().min(1),
    password: databasePassword.min(1),
  }),
  'redis.search': get({
    q: z.string().optional(),
    name: z.string().optional(),
    appName: z.string().optional(),
    description: z.string().optional(),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    limit: z.number().min(1).max(100).default(20),
    offset: z.number().min(0).default(0),
  }),
  'redis.readLogs': get({
    redisId: z.string().min(1),
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
