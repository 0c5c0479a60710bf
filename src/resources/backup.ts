import * as z from 'zod';
import { isRow } from '../formats/json.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { json } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { databaseReadByShell } from './families/database-users.ts';
import { includeEncryptionKey, samePlaces, scheduledBackups, timed } from './families/backups.ts';
import { serviceOf } from './families/schedules.ts';
import { backingUp } from './families/service-commands.ts';
import { shortBackup } from './families/short-forms.ts';
import { listedBelow } from './families/parent-links.ts';

const ofDatabase = (databaseType: string) =>
  listedBelow(databaseType, 'backups', { databaseType: { value: databaseType }, backupType: { value: 'database' } });

/** A scheduled dump of a database, or of a database inside a compose, to a destination. */
export const backup = defineKind({
  kind: 'backup',
  section: 'backups',
  inPreviews: 'left out',
  summary: 'A scheduled dump of a database, or of a database inside a compose, to a destination.',
  identity: { id: 'backupId', key: ['databaseType', 'database', 'destinationId', 'prefix'] },
  short: shortBackup('schedule'),
  parents: {
    postgres: ofDatabase('postgres'),
    mariadb: ofDatabase('mariadb'),
    mysql: ofDatabase('mysql'),
    mongo: ofDatabase('mongo'),
    libsql: ofDatabase('libsql'),
    compose: listedBelow('compose', 'backups', { backupType: { value: 'compose' } }),
  },
  fields: {
    ...timed,
    database: {
      schema: () =>
        z
          .string()
          .min(1)
          .describe(
            'Database to dump; the one of its service by default. Of a libSQL: its folder below /var/lib/sqld, iku.db.',
          ),
      fromParent: 'databaseName',
      examples: ['shop', 'store'],
    },
    databaseType: {
      schema: () =>
        z.enum(['postgres', 'mariadb', 'mysql', 'mongo', 'libsql']).describe('Engine of a database inside a compose.'),
      words: {
        postgres: 'PostgreSQL.',
        mariadb: 'MariaDB.',
        mysql: 'MySQL.',
        mongo: 'MongoDB.',
        libsql: 'libSQL.',
      },
      onChange: 'replace',
      examples: ['postgres', 'mariadb'],
    },
    serviceName: serviceOf('Service that runs the database', ['db', 'db2']),
    includeEncryptionKey,
    metadata: {
      schema: () => z.record(z.string(), z.json()).describe('Credentials of a database inside a compose, by engine.'),
      codec: json,
      secrecy: 'secret',
      examples: [{ postgres: { databaseUser: 'shop' } }, { postgres: { databaseUser: 'owner' } }],
    },
  },
  operations: { create: 'backup.create', read: 'backup.one', update: 'backup.update', delete: 'backup.remove' },
  // The deletion of these databases ends the jobs of their backups. After that of another parent, they would go on.
  lifecycle: {
    ...scheduledBackups('schedule', 'database'),
    deletedWithParent: ['postgres', 'mariadb', 'mysql', 'mongo'],
  },
  commands: {
    backup: [
      { when: { backupType: 'compose' }, call: 'backup.manualBackupCompose', ...backingUp },
      { when: { databaseType: 'postgres' }, call: 'backup.manualBackupPostgres', ...backingUp },
      { when: { databaseType: 'mariadb' }, call: 'backup.manualBackupMariadb', ...backingUp },
      { when: { databaseType: 'mysql' }, call: 'backup.manualBackupMySql', ...backingUp },
      { when: { databaseType: 'mongo' }, call: 'backup.manualBackupMongo', ...backingUp },
      { when: { databaseType: 'libsql' }, call: 'backup.manualBackupLibsql', ...backingUp },
      {
        cannot: 'the platform has no documented operation that backs up a database of this engine at once',
        remedy: 'It runs by its schedule.',
      },
    ],
  },
  checks: {
    each: (self) => [...databaseReadByShell(self), ...(self.values.backupType === 'compose' ? dumps(self) : [])],
    all: (all) => samePlaces(all),
  },
  examples: ['nightly: { schedule: "0 3 * * *", prefix: shop/, destinationId: dst_1, database: shop }\n'],
});

/** The credentials that the dump of a database inside a compose needs, by engine. Source: utils/backups/utils.ts of v0.30.2. */
const credentials: Readonly<Record<string, readonly string[]>> = {
  postgres: ['databaseUser'],
  mysql: ['databaseRootPassword'],
  mariadb: ['databaseUser', 'databasePassword'],
  mongo: ['databaseUser', 'databasePassword'],
};

/** What a backup of a database inside a compose lacks: the platform takes it, and each of its runs fails. */
function dumps({ address, values, unknown = [] }: CheckedResource): Problem[] {
  const { databaseType: engine, serviceName, metadata } = values;
  const about = { code: 'backup-fails', address } as const;
  const found: Problem[] = [];
  if (serviceName === undefined && !unknown.includes('serviceName')) {
    const message = 'it names no service of the compose, and the platform finds no container to dump';
    const remedy = 'Write serviceName: with the service that runs the database.';
    found.push({ ...about, message, remedy, when: { isNew: true } });
  }
  if (engine === 'libsql') {
    const message = 'the platform dumps no libSQL inside a compose';
    const remedy = 'Write a block under volumeBackups: for its volume, in place of this one.';
    return [...found, { ...about, field: 'databaseType', message, remedy }];
  }
  if (typeof engine !== 'string' || unknown.includes('metadata')) return found;
  const given = isRow(metadata) ? metadata[engine] : undefined;
  const lacking = (credentials[engine] ?? []).filter((name) => (isRow(given) ? (given[name] ?? '') : '') === '');
  if (lacking.length === 0) return found;
  const password = (name: string) => (/password/i.test(name) ? "'${secret:NAME}'" : 'NAME');
  const members = lacking.map((name) => `${name}: ${password(name)}`).join(', ');
  const message = `metadata has no ${lacking.join(' and no ')} for ${engine}`;
  // The platform may have what the block of an existing backup leaves out.
  const when = metadata === undefined ? ({ when: { isNew: true } } as const) : {};
  return [...found, { ...about, message, remedy: `Write metadata: { ${engine}: { ${members} } }.`, ...when }];
}
