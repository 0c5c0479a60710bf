import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 4 operations of the `certificates` group. */
export const certificates = {
  'certificates.create': post(() => ({
    certificateId: z.string().optional(),
    name: z.string().min(1),
    certificateData: z.string().min(1),
    privateKey: z.string().min(1),
    certificatePath: z.string().optional(),
    autoRenew: z.boolean().nullable().optional(),
    organizationId: z.string(),
    serverId: z.string().nullable().optional(),
  })),
  'certificates.one': get(() => ({
    certificateId: z.string().min(1),
  })),
  'certificates.remove': post(() => ({
    certificateId: z.string().min(1),
  })),
  'certificates.all': get(() => ({})),
};
