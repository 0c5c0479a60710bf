import * as z from 'zod';
import { defineKind } from '../../src/kind/kind.ts';

/** A kind with operations that the API document does not have. */
export const mirror = defineKind({
  kind: 'mirror',
  section: 'mirrors',
  summary: 'A server that runs as a service of an environment.',
  identity: { id: 'mysqlId', key: ['name'], keyField: 'name' },
  parents: {
    environment: {
      listed: { at: 'mysql' },
      rows: 'summary',
      set: { environmentId: { parent: 'id' } },
      idAt: 'environmentId',
    },
  },
  fields: {
    name: { schema: () => z.string().min(1).describe('Name.'), examples: ['main', 'other'] },
    databaseName: { schema: () => z.string().min(1).describe('Database.'), examples: ['shop', 'store'] },
    databaseUser: { schema: () => z.string().min(1).describe('User.'), examples: ['shop', 'owner'] },
  },
  operations: { create: 'mysql.create', read: 'mysql.one', update: 'mysql.update', delete: 'mysql.remove' },
  examples: ['main: { databaseName: shop, databaseUser: shop }\n'],
});
