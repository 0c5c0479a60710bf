import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import { providerDeletion, providerIn, providerName, providerOutputs } from './families/provider-fields.ts';

/** A git host with apps: adopted and updated. A person creates it in the browser. */
export const github = defineKind({
  kind: 'github',
  section: 'github',
  summary: 'A git host with apps: adopted and updated. A person creates it in the browser.',
  identity: { id: 'githubId', key: ['name'], keyField: 'name' },
  parents: providerIn('github.githubProviders'),
  fields: {
    name: providerName,
    githubAppName: {
      schema: () => z.string().min(1).describe('Address of the app at the git host.'),
      examples: ['https://hub.example.com/apps/shop', 'https://hub.example.com/apps/store'],
    },
  },
  outputs: providerOutputs,
  operations: {
    read: 'github.one',
    update: 'github.update',
    ...providerDeletion,
    cannot: { ...providerDeletion.cannot, create: 'a person installs the app in the browser, under Git' },
  },
  lifecycle: { dataAtRisk: () => ({ of: 'data', what: 'the app, which a person installed in the browser' }) },
  commands: { test: { call: 'github.testConnection', isTest: true } },
  examples: ['github-1: { githubAppName: "https://hub.example.com/apps/shop" }\n'],
});
