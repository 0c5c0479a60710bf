import * as z from 'zod';
import { volumeName } from '../api/member-types.ts';
import { defineKind } from '../kind/kind.ts';
import { enabledAtCreate, keepLatestCount, samePlaces, scheduledBackups } from './families/backups.ts';
import { belowDatabases } from './families/database-kinds.ts';
import { needed, serviceName } from './families/service-fields.ts';
import { destinationId } from './families/named-ids.ts';
import { scheduledBelow, serviceOf } from './families/schedules.ts';
import { backingUp } from './families/service-commands.ts';
import { cron, madeUpName } from '../kind/value-forms.ts';
import { shortBackup } from './families/short-forms.ts';

const below = (service: string) =>
  scheduledBelow({ call: 'volumeBackups.list', type: 'serviceType', given: 'volumeBackupType' }, service);

/** A scheduled copy of a volume of a service to a destination. */
export const volumeBackup = defineKind({
  kind: 'volumeBackup',
  section: 'volumeBackups',
  inPreviews: 'left out',
  summary: 'A scheduled copy of a volume of a service to a destination.',
  identity: { id: 'volumeBackupId', key: ['name'], keyField: 'name' },
  short: shortBackup('cronExpression'),
  parents: {
    application: below('application'),
    compose: below('compose'),
    ...belowDatabases(below),
  },
  fields: {
    name: { ...serviceName, examples: ['uploads', 'media'] },
    volumeName: {
      schema: () => volumeName.describe('Volume, by the name that docker has.'),
      examples: ['uploads', 'media'],
    },
    serviceName: needed(serviceOf('Service that uses the volume', ['web', 'api'])),
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
    keepLatestCount,
    turnOff: {
      schema: () => z.boolean().describe('Whether the service is stopped while its volume is copied.'),
      otherwise: false,
      examples: [true, false],
    },
    enabled: enabledAtCreate([false, true]),
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
  lifecycle: scheduledBackups('cronExpression', 'volumeName'),
  checks: { all: (all) => samePlaces(all, ({ values: { volumeName } }) => `${String(volumeName)}-`) },
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
