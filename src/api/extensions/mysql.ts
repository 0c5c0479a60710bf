import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, databasePassword, databaseServiceUpdate, status } from '../values.ts';

/** Operations of the `mysql` group beyond the API document. */
export const mysql = {
  'mysql.create': post({
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
  }),
  'mysql.one': get({
    mysqlId: z.string().min(1),
  }),
  'mysql.start': post({
    mysqlId: z.string().min(1),
  }),
  'mysql.stop': post({
    mysqlId: z.string().min(1),
  }),
  'mysql.saveExternalPort': post({
    mysqlId: z.string(),
    externalPort: z.number().nullable(),
  }),
  'mysql.deploy': post({
    mysqlId: z.string(),
  }),
  'mysql.changeStatus': post({
    mysqlId: z.string(),
    applicationStatus: status,
  }),
  'mysql.reload': post({
    mysqlId: z.string(),
    appName: appName,
  }),
  'mysql.remove': post({
    mysqlId: z.string().min(1),
  }),
  'mysql.saveEnvironment': post({
    mysqlId: z.string(),
    env: z.string().nullable(),
  }),
  'mysql.update': post({
    mysqlId: z.string().min(1),
    ...databaseServiceUpdate,
    name: z.string().min(1).optional(),
    databaseName: z.string().min(1).optional(),
    databaseUser: z.string().min(1).optional(),
    databasePassword: databasePassword.optional(),
    databaseRootPassword: databasePassword.optional(),
  }),
  'mysql.changePassword': post({
    mysqlId: z.string().min(1),
    password: databasePassword.min(1),
    type: z.enum(['user', 'root']).default('user'),
  }),
  'mysql.move': post({
    mysqlId: z.string(),
    targetEnvironmentId: z.string(),
  }),
  'mysql.rebuild': post({
    mysqlId: z.string(),
  }),
  'mysql.search': get({
    q: z.string().optional(),
    name: z.string().optional(),
    appName: z.string().optional(),
    description: z.string().optional(),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    limit: z.number().min(1).max(100).default(20),
    offset: z.number().min(0).default(0),
  }),
  'mysql.readLogs': get({
    mysqlId: z.string().min(1),
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
