import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 6 operations of the `hubgit` group. */
export const hubgit = {
  'hubgit.one': get(() => ({
    hubgitId: z.string().min(1),
  })),
  'hubgit.getHubgitRepositories': get(() => ({
    hubgitId: z.string().min(1),
  })),
  'hubgit.getHubgitBranches': get(() => ({
    repo: z.string().min(1),
    owner: z.string().min(1),
    hubgitId: z.string().optional(),
  })),
  'hubgit.hubgitProviders': get(() => ({})),
  'hubgit.testConnection': post(() => ({
    hubgitId: z.string().min(1),
  })),
  'hubgit.update': post(() => ({
    hubgitId: z.string().min(1),
    name: z.string().min(1),
    gitProviderId: z.string().min(1),
    hubgitAppName: z.string().min(1),
  })),
};
