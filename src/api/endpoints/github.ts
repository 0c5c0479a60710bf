import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 6 operations of the `github` group. */
export const github = {
  'github.one': get(() => ({
    githubId: z.string().min(1),
  })),
  'github.getGithubRepositories': get(() => ({
    githubId: z.string().min(1),
  })),
  'github.getGithubBranches': get(() => ({
    repo: z.string().min(1),
    owner: z.string().min(1),
    githubId: z.string().optional(),
  })),
  'github.githubProviders': get(() => ({})),
  'github.testConnection': post(() => ({
    githubId: z.string().min(1),
  })),
  'github.update': post(() => ({
    githubId: z.string().min(1),
    name: z.string().min(1),
    gitProviderId: z.string().min(1),
    githubAppName: z.string().min(1),
  })),
};
