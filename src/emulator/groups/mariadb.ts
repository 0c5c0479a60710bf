import { databaseGroup } from '../databases.ts';

/** The `mariadb` group. */
export const mariadb = databaseGroup({
  table: 'mariadb',
  title: 'Mariadb',
  passwords: ['databasePassword', 'databaseRootPassword'],
  dataPath: () => '/var/lib/mysql',
  updateFailure: 'Update: Error updating Mariadb',
  logLines: ['mariadbd: ready for connections.'],
});
