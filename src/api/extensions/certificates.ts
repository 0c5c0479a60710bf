import * as z from 'zod';
import { post } from '../endpoint.ts';

/** Operations of the `certificates` group beyond the API document. */
export const certificates = {
  'certificates.update': post(() => ({
    certificateId: z.string().min(1),
    name: z.string().min(1).optional(),
    certificateData: z.string().min(1).optional(),
    privateKey: z.string().min(1).optional(),
  })),
};
