import * as z from 'zod';
import { volumeName } from '../api/values.ts';
import { text } from '../kind/codecs.ts';
import type { ParentLink } from '../kind/parent.ts';
import { defineKind } from '../kind/kind.ts';
import { scheduledBackups } from './families/backups.ts';
import { destinationId } from './families/references.ts';
import { serviceSuffix } from './families/compose-file.ts';
import { backingUp } from './families/service-commands.ts';
import { cron, madeUpName } from '../kind/syntax.ts';
import { shortBackup } from './families/short-forms.ts';

const of = (serviceType: string): ParentLink => ({
  listed: {
    call: 'volumeBackups.list',
    with: { id: { parent: 'id' }, volumeBackupType: { value: serviceType } },
  },
  rows: { without: [] },
  set: { [`${serviceType}Id`]: { parent: 'id' }, serviceType: { value: serviceType } },
  idAt: `${serviceType}Id`,
  ...(serviceType === 'compose' ? {} : { lacks: ['serviceName'] }),
});

/** A scheduled copy of a volume of a service to a destination. */
export const volumeBackup = defineKind({
  kind: 'volumeBackup',
  section: 'volumeBackups',
  summary: 'A scheduled copy of a volume of a service to a destination.',
  identity: { id: 'volumeBackupId', key: ['name'], keyField: 'name' },
  short: shortBackup('cronExpression'),
  parents: {
    application: of('application'),
    compose: of('compose'),
    postgres: of('postgres'),
    mariadb: of('mariadb'),
    redis: of('redis'),
    mysql: of('mysql'),
    mongo: of('mongo'),
    libsql: of('libsql'),
  },
  fields: {
    name: {
      schema: () => z.string().min(1).describe('Display name; the key of the block by default.'),
      examples: ['uploads', 'media'],
    },
    volumeName: {
      schema: () => volumeName.describe('Volume, by the name that docker has.'),
      examples: ['uploads', 'media'],
    },
    serviceName: {
      schema: () => z.string().min(1).describe('Service that uses the volume, by its name in the compose file.'),
      codec: text,
      appended: serviceSuffix,
      needed: true,
      examples: ['web', 'api'],
    },
    destinationId,
    prefix: {
      schema: () => z.string().min(1).describe('Folder in the destination.'),
      examples: ['uploads/', 'media/'],
    },
    cronExpression: {
      schema: () => cron.describe('When it runs, as a cron expression.'),
      alsoWritten: 'schedule',
      examples: ['30 3 * * *', '0 4 * * 1'],
    },
    keepLatestCount: {
      schema: () => z.number().int().min(1).describe('How many are kept; all when null.'),
      examples: [14, 7],
    },
    turnOff: {
      schema: () => z.boolean().describe('Whether the service is stopped while its volume is copied.'),
      otherwise: false,
      examples: [true, false],
    },
    // The platform never runs one whose `enabled` was left out.
    enabled: {
      schema: () => z.boolean().describe('Whether it runs; true by default.'),
      atCreate: true,
      onNull: { refuse: 'null means that it never runs; write false for that' },
      examples: [false, true],
    },
    appName: {
      schema: () => z.string().min(1).describe('Name of its job on the host; the platform makes one up.'),
      madeUp: madeUpName,
      examples: ['uploads-copy', 'media-copy'],
    },
  },
  operations: {
    create: 'volumeBackups.create',
    read: 'volumeBackups.one',
    update: 'volumeBackups.update',
    delete: 'volumeBackups.delete',
  },
  lifecycle: scheduledBackups('volumeName', 'cronExpression'),
  commands: {
    backup: [
      {
        when: { turnOff: true },
        call: 'volumeBackups.runManually',
        interrupts: 'its service is stopped while the volume is copied',
        ...backingUp,
      },
      { call: 'volumeBackups.runManually', ...backingUp },
    ],
  },
  examples: [
    'uploads: { volumeName: uploads, cronExpression: "30 3 * * *", prefix: uploads/, destinationId: dst_1 }\n',
  ],
});
