import * as z from 'zod';
import { text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import type { ParentLink } from '../kind/parent.ts';
import { serviceSuffix } from './families/compose-file.ts';
import { scheduleCommands, scheduleFields, scheduleOperations } from './families/schedules.ts';
import { crontabLine } from './families/short-forms.ts';

const of = (scheduleType: string): ParentLink => ({
  listed: { call: 'schedule.list', with: { id: { parent: 'id' }, scheduleType: { value: scheduleType } } },
  rows: { without: [] },
  set: { [`${scheduleType}Id`]: { parent: 'id' }, scheduleType: { value: scheduleType } },
  idAt: `${scheduleType}Id`,
  ...(scheduleType === 'compose' ? {} : { lacks: ['serviceName'] }),
});

/** A command that the platform runs in a container of a service, on a schedule. */
export const schedule = defineKind({
  kind: 'schedule',
  section: 'schedules',
  alsoCalled: ['schedule', 'cron', 'crons', 'cronjobs', 'jobs', 'tasks'],
  summary: 'A command that the platform runs in a container of a service, on a schedule.',
  identity: { id: 'scheduleId', key: ['name'], keyField: 'name' },
  short: crontabLine('command'),
  parents: { application: of('application'), compose: of('compose') },
  fields: {
    ...scheduleFields,
    command: {
      schema: () => z.string().min(1).describe('Command, which the shell in the container runs.'),
      takesSecrets: true,
      examples: ['npm run cleanup', 'npm run report'],
    },
    shellType: {
      schema: () => z.enum(['bash', 'sh']).describe('Shell; the container must have it.'),
      words: { bash: 'bash, which many small images lack.', sh: 'sh.' },
      onNull: { value: 'bash' },
      otherwise: 'bash',
      examples: ['sh', 'bash'],
    },
    serviceName: {
      schema: () => z.string().min(1).describe('Service that runs it, by its name in the compose file.'),
      codec: text,
      appended: serviceSuffix,
      needed: true,
      examples: ['web', 'api'],
    },
  },
  // It is deleted by itself, also when its service goes: the deletion is what cancels its job.
  operations: scheduleOperations,
  commands: scheduleCommands,
  examples: ['cleanup: { cronExpression: "0 3 * * *", command: npm run cleanup, shellType: sh }\n'],
});
