import { databaseGroup } from '../databases.ts';

/** The `mongo` group, beyond the document. */
export const mongo = databaseGroup({
  table: 'mongo',
  title: 'Mongo',
  passwords: ['databasePassword'],
  dataPath: () => '/data/db',
  updateFailure: 'Update: Error updating Mongo',
  logLines: ['Waiting for connections'],
});
