import { changeSealed, writeValues } from '../../project/sealed-secrets.ts';
import { makeSecret, namesOf } from '../../secrets/generate-secret.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../settle-options.ts';
import { commandLine } from '../shell-command.ts';
import { writingFormats, writtenEntries } from './secret-list.ts';

/** Makes what `generated:` names and no sealed file has. Needs no identity. */
export const command = defineCommand({
  examples: ['trueup secret generate', 'trueup secret generate -f staging.yaml'],
  formats: writingFormats('generated'),
  execute: async (run, view) => {
    const { options } = run;
    await changeSealed(options, async (project) => {
      if (project.generated.size === 0) {
        throw usage(
          `${options.file} declares nothing to generate`,
          'Write generated: { DB_PASSWORD: { length: 32 } }.',
        );
      }
      const isThere = (name: string) => project.files.some(({ file }) => file.values.has(name));
      const lacking = [...project.generated].filter(([name, recipe]) => !namesOf(name, recipe).every(isThere));
      const half = lacking.find(([name, recipe]) => namesOf(name, recipe).some(isThere));
      if (half !== undefined) {
        const message = `the sealed file has only one of ${namesOf(...half).join(' and ')}`;
        throw usage(message, `Run ${commandLine(run, ['secret', 'rotate', half[0]])}: a new pair replaces it.`);
      }
      const values = new Map(lacking.flatMap(([name, recipe]) => [...makeSecret(name, recipe)]));
      const written = writtenEntries(options, project, await writeValues(options, project, values));
      view.report(values.size === 0 ? { ...written, next: ['All generated secrets are there.'] } : written);
    });
    return 'done';
  },
});
