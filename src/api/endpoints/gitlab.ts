import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 7 operations of the `gitlab` group. */
export const gitlab = {
  'gitlab.create': post(() => ({
    applicationId: z.string().optional(),
    secret: z.string().optional(),
    groupName: z.string().optional(),
    gitProviderId: z.string().optional(),
    redirectUri: z.string().optional(),
    authId: z.string().min(1),
    name: z.string().min(1),
    gitlabUrl: z.string().min(1),
    gitlabInternalUrl: z.string().nullable().optional(),
  })),
  'gitlab.one': get(() => ({
    gitlabId: z.string().min(1),
  })),
  'gitlab.gitlabProviders': get(() => ({})),
  'gitlab.getGitlabRepositories': get(() => ({
    gitlabId: z.string().min(1),
  })),
  'gitlab.getGitlabBranches': get(() => ({
    id: z.number().optional(),
    owner: z.string(),
    repo: z.string(),
    gitlabId: z.string().optional(),
  })),
  'gitlab.testConnection': post(() => ({
    gitlabId: z.string().min(1),
    groupName: z.string().optional(),
  })),
  'gitlab.update': post(() => ({
    applicationId: z.string().optional(),
    secret: z.string().optional(),
    groupName: z.string().optional(),
    redirectUri: z.string().optional(),
    name: z.string().min(1),
    gitlabId: z.string().min(1),
    gitlabUrl: z.string().min(1),
    gitProviderId: z.string().min(1),
    gitlabInternalUrl: z.string().nullable().optional(),
  })),
};
