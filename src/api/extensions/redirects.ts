import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `redirects` group beyond the API document. */
export const redirects = {
  'redirects.create': post(() => ({
    regex: z.string().min(1),
    replacement: z.string().min(1),
    permanent: z.boolean(),
    applicationId: z.string(),
  })),
  'redirects.one': get(() => ({
    redirectId: z.string().min(1),
  })),
  'redirects.delete': post(() => ({
    redirectId: z.string().min(1),
  })),
  'redirects.update': post(() => ({
    redirectId: z.string().min(1),
    regex: z.string().min(1),
    replacement: z.string().min(1),
    permanent: z.boolean(),
  })),
};
