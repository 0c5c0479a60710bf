import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `server` group beyond the API document. */
export const server = {
  'server.create': post(() => ({
    name: z.string().min(1),
    description: z.string().nullable(),
    ipAddress: z.string(),
    port: z.number(),
    username: z.string(),
    sshKeyId: z.string().nullable(),
    serverType: z.enum(['deploy', 'build']),
    enableDockerCleanup: z.boolean().default(true),
  })),
  'server.one': get(() => ({
    serverId: z.string().min(1),
  })),
  'server.getDefaultCommand': get(() => ({
    serverId: z.string().min(1),
  })),
  'server.all': get(() => ({})),
  'server.allForPermissions': get(() => ({})),
  'server.count': get(() => ({})),
  'server.withSSHKey': get(() => ({})),
  'server.buildServers': get(() => ({})),
  'server.setup': post(() => ({
    serverId: z.string().min(1),
  })),
  'server.validate': get(() => ({
    serverId: z.string().min(1),
  })),
  'server.security': get(() => ({
    serverId: z.string().min(1),
  })),
  'server.remove': post(() => ({
    serverId: z.string().min(1),
  })),
  'server.update': post(() => ({
    name: z.string().min(1),
    description: z.string().nullable(),
    serverId: z.string().min(1),
    ipAddress: z.string(),
    port: z.number(),
    username: z.string(),
    sshKeyId: z.string().nullable(),
    serverType: z.enum(['deploy', 'build']),
    enableDockerCleanup: z.boolean().default(true),
    command: z.string().optional(),
  })),
  'server.updateBuildsConcurrency': post(() => ({
    serverId: z.string().min(1),
    buildsConcurrency: z.number().int().min(1).max(100),
  })),
  'server.publicIp': get(() => ({})),
  'server.getServerTime': get(() => ({})),
  'server.getServerMetrics': get(() => ({
    url: z.string(),
    token: z.string(),
    dataPoints: z.string(),
  })),
};
