import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { databasePassword, logPart, serviceSearch } from '../values.ts';

/** Operations of the `redis` group beyond the API document. */
export const redis = {
  'redis.changePassword': post(() => ({
    redisId: z.string().min(1),
    password: databasePassword.min(1),
  })),
  'redis.search': get(() => ({
    ...serviceSearch(),
  })),
  'redis.readLogs': get(() => ({
    redisId: z.string().min(1),
    ...logPart(),
  })),
};
