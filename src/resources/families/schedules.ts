import * as z from 'zod';
import type { ReadOperation } from '../../api/contract.ts';
import { text } from '../../kind/codecs.ts';
import type { KindCommand, Verdict } from '../../kind/kind-command.ts';
import type { Field } from '../../kind/field.ts';
import type { Row } from '../../formats/json.ts';
import type { Operations } from '../../kind/kind-operations.ts';
import type { ParentLink } from '../../kind/parent.ts';
import { cron, timeZone } from '../../kind/value-forms.ts';
import { serviceSuffix } from './compose-model.ts';
import { description, serviceName } from './service-fields.ts';

/** What schedules have in common, wherever their commands run. */

export const scheduleFields = {
  name: { ...serviceName, examples: ['cleanup', 'report'] },
  description,
  cronExpression: {
    schema: () => cron.describe('When it runs, as a cron expression.'),
    alsoWritten: 'schedule',
    examples: ['0 3 * * *', '*/30 * * * * *'],
  },
  timezone: {
    schema: () => timeZone.describe('Time zone of the expression, such as Europe/Berlin; UTC when left out.'),
    examples: ['Europe/Berlin', 'America/New_York'],
  },
  enabled: {
    schema: () => z.boolean().describe('Whether it runs; true by default.'),
    onNull: { refuse: 'null means that it never runs; write false for that' },
    otherwise: true,
    examples: [false, true],
  },
} satisfies Record<string, Field>;

export const scheduleOperations: Operations = {
  create: 'schedule.create',
  read: 'schedule.one',
  update: 'schedule.update',
  delete: 'schedule.delete',
};

/** The answer comes when the command is over. */
export const scheduleCommands: Readonly<Record<string, KindCommand>> = {
  execute: { call: 'schedule.runManually', answers: 'late', verdict: outcome, runsAt: 'deployments' },
};

/** The platform answers 200 also when the command failed; its words stand in the log only. */
function outcome({ status, logPath }: Row): Verdict {
  if (status === 'done') return { passed: true, findings: {} };
  const where = typeof logPath === 'string' ? `; its log on the server: ${logPath}` : '';
  return { passed: false, reason: `the command failed, or there was no container to run it in${where}` };
}

/** How what runs on a schedule hangs on a service: an operation lists it, by the type of the service. */
export const scheduledBelow = (
  { call, type, given = type }: { readonly call: ReadOperation; readonly type: string; readonly given?: string },
  service: string,
): ParentLink => ({
  listed: { call, with: { id: { parent: 'id' }, [given]: { value: service } } },
  rows: { without: [] },
  set: { [`${service}Id`]: { parent: 'id' }, [type]: { value: service } },
  idAt: `${service}Id`,
  lacks: service === 'compose' ? [] : ['serviceName'],
});

/** The service of a compose that something is for. */
export const serviceOf = (what: string, examples: Field['examples']): Field => ({
  schema: () => z.string().min(1).describe(`${what}, by its name in the compose file.`),
  codec: text,
  appended: serviceSuffix,
  examples,
});
