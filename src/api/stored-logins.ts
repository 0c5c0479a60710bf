/**
 * Operations that log in to the running database with a password of its row, by the member that holds it. A PostgreSQL asks its own
 * container for none. Source: changePassword of the routers of v0.30.2.
 */
const storedLogins: ReadonlyMap<string, string> = new Map([
  ['mariadb.changePassword', 'databaseRootPassword'],
  ['mongo.changePassword', 'databasePassword'],
  ['mysql.changePassword', 'databaseRootPassword'],
]);

/** The member of its row whose password an operation logs in to the running database with; undefined: with none. Never throws. */
export function storedLogin(operation: string): string | undefined {
  return storedLogins.get(operation);
}

/** What to do where the database has another password than its row. `id`: that of the database. Never throws. */
export function storeLogin(operation: string, id: string): string | undefined {
  const member = storedLogin(operation);
  if (member === undefined) return undefined;
  const [group = ''] = operation.split('.');
  const command = `trueup call ${group}.update ${group}Id=${id} ${member}=@-`;
  const byHand = member === 'databaseRootPassword' ? ", or give 'root'@'localhost' the stored one there by hand" : '';
  return `If the database has another ${member} than the platform stores, store the one that it has: ${command} reads it from standard input, and changes nothing in the database${byHand}. Then apply again.`;
}
