import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { serviceType } from '../values.ts';

const mountType = z.enum(['bind', 'volume', 'file']);

/** The 5 operations of the `mounts` group. */
export const mounts = {
  'mounts.create': post(() => ({
    type: mountType,
    hostPath: z.string().nullable().optional(),
    volumeName: z.string().nullable().optional(),
    content: z.string().nullable().optional(),
    filePath: z.string().nullable().optional(),
    mountPath: z.string().min(1),
    serviceType: serviceType.optional(),
    serviceId: z.string().min(1),
  })),
  'mounts.remove': post(() => ({
    mountId: z.string(),
  })),
  'mounts.one': get(() => ({
    mountId: z.string().min(1),
  })),
  'mounts.update': post(() => ({
    mountId: z.string().min(1),
    type: mountType.optional(),
    hostPath: z.string().nullable().optional(),
    volumeName: z.string().nullable().optional(),
    filePath: z.string().nullable().optional(),
    content: z.string().nullable().optional(),
    serviceType: serviceType.optional(),
    mountPath: z.string().min(1).optional(),
    applicationId: z.string().nullable().optional(),
    composeId: z.string().nullable().optional(),
    libsqlId: z.string().nullable().optional(),
    mariadbId: z.string().nullable().optional(),
    mongoId: z.string().nullable().optional(),
    mysqlId: z.string().nullable().optional(),
    postgresId: z.string().nullable().optional(),
    redisId: z.string().nullable().optional(),
  })),
  'mounts.allNamedByApplicationId': get(() => ({
    applicationId: z.string().min(1),
  })),
};
