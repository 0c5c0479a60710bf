import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `destination` group beyond the API document. */
export const destination = {
  'destination.create': post(() => ({
    name: z.string().min(1),
    provider: z.string().nullable(),
    accessKey: z.string(),
    bucket: z.string(),
    region: z.string(),
    endpoint: z.string(),
    secretAccessKey: z.string(),
    additionalFlags: z
      .array(z.string().regex(/^--[a-zA-Z0-9-]+(=[a-zA-Z0-9._:/@-]+)?$/))
      .nullable()
      .default([]),
    serverId: z.string().optional(),
  })),
  'destination.testConnection': post(() => ({
    name: z.string().min(1),
    provider: z.string().nullable(),
    accessKey: z.string(),
    bucket: z.string(),
    region: z.string(),
    endpoint: z.string(),
    secretAccessKey: z.string(),
    additionalFlags: z
      .array(z.string().regex(/^--[a-zA-Z0-9-]+(=[a-zA-Z0-9._:/@-]+)?$/))
      .nullable()
      .default([]),
    serverId: z.string().optional(),
  })),
  'destination.one': get(() => ({
    destinationId: z.string().min(1),
  })),
  'destination.all': get(() => ({})),
  'destination.remove': post(() => ({
    destinationId: z.string(),
  })),
  'destination.update': post(() => ({
    name: z.string().min(1),
    accessKey: z.string(),
    bucket: z.string(),
    region: z.string(),
    endpoint: z.string(),
    secretAccessKey: z.string(),
    destinationId: z.string(),
    provider: z.string().nullable(),
    additionalFlags: z
      .array(z.string().regex(/^--[a-zA-Z0-9-]+(=[a-zA-Z0-9._:/@-]+)?$/))
      .nullable()
      .default([]),
    serverId: z.string().optional(),
  })),
};
