import type { Group } from '../context.ts';
import { databaseGroup } from '../databases.ts';

/** The `postgres` group. */
export const postgres: Group = databaseGroup({
  table: 'postgres',
  title: 'Postgres',
  passwords: ['databasePassword'],
  dataPath,
  updateFailure: 'Error updating Postgres',
  logLines: [
    'LOG:  starting PostgreSQL',
    'LOG:  listening on IPv4 address "0.0.0.0", port 5432',
    'LOG:  database system is ready to accept connections',
  ],
});

function dataPath(dockerImage: string): string {
  const major = /postgres:(\d+)/.exec(dockerImage)?.[1];
  return major !== undefined && Number(major) >= 18
    ? `/var/lib/postgresql/${major}/docker`
    : '/var/lib/postgresql/data';
}
