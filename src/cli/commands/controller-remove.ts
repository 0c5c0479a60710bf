import type { EnrolmentDocument } from '../../render/document-schemas.ts';
import { enrolmentJson, renderEnrolment } from '../../render/enrolment.ts';
import { reportFormats } from '../../render/output-format.ts';
import { defineCommand } from '../command.ts';
import { withController } from '../controller.ts';
import type { Options } from '../flags.ts';
import { usage } from '../settle-options.ts';

const options = {
  '--source <id>': 'name of the repository; its stacks, their plans and their runs go with it',
  '--platform <id>': 'name of the platform; no other repository may name it',
} as const satisfies Options;

/** Removes a repository or a platform from the controller. */
export const command = defineCommand({
  options,
  notes: `What the stacks made stays on the platforms, also their previews, and so do their states: a repository that is enrolled again
by this name goes on with them. The audit keeps its events. To remove what they made, remove it from git first, and approve that plan.`,
  examples: ['trueup controller remove --source shop', 'trueup controller remove --platform paris'],
  formats: reportFormats<Omit<EnrolmentDocument, 'format' | 'version'>>({
    text: (report, { out, outStyle }) => out(renderEnrolment(report, outStyle)),
    json: enrolmentJson,
  }),
  execute: async ({ options: { env } }, view, { flags: { source, platform } }) => {
    const [what, id] = source === undefined ? (['platform', platform] as const) : (['source', source] as const);
    if (id === undefined || (source !== undefined && platform !== undefined))
      throw usage('one thing is removed at a time', 'Give --source or --platform.');
    const left = await withController(({ remove }) => remove({ env, what, id }));
    view.report({ checks: [], [what]: { id, is: 'removed', ...(left.length === 0 ? {} : { left }) } });
    return 'done';
  },
});
