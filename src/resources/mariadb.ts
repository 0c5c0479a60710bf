import { databasePassword } from '../api/member-types.ts';
import type { Field } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldOf } from '../kind/row-values.ts';
import { oldLogins } from './families/backups.ts';
import { defineDatabase } from './families/database-kinds.ts';
import { isUserReadByShell, localRoot, storedForUser } from './families/database-users.ts';
import { dockerImage, firstStartOnly, needed } from './families/service-fields.ts';

/** A password that the running server gets by an operation, where the platform has one and its shell takes it. */
const password = (whose: string, type: 'user' | 'root'): Field => ({
  schema: () =>
    databasePassword.min(1, 'may not be empty: the platform would make one up').describe(`Password of ${whose}.`),
  secrecy: 'secret',
  onChange: {
    through: (row, wanted) => {
      if (row.applicationStatus !== 'done' || typeof wanted !== 'string' || wanted.includes('`'))
        return { note: stored };
      // The command for root names no other user.
      if (type === 'user' && isUserReadByShell('mariadb', row['databaseUser'])) return { note: storedForUser };
      // The user dumps the database.
      const note = type === 'user' ? oldLogins(row) : localRoot;
      return { call: 'mariadb.changePassword', as: 'password', with: { type }, note };
    },
  },
  examples: ['correct-horse-1', 'battery-staple-2'],
});

// The platform quotes the password in a shell command, where a backtick would run a program.
const stored =
  'the password is only stored: the platform changes that of a running database, and takes none with a backtick there; data that an earlier start made keep the old password, and it has to be changed there by hand';

const fixed = {
  onChange: {
    refuse:
      'the platform has no operation that changes a password of a running MariaDB; change it in the database by hand and set the same one in the platform, then write it here',
  },
  rowOnly: true,
} as const;

/** The kind where no operation changes the password of a running server. */
function withFixedPasswords(kind: Kind): Kind {
  const names = ['databasePassword', 'databaseRootPassword'];
  const fields = names.map((name) => [name, { ...fieldOf(kind, name), ...fixed }] as const);
  return { ...kind, fields: { ...kind.fields, ...Object.fromEntries(fields) } };
}

/** A MariaDB server that runs as a service of an environment. */
export const mariadb = defineDatabase('mariadb', {
  summary: 'A MariaDB server that runs as a service of an environment.',
  fields: {
    // The default of the contract, mariadb:6, does not exist as an image.
    dockerImage: needed(dockerImage(['mariadb:11', 'mariadb:12'])),
    databaseName: firstStartOnly('Name of the database.', ['shop', 'store']),
    databaseUser: firstStartOnly('User that owns the database.', ['shop', 'owner']),
    databasePassword: password('the user', 'user'),
    databaseRootPassword: password('root; the platform makes one up when it is left out', 'root'),
  },
  without: { 'mariadb.changePassword': withFixedPasswords },
  examples: [
    'main:\n  dockerImage: mariadb:11\n  databaseName: shop\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
  ],
});
