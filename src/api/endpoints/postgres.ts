import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, databasePassword, databaseServiceUpdate, logPart, serviceSearch, status } from '../values.ts';

/** The 16 operations of the `postgres` group. */
export const postgres = {
  'postgres.create': post(() => ({
    name: z.string().min(1),
    appName: appName.optional(),
    databaseName: z.string().min(1),
    databaseUser: z.string().min(1),
    databasePassword,
    dockerImage: z.string().default('postgres:18'),
    environmentId: z.string(),
    description: z.string().nullable().optional(),
    serverId: z.string().nullable().optional(),
  })),
  'postgres.one': get(() => ({
    postgresId: z.string().min(1),
  })),
  'postgres.start': post(() => ({
    postgresId: z.string().min(1),
  })),
  'postgres.stop': post(() => ({
    postgresId: z.string().min(1),
  })),
  'postgres.saveExternalPort': post(() => ({
    postgresId: z.string(),
    externalPort: z.number().nullable(),
  })),
  'postgres.deploy': post(() => ({
    postgresId: z.string(),
  })),
  'postgres.changeStatus': post(() => ({
    postgresId: z.string(),
    applicationStatus: status,
  })),
  'postgres.remove': post(() => ({
    postgresId: z.string().min(1),
  })),
  'postgres.saveEnvironment': post(() => ({
    postgresId: z.string(),
    env: z.string().nullable(),
  })),
  'postgres.reload': post(() => ({
    postgresId: z.string(),
    appName,
  })),
  'postgres.update': post(() => ({
    postgresId: z.string().min(1),
    name: z.string().min(1).optional(),
    databaseName: z.string().min(1).optional(),
    databaseUser: z.string().min(1).optional(),
    databasePassword: databasePassword.optional(),
    ...databaseServiceUpdate(),
  })),
  'postgres.changePassword': post(() => ({
    postgresId: z.string().min(1),
    password: databasePassword.min(1),
  })),
  'postgres.move': post(() => ({
    postgresId: z.string(),
    targetEnvironmentId: z.string(),
  })),
  'postgres.rebuild': post(() => ({
    postgresId: z.string(),
  })),
  'postgres.search': get(() => ({
    ...serviceSearch(),
  })),
  'postgres.readLogs': get(() => ({
    postgresId: z.string().min(1),
    ...logPart(),
  })),
};
