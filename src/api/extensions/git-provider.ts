import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** Operations of the `gitProvider` group beyond the API document. */
export const gitProvider = {
  'gitProvider.getAll': get(() => ({})),
  'gitProvider.toggleShare': post(() => ({
    gitProviderId: z.string().min(1),
    sharedWithOrganization: z.boolean(),
  })),
  'gitProvider.allForPermissions': get(() => ({})),
  'gitProvider.remove': post(() => ({
    gitProviderId: z.string().min(1),
  })),
};
