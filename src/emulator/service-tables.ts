/** The tables of services by their names in messages; the key of each table is its name with `Id`. */
export const serviceTitles = {
  application: 'Application',
  compose: 'Compose',
  libsql: 'Libsql',
  mariadb: 'Mariadb',
  mongo: 'Mongo',
  mysql: 'MySql',
  postgres: 'Postgres',
  redis: 'Redis',
} as const;

/** The table of a kind of services. */
export type ServiceTable = keyof typeof serviceTitles;

/** The table of a kind of databases. */
export type DatabaseTable = Exclude<ServiceTable, 'application' | 'compose'>;

/** The tables of the kinds of services. */
export const serviceTables = Object.keys(serviceTitles) as ServiceTable[]; // its keys are the tables

/** Whether a text names a table of services. Never throws. */
export function isServiceTable(name: unknown): name is ServiceTable {
  return typeof name === 'string' && Object.hasOwn(serviceTitles, name);
}
