import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 7 operations of the `labgit` group. */
export const labgit = {
  'labgit.create': post(() => ({
    applicationId: z.string().optional(),
    secret: z.string().optional(),
    groupName: z.string().optional(),
    gitProviderId: z.string().optional(),
    redirectUri: z.string().optional(),
    authId: z.string().min(1),
    name: z.string().min(1),
    labgitUrl: z.string().min(1),
    labgitInternalUrl: z.string().nullable().optional(),
  })),
  'labgit.one': get(() => ({
    labgitId: z.string().min(1),
  })),
  'labgit.labgitProviders': get(() => ({})),
  'labgit.getLabgitRepositories': get(() => ({
    labgitId: z.string().min(1),
  })),
  'labgit.getLabgitBranches': get(() => ({
    id: z.number().optional(),
    owner: z.string(),
    repo: z.string(),
    labgitId: z.string().optional(),
  })),
  'labgit.testConnection': post(() => ({
    labgitId: z.string().min(1),
    groupName: z.string().optional(),
  })),
  'labgit.update': post(() => ({
    applicationId: z.string().optional(),
    secret: z.string().optional(),
    groupName: z.string().optional(),
    redirectUri: z.string().optional(),
    name: z.string().min(1),
    labgitId: z.string().min(1),
    labgitUrl: z.string().min(1),
    gitProviderId: z.string().min(1),
    labgitInternalUrl: z.string().nullable().optional(),
  })),
};
