import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import { nameField } from './families/service-fields.ts';

/** The organization that the API key acts in. */
export const organization = defineKind({
  kind: 'organization',
  section: 'organizations',
  summary: 'The organization that the API key acts in: adopted and updated, never created or deleted.',
  identity: { id: 'id', idAs: 'organizationId', key: ['name'], keyField: 'name' },
  parents: { root: { listed: { call: 'organization.all' }, rows: 'whole', set: {}, idAt: 'id' } },
  fields: {
    name: nameField('Example', 'Example Two'),
    logo: {
      schema: () => z.string().min(1).describe('Address of its picture.'),
      takesSecrets: true,
      examples: ['https://example.com/logo.svg', 'https://example.com/logo-2.svg'],
    },
    defaultRole: {
      schema: () =>
        z
          .string()
          .min(1)
          .refine((role) => role !== 'owner', 'may not be owner')
          .describe('Role of people who join.'),
      examples: ['member', 'admin'],
    },
  },
  operations: {
    read: 'organization.one',
    update: 'organization.update',
    cannot: {
      create: 'a new one is out of reach of the key that makes it',
      delete: 'everything in it would go; `trueup call organization.delete` does it',
    },
  },
  examples: ['Organization: { logo: "https://example.com/logo.svg" }\n'],
});
