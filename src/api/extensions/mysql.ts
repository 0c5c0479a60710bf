import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, databasePassword, databaseServiceUpdate, logPart, serviceSearch, status } from '../values.ts';

/** Operations of the `mysql` group beyond the API document. */
export const mysql = {
  'mysql.create': post(() => ({
    name: z.string().min(1),
    appName: appName.optional(),
    dockerImage: z.string().default('mysql:8'),
    environmentId: z.string(),
    description: z.string().nullable().optional(),
    databaseName: z.string().min(1),
    databaseUser: z.string().min(1),
    databasePassword: databasePassword,
    databaseRootPassword: databasePassword.optional(),
    serverId: z.string().nullable().optional(),
  })),
  'mysql.one': get(() => ({
    mysqlId: z.string().min(1),
  })),
  'mysql.start': post(() => ({
    mysqlId: z.string().min(1),
  })),
  'mysql.stop': post(() => ({
    mysqlId: z.string().min(1),
  })),
  'mysql.saveExternalPort': post(() => ({
    mysqlId: z.string(),
    externalPort: z.number().nullable(),
  })),
  'mysql.deploy': post(() => ({
    mysqlId: z.string(),
  })),
  'mysql.changeStatus': post(() => ({
    mysqlId: z.string(),
    applicationStatus: status,
  })),
  'mysql.reload': post(() => ({
    mysqlId: z.string(),
    appName: appName,
  })),
  'mysql.remove': post(() => ({
    mysqlId: z.string().min(1),
  })),
  'mysql.saveEnvironment': post(() => ({
    mysqlId: z.string(),
    env: z.string().nullable(),
  })),
  'mysql.update': post(() => ({
    mysqlId: z.string().min(1),
    ...databaseServiceUpdate(),
    name: z.string().min(1).optional(),
    databaseName: z.string().min(1).optional(),
    databaseUser: z.string().min(1).optional(),
    databasePassword: databasePassword.optional(),
    databaseRootPassword: databasePassword.optional(),
  })),
  'mysql.changePassword': post(() => ({
    mysqlId: z.string().min(1),
    password: databasePassword.min(1),
    type: z.enum(['user', 'root']).default('user'),
  })),
  'mysql.move': post(() => ({
    mysqlId: z.string(),
    targetEnvironmentId: z.string(),
  })),
  'mysql.rebuild': post(() => ({
    mysqlId: z.string(),
  })),
  'mysql.search': get(() => ({
    ...serviceSearch(),
  })),
  'mysql.readLogs': get(() => ({
    mysqlId: z.string().min(1),
    ...logPart(),
  })),
};
