import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, databasePassword, databaseServiceUpdate, status } from '../values.ts';

/** The 13 operations of the `mariadb` group. */
export const mariadb = {
  'mariadb.create': post(() => ({
    name: z.string().min(1),
    appName: appName.optional(),
    dockerImage: z.string().default('mariadb:6'),
    databaseRootPassword: databasePassword.optional(),
    environmentId: z.string(),
    description: z.string().nullable().optional(),
    databaseName: z.string().min(1),
    databaseUser: z.string().min(1),
    databasePassword,
    serverId: z.string().nullable().optional(),
  })),
  'mariadb.one': get(() => ({
    mariadbId: z.string().min(1),
  })),
  'mariadb.start': post(() => ({
    mariadbId: z.string().min(1),
  })),
  'mariadb.stop': post(() => ({
    mariadbId: z.string().min(1),
  })),
  'mariadb.saveExternalPort': post(() => ({
    mariadbId: z.string(),
    externalPort: z.number().nullable(),
  })),
  'mariadb.deploy': post(() => ({
    mariadbId: z.string(),
  })),
  'mariadb.changeStatus': post(() => ({
    mariadbId: z.string(),
    applicationStatus: status,
  })),
  'mariadb.remove': post(() => ({
    mariadbId: z.string().min(1),
  })),
  'mariadb.saveEnvironment': post(() => ({
    mariadbId: z.string(),
    env: z.string().nullable(),
  })),
  'mariadb.reload': post(() => ({
    mariadbId: z.string(),
    appName,
  })),
  'mariadb.update': post(() => ({
    mariadbId: z.string().min(1),
    name: z.string().min(1).optional(),
    databaseName: z.string().min(1).optional(),
    databaseUser: z.string().min(1).optional(),
    databasePassword: databasePassword.optional(),
    databaseRootPassword: databasePassword.optional(),
    ...databaseServiceUpdate(),
  })),
  'mariadb.move': post(() => ({
    mariadbId: z.string(),
    targetEnvironmentId: z.string(),
  })),
  'mariadb.rebuild': post(() => ({
    mariadbId: z.string(),
  })),
};
