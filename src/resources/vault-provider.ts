import * as z from 'zod';
import { type Codec, idSet } from '../kind/codecs.ts';
import type { Field } from '../kind/field.ts';
import { isObject } from '../formats/json.ts';
import { defineKind } from '../kind/kind.ts';
import { credential, providerName, word } from './families/masked-config.ts';
import { inOrganization } from './families/parent-links.ts';

const url = (what: string, examples: Field['examples'], more: Partial<Field> = {}): Field => ({
  schema: () => z.url().describe(what),
  takesSecrets: true,
  examples,
  ...more,
});

/** Projects in any order, and the environments of each in any order. */
const assigned: Codec = {
  normal: (value) => {
    const all = Array.isArray(value) ? value.filter(isObject) : [];
    const set = all.map((one) => ({ ...one, environmentIds: idSet.normal(one['environmentIds'] ?? null) }));
    return set.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  },
};

/** The fields of each provider, which requests have in `config`. */
const cases = {
  hashicorp: { url: 'config.url', token: 'config.token', namespace: 'config.namespace', mount: 'config.mount' },
  infisical: {
    siteUrl: 'config.siteUrl',
    clientId: 'config.clientId',
    clientSecret: 'config.clientSecret',
    projectId: 'config.projectId',
    environmentSlug: 'config.environmentSlug',
    secretPath: 'config.secretPath',
  },
  aws: {
    region: 'config.region',
    accessKeyId: 'config.accessKeyId',
    secretAccessKey: 'config.secretAccessKey',
    endpoint: 'config.endpoint',
  },
  doppler: { serviceToken: 'config.serviceToken', project: 'config.project', config: 'config.config' },
  azure: {
    vaultUri: 'config.vaultUri',
    tenantId: 'config.tenantId',
    clientId: 'config.clientId',
    clientSecret: 'config.clientSecret',
  },
  scaleway: {
    region: 'config.region',
    projectId: 'config.projectId',
    secretKey: 'config.secretKey',
    apiUrl: 'config.apiUrl',
  },
} as const;

const types = Object.keys(cases) as [keyof typeof cases, ...(keyof typeof cases)[]]; // the keys of a literal

/** A vault that deployments read secrets from. Source of the facts: the vault provider router of the platform. */
export const vaultProvider = defineKind({
  kind: 'vaultProvider',
  section: 'vaultProviders',
  alsoCalled: ['vaultprovider', 'vault', 'vaults', 'secretproviders', 'secret_providers', 'secretsproviders'],
  summary: 'A vault outside of the platform, from which deployments read `${{vault.<name>.<secret>}}` in `env`.',
  identity: { id: 'vaultProviderId', key: ['name'], keyField: 'name' },
  parents: inOrganization('vaultProvider.all'),
  fields: {
    name: providerName('Name in `${{vault.<name>.<secret>}}`; the key of the block by default.'),
    assignments: {
      schema: () =>
        z
          .array(
            z.strictObject({
              projectId: z.string().min(1),
              environmentIds: z.array(z.string().min(1)).optional(),
            }),
          )
          .describe(
            'Projects that may read it, by their ids, as in `${ref:project.id}`. With `environmentIds`, only those environments of the project.',
          ),
      codec: assigned,
      atCreate: [],
      onNull: { value: [] },
      examples: [[{ projectId: 'prj_1' }], [{ projectId: 'prj_1', environmentIds: ['env_prj_1'] }]],
    },
    'config.providerType': {
      schema: () => z.enum(types).describe('Provider.'),
      needed: true,
      examples: ['hashicorp', 'doppler'],
    },
    'config.url': url('Address of the vault.', ['https://vault.test', 'https://vault-2.test'], { needed: true }),
    'config.token': credential('Token of the vault'),
    'config.namespace': {
      schema: () => z.string().describe('Namespace; empty for none.'),
      takesSecrets: true,
      onNull: { value: '' },
      examples: ['team', 'shop'],
    },
    'config.mount': {
      schema: () => z.string().min(1).describe('Path of its key-value engine.'),
      otherwise: 'secret',
      examples: ['kv', 'shop'],
    },
    'config.siteUrl': url('Address of Infisical.', ['https://infisical.test', 'https://infisical-2.test'], {
      otherwise: 'https://app.infisical.com',
    }),
    'config.clientId': word('Id of the client that reads it.', ['client-1', 'client-2']),
    'config.clientSecret': credential('Secret of the client'),
    'config.projectId': word('Id of the project at the provider.', ['project-1', 'project-2']),
    'config.environmentSlug': word('Environment at the provider.', ['prod', 'staging']),
    'config.secretPath': {
      schema: () => z.string().describe('Folder of its secrets.'),
      otherwise: '/',
      examples: ['/shop', '/team'],
    },
    'config.region': word('Region, such as eu-central-1 or fr-par.', ['fr-par', 'nl-ams']),
    'config.accessKeyId': word('Id of the access key.', ['AKIAEXAMPLE1', 'AKIAEXAMPLE2']),
    'config.secretAccessKey': credential('Secret of the access key'),
    'config.endpoint': url('Address, if not that of AWS.', ['https://aws.test', 'https://aws-2.test']),
    'config.serviceToken': credential('Service token of Doppler'),
    'config.project': {
      schema: () => z.string().describe('Project at Doppler; empty for that of the token.'),
      takesSecrets: true,
      onNull: { value: '' },
      examples: ['shop', 'team'],
    },
    'config.config': {
      schema: () => z.string().describe('Config at Doppler; empty for that of the token.'),
      takesSecrets: true,
      onNull: { value: '' },
      examples: ['prd', 'stg'],
    },
    'config.vaultUri': url('Address of the key vault.', ['https://a.vault.test', 'https://b.vault.test'], {
      needed: true,
    }),
    'config.tenantId': word('Id of the tenant.', ['tenant-1', 'tenant-2']),
    'config.secretKey': credential('Secret key of Scaleway'),
    'config.apiUrl': url('Address of its API.', ['https://scaleway.test', 'https://scaleway-2.test'], {
      otherwise: 'https://api.scaleway.com',
    }),
  },
  unions: [
    {
      tag: 'config.providerType',
      at: 'config',
      describe: 'Provider, and what opens it.',
      words: {
        hashicorp: 'HashiCorp Vault or OpenBao: `${{vault.main.shop/db:password}}`.',
        infisical: 'Infisical.',
        aws: 'AWS Secrets Manager.',
        doppler: 'Doppler.',
        azure: 'Azure Key Vault.',
        scaleway: 'Scaleway Secret Manager.',
      },
      cases,
      alsoCalled: { vault: 'hashicorp', openbao: 'hashicorp' },
    },
  ],
  operations: {
    create: 'vaultProvider.create',
    read: 'vaultProvider.one',
    update: 'vaultProvider.update',
    delete: 'vaultProvider.remove',
  },
  lifecycle: { unique: 'name' },
  commands: { test: { call: 'vaultProvider.testConnection', isTest: true } },
  checks: { hints: { type: 'write config: { type: hashicorp, … }', token: 'write it in config:, beside its type' } },
  examples: ['main:\n  config: { type: hashicorp, url: "https://vault.test", token: "${secret:VAULT_TOKEN}" }\n'],
});
