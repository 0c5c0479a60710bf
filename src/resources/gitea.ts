import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import {
  address,
  connection,
  credential,
  providerDeletion,
  providerIn,
  providerName,
  providerOutputs,
} from './families/provider-fields.ts';

/** A git host that one runs oneself and that services are fetched from. */
export const gitea = defineKind({
  kind: 'gitea',
  section: 'gitea',
  alsoCalled: ['forgejo', 'gogs'],
  summary: 'A git host that one runs oneself and that services are fetched from.',
  identity: { id: 'giteaId', key: ['name'], keyField: 'name' },
  parents: providerIn('gitea.giteaProviders'),
  fields: {
    name: providerName,
    giteaUrl: address('Address of the git host.', ['https://git.example.com', 'https://git2.example.com']),
    giteaInternalUrl: address('Address by which the platform itself reaches it.', [
      'http://git.internal:3000',
      'http://git2.internal:3000',
    ]),
    redirectUri: address('Where the git host sends people back to.', [
      'https://deploy.example.com/callback',
      'https://deploy2.example.com/callback',
    ]),
    clientId: {
      schema: () => z.string().min(1).describe('Id of the OAuth application at the git host.'),
      takesSecrets: true,
      needed: true, // without it and the secret no list has the provider
      examples: ['trueup', 'platform'],
    },
    clientSecret: { ...credential('Secret of the OAuth application.'), needed: true },
    scopes: {
      schema: () => z.string().min(1).describe('Rights that it asks for, separated by commas.'),
      otherwise: 'repo,repo:status,read:user,read:org',
      examples: ['repo', 'repo,read:user'],
    },
  },
  outputs: providerOutputs,
  operations: {
    create: 'gitea.create',
    read: 'gitea.one',
    update: 'gitea.update',
    ...providerDeletion,
  },
  lifecycle: { createBeforeDestroy: {}, ...connection },
  commands: { test: { call: 'gitea.testConnection', isTest: true } },
  checks: {
    hints: Object.fromEntries(
      ['accessToken', 'refreshToken', 'expiresAt', 'lastAuthenticatedAt'].map((name) => [
        name,
        'the platform writes it when a person connects the provider; remove the line',
      ]),
    ),
  },
  examples: [
    'forge: { giteaUrl: "https://git.example.com", clientId: trueup, clientSecret: "${secret:GIT_CLIENT}", redirectUri: "https://deploy.example.com/callback" }\n',
  ],
});
