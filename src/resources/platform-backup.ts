import { includeEncryptionKey, scheduledBackups, timed } from './families/backups.ts';
import { backingUp } from './families/service-commands.ts';
import { shortBackup } from './families/short-forms.ts';
import { defineKind } from '../kind/kind.ts';

/** A scheduled backup of the platform itself. It belongs to the user of the API key. */
export const platformBackup = defineKind({
  kind: 'platformBackup',
  section: 'backups',
  inPreviews: 'left out',
  summary:
    'A scheduled backup of the platform itself, its database and files, to a destination. It belongs to the user of the API key.',
  identity: { id: 'backupId', key: ['destinationId', 'prefix'], idFrom: 'list' },
  short: shortBackup('schedule'),
  parents: {
    root: {
      listed: { call: 'user.getBackups', within: 'backups' },
      rows: 'whole',
      set: {
        userId: { context: 'userId' },
        databaseType: { value: 'web-server' },
        backupType: { value: 'database' },
        database: { value: 'dokploy' },
      },
      idAt: 'userId',
    },
  },
  fields: { ...timed, includeEncryptionKey },
  operations: { create: 'backup.create', read: 'backup.one', update: 'backup.update', delete: 'backup.remove' },
  lifecycle: scheduledBackups('schedule'),
  commands: { backup: { call: 'backup.manualBackupWebServer', ...backingUp } },
  checks: {
    hints: { database: 'it backs up the platform; a backup of a database stands below its block, as backups:' },
  },
  examples: ['nightly: { schedule: "0 3 * * *", prefix: platform/, destinationId: dst_1 }\n'],
});
