import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { serviceType, volumeName } from '../values.ts';

/** The 6 operations of the `volumeBackups` group. */
export const volumeBackups = {
  'volumeBackups.list': get(() => ({
    id: z.string().min(1),
    volumeBackupType: serviceType,
  })),
  'volumeBackups.create': post(() => ({
    name: z.string(),
    volumeName,
    prefix: z.string(),
    serviceType: serviceType.optional(),
    appName: z.string().optional(),
    serviceName: z.string().nullable().optional(),
    turnOff: z.boolean().optional(),
    cronExpression: z.string(),
    keepLatestCount: z.number().nullable().optional(),
    enabled: z.boolean().nullable().optional(),
    applicationId: z.string().nullable().optional(),
    postgresId: z.string().nullable().optional(),
    mariadbId: z.string().nullable().optional(),
    mongoId: z.string().nullable().optional(),
    mysqlId: z.string().nullable().optional(),
    redisId: z.string().nullable().optional(),
    libsqlId: z.string().nullable().optional(),
    composeId: z.string().nullable().optional(),
    createdAt: z.string().optional(),
    destinationId: z.string(),
  })),
  'volumeBackups.one': get(() => ({
    volumeBackupId: z.string().min(1),
  })),
  'volumeBackups.delete': post(() => ({
    volumeBackupId: z.string().min(1),
  })),
  'volumeBackups.update': post(() => ({
    name: z.string(),
    volumeName,
    prefix: z.string(),
    serviceType: serviceType.optional(),
    appName: z.string().optional(),
    serviceName: z.string().nullable().optional(),
    turnOff: z.boolean().optional(),
    cronExpression: z.string(),
    keepLatestCount: z.number().nullable().optional(),
    enabled: z.boolean().nullable().optional(),
    applicationId: z.string().nullable().optional(),
    postgresId: z.string().nullable().optional(),
    mariadbId: z.string().nullable().optional(),
    mongoId: z.string().nullable().optional(),
    mysqlId: z.string().nullable().optional(),
    redisId: z.string().nullable().optional(),
    libsqlId: z.string().nullable().optional(),
    composeId: z.string().nullable().optional(),
    createdAt: z.string().optional(),
    destinationId: z.string(),
    volumeBackupId: z.string().min(1),
  })),
  'volumeBackups.runManually': post(() => ({
    volumeBackupId: z.string().min(1),
  })),
};
