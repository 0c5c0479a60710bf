import * as z from 'zod';
import { defineKind } from '../kind/kind.ts';
import {
  scheduleCommands,
  scheduledBelow,
  scheduleFields,
  scheduleOperations,
  serviceOf,
} from './families/schedules.ts';
import { needed } from './families/service-fields.ts';
import { crontabLine } from './families/short-forms.ts';

const below = (service: string) => scheduledBelow({ call: 'schedule.list', type: 'scheduleType' }, service);

/** A command that the platform runs in a container of a service, on a schedule. */
export const schedule = defineKind({
  kind: 'schedule',
  section: 'schedules',
  alsoCalled: ['schedule', 'cron', 'crons', 'cronjobs', 'jobs', 'tasks'],
  summary: 'A command that the platform runs in a container of a service, on a schedule.',
  identity: { id: 'scheduleId', key: ['name'], keyField: 'name' },
  short: crontabLine('command'),
  parents: { application: below('application'), compose: below('compose') },
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
    serviceName: needed(serviceOf('Service that runs it', ['web', 'api'])),
  },
  // It is deleted by itself, also when its service goes: the deletion is what cancels its job.
  operations: scheduleOperations,
  commands: scheduleCommands,
  examples: ['cleanup: { cronExpression: "0 3 * * *", command: npm run cleanup, shellType: sh }\n'],
});
