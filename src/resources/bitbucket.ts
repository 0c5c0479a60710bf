import * as z from 'zod';
import { email } from '../api/member-types.ts';
import { defineKind } from '../kind/kind.ts';
import { credential, providerDeletion, providerIn, providerName, providerOutputs } from './families/provider-fields.ts';

/** A git host with workspaces that services are fetched from. */
export const bitbucket = defineKind({
  kind: 'bitbucket',
  section: 'bitbucket',
  summary: 'A git host with workspaces that services are fetched from.',
  identity: { id: 'bitbucketId', key: ['name'], keyField: 'name' },
  parents: providerIn('bitbucket.bitbucketProviders', { authId: { context: 'userId' } }),
  // An update that names none of the fields below the name fails, although it stores the name.
  fields: {
    name: providerName,
    bitbucketUsername: {
      schema: () => z.string().min(1).describe('User at the git host.'),
      takesSecrets: true,
      inEveryUpdate: true,
      examples: ['shop', 'store'],
    },
    bitbucketEmail: {
      schema: () => email.describe('Address of the user.'),
      takesSecrets: true,
      inEveryUpdate: true,
      examples: ['git@example.com', 'git2@example.com'],
    },
    bitbucketWorkspaceName: {
      schema: () => z.string().min(1).describe('Workspace.'),
      inEveryUpdate: true,
      examples: ['shop', 'store'],
    },
    appPassword: credential('App password of the user.'),
    apiToken: credential('API token of the user.'),
  },
  outputs: providerOutputs,
  operations: {
    create: 'bitbucket.create',
    read: 'bitbucket.one',
    update: 'bitbucket.update',
    ...providerDeletion,
  },
  lifecycle: { createBeforeDestroy: {} },
  commands: {
    test: {
      call: 'bitbucket.testConnection',
      isTest: true,
      with: { bitbucketUsername: 'bitbucketUsername', workspaceName: 'bitbucketWorkspaceName' },
    },
  },
  examples: [
    'bucket: { bitbucketUsername: shop, bitbucketEmail: git@example.com, apiToken: "${secret:GIT_TOKEN}", bitbucketWorkspaceName: shop }\n',
  ],
});
