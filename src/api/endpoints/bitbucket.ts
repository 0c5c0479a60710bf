import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { email } from '../values.ts';

/** The 7 operations of the `bitbucket` group. */
export const bitbucket = {
  'bitbucket.create': post(() => ({
    bitbucketId: z.string().optional(),
    bitbucketUsername: z.string().optional(),
    bitbucketEmail: email.optional(),
    appPassword: z.string().optional(),
    apiToken: z.string().optional(),
    bitbucketWorkspaceName: z.string().optional(),
    gitProviderId: z.string().optional(),
    authId: z.string().min(1),
    name: z.string().min(1),
  })),
  'bitbucket.one': get(() => ({
    bitbucketId: z.string().min(1),
  })),
  'bitbucket.bitbucketProviders': get(() => ({})),
  'bitbucket.getBitbucketRepositories': get(() => ({
    bitbucketId: z.string().min(1),
  })),
  'bitbucket.getBitbucketBranches': get(() => ({
    owner: z.string(),
    repo: z.string(),
    bitbucketId: z.string().optional(),
  })),
  'bitbucket.testConnection': post(() => ({
    bitbucketId: z.string().min(1),
    bitbucketUsername: z.string().optional(),
    bitbucketEmail: email.optional(),
    workspaceName: z.string().optional(),
    apiToken: z.string().optional(),
    appPassword: z.string().optional(),
  })),
  'bitbucket.update': post(() => ({
    bitbucketId: z.string().min(1),
    bitbucketUsername: z.string().optional(),
    bitbucketEmail: email.optional(),
    appPassword: z.string().optional(),
    apiToken: z.string().optional(),
    bitbucketWorkspaceName: z.string().optional(),
    gitProviderId: z.string(),
    name: z.string().min(1),
    organizationId: z.string().optional(),
  })),
};
