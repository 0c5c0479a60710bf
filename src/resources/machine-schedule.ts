import * as z from 'zod';
import { text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { scheduleCommands, scheduleFields, scheduleOperations } from './families/schedules.ts';
import { crontabLine } from './families/short-forms.ts';

/** A script that a server runs on a schedule: the one of the platform at the top of a manifest, another one below its block. */
export const machineSchedule = defineKind({
  kind: 'machineSchedule',
  section: 'schedules',
  alsoCalled: ['schedule', 'cron', 'crons', 'cronjobs', 'jobs', 'tasks'],
  summary: 'A script that the server of the platform, or the server above it, runs on a schedule.',
  identity: { id: 'scheduleId', key: ['name'], keyField: 'name' },
  short: crontabLine('script'),
  parents: {
    root: {
      // The list of the organization; the platform requires an id, and ignores it.
      listed: {
        call: 'schedule.list',
        with: { id: { value: 'organization' }, scheduleType: { value: 'dokploy-server' } },
      },
      rows: 'whole',
      set: {
        organizationId: { context: 'organizationId' },
        scheduleType: { value: 'dokploy-server' },
        // Required, and of no use here: the script is what runs.
        command: { value: '' },
      },
      idAt: 'organizationId',
    },
    server: {
      listed: { call: 'schedule.list', with: { id: { parent: 'id' }, scheduleType: { value: 'server' } } },
      rows: { without: [] },
      set: { serverId: { parent: 'id' }, scheduleType: { value: 'server' }, command: { value: '' } },
      idAt: 'serverId',
    },
  },
  fields: {
    ...scheduleFields,
    script: {
      schema: () => z.string().min(1).describe('Script of bash, which the server runs.'),
      codec: text,
      secrecy: 'private',
      savedAs: 'script.sh',
      needed: true,
      onNull: { refuse: 'a schedule without a script does nothing; remove the block' },
      examples: ['docker image prune -f\n', 'docker builder prune -f\n'],
    },
  },
  operations: scheduleOperations,
  commands: scheduleCommands,
  examples: ['prune: { cronExpression: "0 4 * * 0", script: "docker image prune -f\\n" }\n'],
});
