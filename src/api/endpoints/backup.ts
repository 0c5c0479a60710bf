import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { anything } from '../values.ts';

const backupDatabaseType = z.enum(['postgres', 'mariadb', 'mysql', 'mongo', 'web-server', 'libsql']);

/** The 11 operations of the `backup` group. */
export const backup = {
  'backup.create': post(() => ({
    schedule: z.string(),
    enabled: z.boolean().nullable().optional(),
    prefix: z.string().min(1),
    destinationId: z.string(),
    keepLatestCount: z.number().nullable().optional(),
    database: z.string().min(1),
    mariadbId: z.string().nullable().optional(),
    mysqlId: z.string().nullable().optional(),
    postgresId: z.string().nullable().optional(),
    mongoId: z.string().nullable().optional(),
    libsqlId: z.string().nullable().optional(),
    databaseType: backupDatabaseType,
    userId: z.string().nullable().optional(),
    backupType: z.enum(['database', 'compose']).optional(),
    composeId: z.string().nullable().optional(),
    serviceName: z.string().nullable().optional(),
    includeEncryptionKey: z.boolean().optional(),
    metadata: anything.optional(),
  })),
  'backup.one': get(() => ({
    backupId: z.string().min(1),
  })),
  'backup.update': post(() => ({
    schedule: z.string(),
    enabled: z.boolean().nullable(),
    prefix: z.string().min(1),
    backupId: z.string(),
    destinationId: z.string(),
    database: z.string().min(1),
    keepLatestCount: z.number().nullable(),
    serviceName: z.string().nullable(),
    metadata: anything,
    databaseType: backupDatabaseType,
    includeEncryptionKey: z.boolean().optional(),
  })),
  'backup.remove': post(() => ({
    backupId: z.string(),
  })),
  'backup.manualBackupPostgres': post(() => ({
    backupId: z.string().min(1),
  })),
  'backup.manualBackupMySql': post(() => ({
    backupId: z.string().min(1),
  })),
  'backup.manualBackupMariadb': post(() => ({
    backupId: z.string().min(1),
  })),
  'backup.manualBackupCompose': post(() => ({
    backupId: z.string().min(1),
  })),
  'backup.manualBackupMongo': post(() => ({
    backupId: z.string().min(1),
  })),
  'backup.manualBackupWebServer': post(() => ({
    backupId: z.string().min(1),
  })),
  'backup.listBackupFiles': get(() => ({
    destinationId: z.string(),
    search: z.string(),
    serverId: z.string().optional(),
  })),
};
