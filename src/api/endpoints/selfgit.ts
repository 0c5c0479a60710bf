import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 8 operations of the `selfgit` group. */
export const selfgit = {
  'selfgit.create': post(() => ({
    selfgitId: z.string().optional(),
    selfgitUrl: z.string().min(1),
    selfgitInternalUrl: z.string().nullable().optional(),
    redirectUri: z.string().optional(),
    clientId: z.string().optional(),
    clientSecret: z.string().optional(),
    gitProviderId: z.string().optional(),
    accessToken: z.string().optional(),
    refreshToken: z.string().optional(),
    expiresAt: z.number().optional(),
    scopes: z.string().optional(),
    lastAuthenticatedAt: z.number().optional(),
    name: z.string().min(1),
    selfgitUsername: z.string().optional(),
    organizationName: z.string().optional(),
  })),
  'selfgit.one': get(() => ({
    selfgitId: z.string().min(1),
  })),
  'selfgit.selfgitProviders': get(() => ({})),
  'selfgit.getSelfgitRepositories': get(() => ({
    selfgitId: z.string().min(1),
  })),
  'selfgit.getSelfgitBranches': get(() => ({
    owner: z.string().min(1),
    repositoryName: z.string().min(1),
    selfgitId: z.string().optional(),
  })),
  'selfgit.testConnection': post(() => ({
    selfgitId: z.string().optional(),
    organizationName: z.string().optional(),
  })),
  'selfgit.update': post(() => ({
    selfgitId: z.string().min(1),
    selfgitUrl: z.string().min(1),
    selfgitInternalUrl: z.string().nullable().optional(),
    redirectUri: z.string().optional(),
    clientId: z.string().optional(),
    clientSecret: z.string().optional(),
    gitProviderId: z.string(),
    accessToken: z.string().optional(),
    refreshToken: z.string().optional(),
    expiresAt: z.number().optional(),
    scopes: z.string().optional(),
    lastAuthenticatedAt: z.number().optional(),
    name: z.string().min(1),
    selfgitUsername: z.string().optional(),
    organizationName: z.string().optional(),
  })),
  'selfgit.getSelfgitUrl': get(() => ({
    selfgitId: z.string().min(1),
  })),
};
