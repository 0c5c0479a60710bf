import * as z from 'zod';
import { get, post } from '../endpoint.ts';

/** The 8 operations of the `gitea` group. */
export const gitea = {
  'gitea.create': post(() => ({
    giteaId: z.string().optional(),
    giteaUrl: z.string().min(1),
    giteaInternalUrl: z.string().nullable().optional(),
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
    giteaUsername: z.string().optional(),
    organizationName: z.string().optional(),
  })),
  'gitea.one': get(() => ({
    giteaId: z.string().min(1),
  })),
  'gitea.giteaProviders': get(() => ({})),
  'gitea.getGiteaRepositories': get(() => ({
    giteaId: z.string().min(1),
  })),
  'gitea.getGiteaBranches': get(() => ({
    owner: z.string().min(1),
    repositoryName: z.string().min(1),
    giteaId: z.string().optional(),
  })),
  'gitea.testConnection': post(() => ({
    giteaId: z.string().optional(),
    organizationName: z.string().optional(),
  })),
  'gitea.update': post(() => ({
    giteaId: z.string().min(1),
    giteaUrl: z.string().min(1),
    giteaInternalUrl: z.string().nullable().optional(),
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
    giteaUsername: z.string().optional(),
    organizationName: z.string().optional(),
  })),
  'gitea.getGiteaUrl': get(() => ({
    giteaId: z.string().min(1),
  })),
};
