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

/** A git host with groups. Connect it in the browser before services can use it. */
export const gitlab = defineKind({
  kind: 'gitlab',
  section: 'gitlab',
  summary: 'A git host with groups. Connect it in the browser before services can use it.',
  identity: {
    id: 'gitlabId',
    key: ['name'],
    keyField: 'name',
    listedOnce: 'it is connected in the browser, under Git',
  },
  parents: providerIn('gitlab.gitlabProviders', { authId: { context: 'userId' } }),
  fields: {
    name: providerName,
    gitlabUrl: address('Address of the git host.', ['https://lab.example.com', 'https://lab2.example.com']),
    gitlabInternalUrl: address('Address by which the platform itself reaches it.', [
      'http://lab.internal:8080',
      'http://lab2.internal:8080',
    ]),
    applicationId: {
      schema: () => z.string().min(1).describe('Id of the OAuth application at the git host.'),
      takesSecrets: true,
      examples: ['trueup', 'platform'],
    },
    secret: credential('Secret of the OAuth application.'),
    groupName: {
      schema: () => z.string().min(1).describe('Groups whose projects are offered.'),
      examples: ['shop', 'store'],
    },
    redirectUri: address('Where the git host sends people back to.', [
      'https://deploy.example.com/callback',
      'https://deploy2.example.com/callback',
    ]),
  },
  outputs: providerOutputs,
  operations: {
    create: 'gitlab.create',
    read: 'gitlab.one',
    update: 'gitlab.update',
    ...providerDeletion,
  },
  lifecycle: connection,
  commands: { test: { call: 'gitlab.testConnection', isTest: true, with: { groupName: 'groupName' } } },
  examples: [
    'lab: { gitlabUrl: "https://lab.example.com", applicationId: trueup, secret: "${secret:GIT_CLIENT}", redirectUri: "https://deploy.example.com/callback" }\n',
  ],
});
