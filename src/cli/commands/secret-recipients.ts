import { changeSealed, reseal } from '../../project/sealed-secrets.ts';
import { defineCommand } from '../command.ts';
import { commandLine } from '../shell-command.ts';
import { entriesOf, writingFormats } from './secret-list.ts';

/** Seals all values for the recipients of the manifest. Needs an identity that opens them. */
export const command = defineCommand({
  notes:
    'Change recipients: in the manifest first. The identity comes from TRUEUP_AGE_IDENTITY or TRUEUP_AGE_IDENTITY_FILE.',
  examples: ['trueup secret recipients -f production.yaml'],
  formats: writingFormats('sealed'),
  execute: async (run, view) => {
    const { options } = run;
    await changeSealed(options, async (project) => {
      const done = await reseal(options, project);
      const secrets = done.flatMap(({ path, names }) =>
        entriesOf(options, project, names).map((entry) => ({ ...entry, file: path, isSealedForAll: true })),
      );
      const removed = [...new Set(done.flatMap((one) => one.removed))];
      const next = [
        ...(done.length === 0 ? ['All values are sealed for the recipients of the manifest.'] : []),
        ...(removed.length === 0
          ? []
          : [
              `${removed.join(', ')} can open the old values, which git keeps: run ${commandLine(run, ['secret', 'rotate', 'NAME'])} for each generated secret, and ${commandLine(run, ['secret', 'set', 'NAME'])} for each other one.`,
            ]),
      ];
      view.report({ written: done.map(({ path }) => path), secrets, next });
    });
    return 'done';
  },
});
