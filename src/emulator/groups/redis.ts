import { databaseGroup } from '../databases.ts';

/** The `redis` group. */
export const redis = databaseGroup({
  table: 'redis',
  title: 'Redis',
  passwords: ['databasePassword'],
  dataPath: () => '/data',
  updateFailure: 'Error updating Redis',
  logLines: ['Ready to accept connections tcp'],
});
