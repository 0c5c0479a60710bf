import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `port` group beyond the API document. */
export const port = {
  'port.create': post(() => ({
    publishedPort: z.number(),
    publishMode: z.enum(['ingress', 'host']).default('ingress'),
    targetPort: z.number(),
    protocol: z.enum(['tcp', 'udp']).default('tcp'),
    applicationId: z.string().min(1),
  })),
  'port.one': get(() => ({
    portId: z.string().min(1),
  })),
  'port.delete': post(() => ({
    portId: z.string().min(1),
  })),
  'port.update': post(() => ({
    portId: z.string().min(1),
    publishedPort: z.number(),
    publishMode: z.enum(['ingress', 'host']).default('ingress'),
    targetPort: z.number(),
    protocol: z.enum(['tcp', 'udp']).default('tcp'),
  })),
};
