/** The tables of the kinds of databases; the key of each is its name with `Id`. */
export const databaseTables = ['libsql', 'mariadb', 'mongo', 'mysql', 'postgres', 'redis'] as const;

/** The table of a kind of databases. */
export type DatabaseTable = (typeof databaseTables)[number];
