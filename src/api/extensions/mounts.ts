import * as z from 'zod';
import { get } from '../endpoint.ts';

/** Operations of the `mounts` group beyond the API document. */
export const mounts = {
  'mounts.listByServiceId': get(() => ({
    serviceType: z.string().min(1),
    serviceId: z.string().min(1),
  })),
};
