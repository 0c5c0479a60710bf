import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import { providerDeletion, providerIn, providerName, providerOutputs } from './families/provider-fields.ts';

/** A git host with apps: adopted and updated. A person creates it in the browser. */
export const hubgit = defineKind({
  kind: 'hubgit',
  section: 'hubgit',
  alsoCalled: ['github'],
  summary: 'A git host with apps: adopted and updated. A person creates it in the browser.',
  identity: { id: 'hubgitId', key: ['name'], keyField: 'name' },
  parents: providerIn('hubgit.hubgitProviders'),
  fields: {
    name: providerName,
    hubgitAppName: {
      schema: () => z.string().min(1).describe('Address of the app at the git host.'),
      examples: ['https://hub.example.com/apps/shop', 'https://hub.example.com/apps/store'],
    },
  },
  outputs: providerOutputs,
  operations: {
    read: 'hubgit.one',
    update: 'hubgit.update',
    ...providerDeletion,
    cannot: { ...providerDeletion.cannot, create: 'a person installs the app in the browser, under Git' },
  },
  lifecycle: { dataAtRisk: () => ({ of: 'data', what: 'the app, which a person installed in the browser' }) },
  commands: { test: { call: 'hubgit.testConnection', isTest: true } },
  examples: ['hubgit-1: { hubgitAppName: "https://hub.example.com/apps/shop" }\n'],
});
