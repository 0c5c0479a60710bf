import { databaseGroup } from '../databases.ts';

/** The `mysql` group, beyond the document. */
export const mysql = databaseGroup({
  table: 'mysql',
  title: 'MySql',
  passwords: ['databasePassword', 'databaseRootPassword'],
  dataPath: () => '/var/lib/mysql',
  updateFailure: 'Update: Error updating MySQL',
  logLines: ['/usr/sbin/mysqld: ready for connections.'],
});
