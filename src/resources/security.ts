import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import { shortUser } from './families/short-forms.ts';
import { listedBelow } from './families/parent-links.ts';

/** A user and a password that the proxy asks for before an application: basic authentication. */
export const security = defineKind({
  kind: 'security',
  section: 'security',
  alsoCalled: ['basicauth', 'basic-auth', 'basic_auth', 'auth', 'htpasswd', 'users'],
  summary: 'A user and a password that the proxy asks for before an application: basic authentication.',
  identity: { id: 'securityId', key: ['username'], keyField: 'username', idFrom: 'list' },
  short: shortUser,
  parents: { application: listedBelow('application', 'security') },
  fields: {
    // An update to the name of another user is refused, and the proxy has forgotten the old user by then.
    username: {
      schema: () =>
        z
          .string()
          .regex(/^[^:\s][^:]*$/, 'must begin with a visible character and have no colon, which ends a user name')
          .describe('Name of the user; the key of the block by default.'),
      onChange: 'replace',
      examples: ['reader', 'editor'],
    },
    password: {
      schema: () => z.string().min(1).describe('Password, which the platform stores and answers in clear.'),
      secrecy: 'secret',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
  },
  operations: {
    create: 'security.create',
    read: 'security.one',
    update: 'security.update',
    delete: 'security.delete',
  },
  lifecycle: { deletedWithParent: true },
  examples: ['reader: { password: "${secret:READER_PASSWORD}" }\n'],
});
