import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { databasePassword, logPart, status, stringList, swarmUpdate } from '../values.ts';

/** Operations of the `libsql` group beyond the API document. */
export const libsql = {
  'libsql.create': post(() => ({
    name: z.string().min(1),
    appName: z.string().min(1),
    dockerImage: z.string().default('ghcr.io/tursodatabase/libsql-server:v0.24.32'),
    environmentId: z.string(),
    description: z.string().nullable(),
    databaseUser: z.string().min(1),
    databasePassword: databasePassword,
    sqldNode: z.enum(['primary', 'replica']),
    sqldPrimaryUrl: z.string().nullable(),
    enableNamespaces: z.boolean().default(false),
    serverId: z.string().nullable(),
  })),
  'libsql.one': get(() => ({
    libsqlId: z.string().min(1),
  })),
  'libsql.start': post(() => ({
    libsqlId: z.string().min(1),
  })),
  'libsql.stop': post(() => ({
    libsqlId: z.string().min(1),
  })),
  'libsql.saveExternalPorts': post(() => ({
    libsqlId: z.string(),
    externalPort: z.number().nullable().optional(),
    externalGRPCPort: z.number().nullable().optional(),
    externalAdminPort: z.number().nullable().optional(),
  })),
  'libsql.deploy': post(() => ({
    libsqlId: z.string(),
  })),
  'libsql.changeStatus': post(() => ({
    libsqlId: z.string(),
    applicationStatus: status,
  })),
  'libsql.remove': post(() => ({
    libsqlId: z.string().min(1),
  })),
  'libsql.saveEnvironment': post(() => ({
    libsqlId: z.string(),
    env: z.string().nullable(),
  })),
  'libsql.reload': post(() => ({
    libsqlId: z.string(),
    appName: z.string().min(1),
  })),
  'libsql.update': post(() => ({
    libsqlId: z.string().min(1),
    name: z.string().min(1).optional(),
    appName: z.string().min(1).optional(),
    description: z.string().nullable().optional(),
    databaseUser: z.string().min(1).optional(),
    databasePassword: databasePassword.optional(),
    sqldNode: z.enum(['primary', 'replica']).optional(),
    sqldPrimaryUrl: z.string().nullable().optional(),
    enableNamespaces: z.boolean().default(false),
    dockerImage: z.string().default('ghcr.io/tursodatabase/libsql-server:v0.24.32'),
    command: z.string().nullable().optional(),
    env: z.string().nullable().optional(),
    memoryReservation: z.string().nullable().optional(),
    memoryLimit: z.string().nullable().optional(),
    cpuReservation: z.string().nullable().optional(),
    cpuLimit: z.string().nullable().optional(),
    externalPort: z.number().nullable().optional(),
    externalGRPCPort: z.number().nullable().optional(),
    externalAdminPort: z.number().nullable().optional(),
    applicationStatus: status.optional(),
    ...swarmUpdate(),
    replicas: z.number().optional(),
    networkIds: stringList.nullable().optional(),
    detachDokployNetwork: z.boolean().optional(),
    createdAt: z.string().optional(),
    environmentId: z.string().optional(),
  })),
  'libsql.move': post(() => ({
    libsqlId: z.string(),
    targetEnvironmentId: z.string(),
  })),
  'libsql.rebuild': post(() => ({
    libsqlId: z.string(),
  })),
  'libsql.readLogs': get(() => ({
    libsqlId: z.string().min(1),
    ...logPart(),
  })),
};
