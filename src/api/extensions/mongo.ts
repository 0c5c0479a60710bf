import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { appName, databasePassword, databaseServiceUpdate, logPart, serviceSearch, status } from '../values.ts';

/** Operations of the `mongo` group beyond the API document. */
export const mongo = {
  'mongo.create': post(() => ({
    name: z.string().min(1),
    appName: appName.optional(),
    dockerImage: z.string().default('mongo:15'),
    environmentId: z.string(),
    description: z.string().nullable().optional(),
    databaseUser: z.string().min(1),
    databasePassword: databasePassword,
    serverId: z.string().nullable().optional(),
    replicaSets: z.boolean().nullable().default(false),
  })),
  'mongo.one': get(() => ({
    mongoId: z.string().min(1),
  })),
  'mongo.start': post(() => ({
    mongoId: z.string().min(1),
  })),
  'mongo.stop': post(() => ({
    mongoId: z.string().min(1),
  })),
  'mongo.saveExternalPort': post(() => ({
    mongoId: z.string(),
    externalPort: z.number().nullable(),
  })),
  'mongo.deploy': post(() => ({
    mongoId: z.string(),
  })),
  'mongo.changeStatus': post(() => ({
    mongoId: z.string(),
    applicationStatus: status,
  })),
  'mongo.reload': post(() => ({
    mongoId: z.string(),
    appName: appName,
  })),
  'mongo.remove': post(() => ({
    mongoId: z.string().min(1),
  })),
  'mongo.saveEnvironment': post(() => ({
    mongoId: z.string(),
    env: z.string().nullable(),
  })),
  'mongo.update': post(() => ({
    mongoId: z.string().min(1),
    ...databaseServiceUpdate(),
    name: z.string().min(1).optional(),
    databaseUser: z.string().min(1).optional(),
    databasePassword: databasePassword.optional(),
    replicaSets: z.boolean().optional(),
  })),
  'mongo.changePassword': post(() => ({
    mongoId: z.string().min(1),
    password: databasePassword.min(1),
  })),
  'mongo.move': post(() => ({
    mongoId: z.string(),
    targetEnvironmentId: z.string(),
  })),
  'mongo.rebuild': post(() => ({
    mongoId: z.string(),
  })),
  'mongo.search': get(() => ({
    ...serviceSearch(),
  })),
  'mongo.readLogs': get(() => ({
    mongoId: z.string().min(1),
    ...logPart(),
  })),
};
