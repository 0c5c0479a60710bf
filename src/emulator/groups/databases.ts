import type { Group } from '../context.ts';
import { databaseGroup, type DatabaseKind } from '../database-group.ts';
import { invalid } from '../error-answers.ts';

const kinds: readonly DatabaseKind[] = [
  {
    table: 'mariadb',
    passwords: ['databasePassword', 'databaseRootPassword'],
    dataPath: () => '/var/lib/mysql',
    updateFailure: 'Update: Error updating Mariadb',
    logLines: ['mariadbd: ready for connections.'],
  },
  {
    table: 'mongo',
    passwords: ['databasePassword'],
    dataPath: () => '/data/db',
    updateFailure: 'Update: Error updating Mongo',
    logLines: ['Waiting for connections'],
  },
  {
    table: 'mysql',
    passwords: ['databasePassword', 'databaseRootPassword'],
    dataPath: () => '/var/lib/mysql',
    updateFailure: 'Update: Error updating MySQL',
    logLines: ['/usr/sbin/mysqld: ready for connections.'],
  },
  {
    table: 'redis',
    passwords: ['databasePassword'],
    dataPath: () => '/data',
    updateFailure: 'Error updating Redis',
    logLines: ['Ready to accept connections tcp'],
  },
  {
    table: 'postgres',
    passwords: ['databasePassword'],
    dataPath: postgresPath,
    updateFailure: 'Error updating Postgres',
    logLines: [
      'LOG:  starting PostgreSQL',
      'LOG:  listening on IPv4 address "0.0.0.0", port 5432',
      'LOG:  database system is ready to accept connections',
    ],
  },
];

/** Since version 18, each major version has a folder of its own. */
function postgresPath(dockerImage: string): string {
  const major = /postgres:(\d+)/.exec(dockerImage)?.[1];
  return major !== undefined && Number(major) >= 18
    ? `/var/lib/postgresql/${major}/docker`
    : '/var/lib/postgresql/data';
}

const libsql = databaseGroup({
  table: 'libsql',
  passwords: ['databasePassword'],
  dataPath: () => '/var/lib/sqld',
  updateFailure: 'Error updating Libsql',
  logLines: ['listening for HTTP requests on 0.0.0.0:8080'],
});

/** The groups of the kinds of databases; libsql, mongo and mysql are beyond the document. */
export const databases: Group = {
  ...Object.assign({}, ...kinds.map(databaseGroup)),
  ...libsql,

  // Answers no id: the new one shows only in the environment. An update does not check what this checks.
  async 'libsql.create'(context, input) {
    const isReplica = input['sqldNode'] === 'replica';
    if (isReplica !== (input['sqldPrimaryUrl'] !== null))
      throw invalid(
        'sqldPrimaryUrl',
        isReplica
          ? "sqldPrimaryUrl is required when sqldNode is 'replica'."
          : "sqldPrimaryUrl should not be provided when sqldNode is not 'replica'.",
      );
    await libsql['libsql.create']?.(context, input);
    return true;
  },
};
