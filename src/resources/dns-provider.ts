import * as z from 'zod';
import { trimmed } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { credential, providerName, word } from './families/masked-config.ts';
import { inOrganization } from './families/parent-links.ts';

/** An account at a host of DNS zones. Source of the facts: the DNS provider router of the platform. */
export const dnsProvider = defineKind({
  kind: 'dnsProvider',
  section: 'dnsProviders',
  alsoCalled: ['dnsprovider', 'dns', 'dns_providers', 'cloudflare', 'route53'],
  summary: 'An account at a host of DNS zones, with which the dashboard writes the records of domains.',
  identity: { id: 'dnsProviderId', key: ['name'], keyField: 'name' },
  parents: inOrganization('dnsProvider.all'),
  fields: {
    name: providerName('Name; the key of the block by default.'),
    'config.providerType': {
      schema: () => z.enum(['cloudflare', 'route53']).describe('Provider.'),
      needed: true,
      examples: ['cloudflare', 'route53'],
    },
    'config.apiToken': credential('API token of Cloudflare'),
    'config.accessKeyId': { ...word('Id of the access key.', ['AKIAEXAMPLE1', 'AKIAEXAMPLE2']), codec: trimmed },
    'config.secretAccessKey': credential('Secret of the access key'),
  },
  unions: [
    {
      tag: 'config.providerType',
      at: 'config',
      describe: 'Provider, and what opens it.',
      words: { cloudflare: 'Cloudflare.', route53: 'Route 53 of AWS.' },
      cases: {
        cloudflare: { apiToken: 'config.apiToken' },
        route53: { accessKeyId: 'config.accessKeyId', secretAccessKey: 'config.secretAccessKey' },
      },
      alsoCalled: { aws: 'route53' },
    },
  ],
  operations: {
    create: 'dnsProvider.create',
    read: 'dnsProvider.one',
    update: 'dnsProvider.update',
    delete: 'dnsProvider.remove',
  },
  lifecycle: { unique: 'name' },
  commands: { test: { call: 'dnsProvider.testConnection', isTest: true } },
  checks: {
    hints: { type: 'write config: { type: cloudflare, … }', apiToken: 'write it in config:, beside its type' },
  },
  examples: ['main:\n  config: { type: cloudflare, apiToken: "${secret:DNS_TOKEN}" }\n'],
});
