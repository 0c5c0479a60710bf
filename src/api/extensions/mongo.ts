import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, databasePassword, databaseServiceUpdate, status } from '../values.ts';

/** Operations of the `mongo` group beyond the API document. */
export const mongo = {
  'mongo.create': post({
    name: z.string().min(1),
    appName: appName.optional(),
    dockerImage: z.string().default('mongo:15'),
    environmentId: z.string(),
    description: z.string().nullable().optional(),
    databaseUser: z.string().min(1),
    databasePassword: databasePassword,
    serverId: z.string().nullable().optional(),
    replicaSets: z.boolean().nullable().default(false),
  }),
  'mongo.one': get({
    mongoId: z.string().min(1),
  }),
  'mongo.start': post({
    mongoId: z.string().min(1),
  }),
  'mongo.stop': post({
    mongoId: z.string().min(1),
  }),
  'mongo.saveExternalPort': post({
    mongoId: z.string(),
    externalPort: z.number().nullable(),
  }),
  'mongo.deploy': post({
    mongoId: z.string(),
  }),
  'mongo.changeStatus': post({
    mongoId: z.string(),
    applicationStatus: status,
  }),
  'mongo.reload': post({
    mongoId: z.string(),
    appName: appName,
  }),
  'mongo.remove': post({
    mongoId: z.string().min(1),
  }),
  'mongo.saveEnvironment': post({
    mongoId: z.string(),
    env: z.string().nullable(),
  }),
  'mongo.update': post({
    mongoId: z.string().min(1),
    ...databaseServiceUpdate,
    name: z.string().min(1).optional(),
    databaseUser: z.string().min(1).optional(),
    databasePassword: databasePassword.optional(),
    replicaSets: z.boolean().optional(),
  }),
  'mongo.changePassword': post({
    mongoId: z.string().min(1),
    password: databasePassword.min(1),
  }),
  'mongo.move': post({
    mongoId: z.string(),
    targetEnvironmentId: z.string(),
  }),
  'mongo.rebuild': post({
    mongoId: z.string(),
  }),
  'mongo.search': get({
    q: z.string().optional(),
    name: z.string().optional(),
    appName: z.string().optional(),
    description: z.string().optional(),
    projectId: z.string().optional(),
    environmentId: z.string().optional(),
    limit: z.number().min(1).max(100).default(20),
    offset: z.number().min(0).default(0),
  }),
  'mongo.readLogs': get({
    mongoId: z.string().min(1),
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
