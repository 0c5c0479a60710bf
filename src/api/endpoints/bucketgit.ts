import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { email } from '../values.ts';

/** The 7 operations of the `bucketgit` group. */
export const bucketgit = {
  'bucketgit.create': post(() => ({
    bucketgitId: z.string().optional(),
    bucketgitUsername: z.string().optional(),
    bucketgitEmail: email.optional(),
    appPassword: z.string().optional(),
    apiToken: z.string().optional(),
    bucketgitWorkspaceName: z.string().optional(),
    gitProviderId: z.string().optional(),
    authId: z.string().min(1),
    name: z.string().min(1),
  })),
  'bucketgit.one': get(() => ({
    bucketgitId: z.string().min(1),
  })),
  'bucketgit.bucketgitProviders': get(() => ({})),
  'bucketgit.getBucketgitRepositories': get(() => ({
    bucketgitId: z.string().min(1),
  })),
  'bucketgit.getBucketgitBranches': get(() => ({
    owner: z.string(),
    repo: z.string(),
    bucketgitId: z.string().optional(),
  })),
  'bucketgit.testConnection': post(() => ({
    bucketgitId: z.string().min(1),
    bucketgitUsername: z.string().optional(),
    bucketgitEmail: email.optional(),
    workspaceName: z.string().optional(),
    apiToken: z.string().optional(),
    appPassword: z.string().optional(),
  })),
  'bucketgit.update': post(() => ({
    bucketgitId: z.string().min(1),
    bucketgitUsername: z.string().optional(),
    bucketgitEmail: email.optional(),
    appPassword: z.string().optional(),
    apiToken: z.string().optional(),
    bucketgitWorkspaceName: z.string().optional(),
    gitProviderId: z.string(),
    name: z.string().min(1),
    organizationId: z.string().optional(),
  })),
};
