import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, databaseServiceUpdate, status } from '../values.ts';

/** The 13 operations of the `redis` group. */
export const redis = {
  'redis.create': post(() => ({
    name: z.string().min(1),
    appName: appName.optional(),
    databasePassword: z.string(),
    dockerImage: z.string().default('redis:8'),
    environmentId: z.string(),
    description: z.string().nullable().optional(),
    serverId: z.string().nullable().optional(),
  })),
  'redis.one': get(() => ({
    redisId: z.string().min(1),
  })),
  'redis.start': post(() => ({
    redisId: z.string().min(1),
  })),
  'redis.reload': post(() => ({
    redisId: z.string(),
    appName,
  })),
  'redis.stop': post(() => ({
    redisId: z.string().min(1),
  })),
  'redis.saveExternalPort': post(() => ({
    redisId: z.string(),
    externalPort: z.number().nullable(),
  })),
  'redis.deploy': post(() => ({
    redisId: z.string(),
  })),
  'redis.changeStatus': post(() => ({
    redisId: z.string(),
    applicationStatus: status,
  })),
  'redis.remove': post(() => ({
    redisId: z.string().min(1),
  })),
  'redis.saveEnvironment': post(() => ({
    redisId: z.string(),
    env: z.string().nullable(),
  })),
  'redis.update': post(() => ({
    redisId: z.string().min(1),
    name: z.string().min(1).optional(),
    databasePassword: z.string().optional(),
    ...databaseServiceUpdate(),
  })),
  'redis.move': post(() => ({
    redisId: z.string(),
    targetEnvironmentId: z.string(),
  })),
  'redis.rebuild': post(() => ({
    redisId: z.string(),
  })),
};
