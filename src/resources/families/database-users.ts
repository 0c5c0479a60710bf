import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { isReadByShell } from '../../kind/value-forms.ts';

/** Names in commands of a shell: users of databases, where their password changes. Source: changePassword of the routers of v0.30.2. */

/** Signs that mean something in double quotes of a shell, or in a text of SQL or JavaScript within them. */
const inQuotes = { isRead: (user: string) => /["'$`\\]/.test(user), signs: 'any of " \' $ ` \\' };

const inCommand: Readonly<Partial<Record<string, typeof inQuotes>>> = {
  // psql -U gets it without quotes.
  postgres: {
    isRead: (user) => isReadByShell(user) || /[{}]|^[#~-]/.test(user),
    signs: 'blanks, and without any of | & ; < > ( ) { } $ ` \\ " \' * ? [ ] # ~, or - at its beginning',
  },
  mysql: inQuotes,
  mariadb: inQuotes,
  mongo: inQuotes,
};

/** Finds a new database whose password could not be changed later. The user of one that is there cannot be changed either. */
export function userReadByShell({ kind, address, values }: CheckedResource): readonly Problem[] {
  if (!isUserReadByShell(kind, values['databaseUser'])) return [];
  const message = 'the platform changes the password by a command of a shell, which reads blanks or signs of the user';
  const remedy = `Write a name without ${inCommand[kind]?.signs ?? 'them'}.`;
  const about = { field: 'databaseUser', fails: true, when: { isNew: true } } as const;
  return [{ code: 'refused-setting', address, ...about, message, remedy }];
}

/** Whether the command that changes the password of a user reads its name as something else. */
export function isUserReadByShell(kind: string, user: unknown): boolean {
  return typeof user === 'string' && inCommand[kind]?.isRead(user) === true;
}

/** The note of a password that is stored only, because its user cannot stand in a command. */
export const storedForUser =
  'the user has signs that a shell of the platform reads, so the password is only stored: change it in the database by hand';

/**
 * The note of another password of root: the platform changes root for connections from outside, and logs in as the other root that the
 * images of MySQL and MariaDB make for their own container. Source: changePassword of v0.30.2, and the entry points of the images.
 */
export const localRoot =
  "inside of the container root keeps the old password, and each later change of a password fails, as the platform logs in there: after the apply, run ALTER USER 'root'@'localhost' in the database by hand";

/** Finds the database of a backup that an older platform writes into a command of a shell. Source: getPostgresBackupCommand and others. */
export function databaseReadByShell({ address, values: { database } }: CheckedResource): readonly Problem[] {
  if (typeof database !== 'string' || !inQuotes.isRead(database)) return [];
  const message = `this platform is older than ${quoted}, and a shell reads signs of the database in the command of each run`;
  const remedy = `Upgrade the platform to ${quoted}.`;
  return [{ code: 'backup-fails', address, field: 'database', message, remedy, when: { before: quoted } }];
}

/** From this version on the platform quotes the names in commands of backups and restores. */
const quoted = '0.29.13';
