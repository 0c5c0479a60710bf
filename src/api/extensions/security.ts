import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `security` group beyond the API document. */
export const security = {
  'security.create': post(() => ({
    applicationId: z.string(),
    username: z.string().min(1),
    password: z.string().min(1),
  })),
  'security.one': get(() => ({
    securityId: z.string().min(1),
  })),
  'security.delete': post(() => ({
    securityId: z.string().min(1),
  })),
  'security.update': post(() => ({
    securityId: z.string().min(1),
    username: z.string().min(1),
    password: z.string().min(1),
  })),
};
