import * as z from 'zod';
import { email } from '../api/values.ts';
import { defineKind } from '../kind/kind.ts';
import { credential, providerDeletion, providerIn, providerName, providerOutputs } from './families/provider-fields.ts';

/** A git host with workspaces that services are fetched from. */
export const bucketgit = defineKind({
  kind: 'bucketgit',
  section: 'bucketgit',
  alsoCalled: ['bitbucket'],
  summary: 'A git host with workspaces that services are fetched from.',
  identity: { id: 'bucketgitId', key: ['name'], keyField: 'name' },
  parents: providerIn('bucketgit.bucketgitProviders', { authId: { context: 'userId' } }),
  // An update that names none of the fields below the name fails, although it stores the name.
  fields: {
    name: providerName,
    bucketgitUsername: {
      schema: () => z.string().min(1).describe('User at the git host.'),
      takesSecrets: true,
      inEveryUpdate: true,
      examples: ['shop', 'store'],
    },
    bucketgitEmail: {
      schema: () => email.describe('Address of the user.'),
      takesSecrets: true,
      inEveryUpdate: true,
      examples: ['git@example.com', 'git2@example.com'],
    },
    bucketgitWorkspaceName: {
      schema: () => z.string().min(1).describe('Workspace.'),
      inEveryUpdate: true,
      examples: ['shop', 'store'],
    },
    appPassword: credential('App password of the user.'),
    apiToken: credential('API token of the user.'),
  },
  outputs: providerOutputs,
  operations: {
    create: 'bucketgit.create',
    read: 'bucketgit.one',
    update: 'bucketgit.update',
    ...providerDeletion,
  },
  lifecycle: { createBeforeDestroy: {} },
  commands: {
    test: {
      call: 'bucketgit.testConnection',
      isTest: true,
      with: { bucketgitUsername: 'bucketgitUsername', workspaceName: 'bucketgitWorkspaceName' },
    },
  },
  examples: [
    'bucket: { bucketgitUsername: shop, bucketgitEmail: git@example.com, apiToken: "${secret:GIT_TOKEN}", bucketgitWorkspaceName: shop }\n',
  ],
});
