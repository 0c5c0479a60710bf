import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/**
 * Operations of the `schedule` group beyond the API document. Left out are `appName`, because a deletion removes the folder
 * that it names with everything in it, and the id of a new schedule, which the platform ignores.
 */
export const schedule = {
  'schedule.create': post(() => ({
    name: z.string(),
    description: z.string().nullable().optional(),
    cronExpression: z.string(),
    serviceName: z.string().nullable().optional(),
    shellType: z.enum(['bash', 'sh']).optional(),
    scheduleType: z.enum(['application', 'compose', 'server', 'dokploy-server']).optional(),
    command: z.string(),
    script: z.string().nullable().optional(),
    applicationId: z.string().nullable().optional(),
    composeId: z.string().nullable().optional(),
    serverId: z.string().nullable().optional(),
    organizationId: z.string().nullable().optional(),
    enabled: z.boolean().optional(),
    timezone: z.string().nullable().optional(),
    createdAt: z.string().optional(),
  })),
  'schedule.update': post(() => ({
    scheduleId: z.string().min(1),
    name: z.string(),
    description: z.string().nullable().optional(),
    cronExpression: z.string(),
    serviceName: z.string().nullable().optional(),
    shellType: z.enum(['bash', 'sh']).optional(),
    scheduleType: z.enum(['application', 'compose', 'server', 'dokploy-server']).optional(),
    command: z.string(),
    script: z.string().nullable().optional(),
    applicationId: z.string().nullable().optional(),
    composeId: z.string().nullable().optional(),
    serverId: z.string().nullable().optional(),
    organizationId: z.string().nullable().optional(),
    enabled: z.boolean().optional(),
    timezone: z.string().nullable().optional(),
    createdAt: z.string().optional(),
  })),
  'schedule.delete': post(() => ({
    scheduleId: z.string(),
  })),
  'schedule.list': get(() => ({
    id: z.string(),
    scheduleType: z.enum(['application', 'compose', 'server', 'dokploy-server']),
  })),
  'schedule.one': get(() => ({
    scheduleId: z.string(),
  })),
  'schedule.runManually': post(() => ({
    scheduleId: z.string().min(1),
  })),
};
