import { didYouMean } from '../../diagnostics/closest.ts';
import { fileOption } from '../../project/folder.ts';
import { changeSealed, writeValues } from '../../project/sealed-secrets.ts';
import { makeSecret } from '../../secrets/generate-secret.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../settle-options.ts';
import { writingFormats, writtenEntries } from './secret-list.ts';

/** Writes new values for generated secrets. Needs no identity. */
export const command = defineCommand({
  arguments: { '<name...>': 'names under generated:' },
  notes:
    'The next apply changes databases first, then what uses the values, and restarts each once. Until then nothing changes; while it runs, connections with an old password may fail.',
  examples: ['trueup secret rotate DB_PASSWORD -f production.yaml', 'trueup secret rotate DB_PASSWORD SESSION_KEY'],
  formats: writingFormats('rotated'),
  execute: async ({ options }, view, { args: names }) => {
    await changeSealed(options, async (project) => {
      const values = new Map<string, string>();
      for (const name of names) {
        const recipe = project.generated.get(name);
        if (recipe === undefined) {
          const otherwise = `Set its new value with trueup secret set NAME${fileOption(options)}.`;
          const remedy = didYouMean(name, [...project.generated.keys()], otherwise);
          throw usage('a name is not under generated:', remedy);
        }
        for (const [one, value] of makeSecret(name, recipe)) values.set(one, value);
      }
      for (const value of values.values()) options.redactor.add(value);
      const { written, secrets } = writtenEntries(project, await writeValues(options, project, values));
      const isUsed = secrets.some(({ uses }) => uses.length > 0);
      const next = isUsed
        ? [`Run trueup apply${fileOption(options)}: it changes what uses them. The old values stay valid until then.`]
        : [];
      view.report({ written, secrets, next });
    });
    return 'done';
  },
});
