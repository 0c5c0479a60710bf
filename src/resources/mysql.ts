import { changeablePassword, defineDatabase, withFixedPasswords } from './families/database-kinds.ts';
import { dockerImage, firstStartOnly } from './families/service-fields.ts';

/** A MySQL server that runs as a service of an environment. */
export const mysql = defineDatabase('mysql', {
  alsoCalled: ['percona'],
  summary: 'A MySQL server that runs as a service of an environment.',
  fields: {
    dockerImage: dockerImage(['mysql:8', 'mysql:9']),
    databaseName: firstStartOnly('Name of the database.', ['shop', 'store']),
    databaseUser: firstStartOnly('User that owns the database.', ['shop', 'owner']),
    // Before that of root: the platform logs in as root to change either, with the password of root that it stores.
    databasePassword: changeablePassword('Password of the user.', 'mysql.changePassword', {
      constants: { type: 'user' },
    }),
    databaseRootPassword: changeablePassword(
      'Password of root; the platform makes one up when it is left out.',
      'mysql.changePassword',
      { constants: { type: 'root' }, isOfBackups: true },
    ),
  },
  without: { 'mysql.changePassword': withFixedPasswords('databasePassword', 'databaseRootPassword') },
  examples: [
    'main:\n  dockerImage: mysql:8\n  databaseName: shop\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
  ],
});
