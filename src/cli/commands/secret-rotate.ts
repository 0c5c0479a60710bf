import { didYouMean } from '../../diagnostics/closest.ts';
import type { Stop } from '../../diagnostics/diagnostic.ts';
import { type SealedProject, changeSealed, writeValues } from '../../project/sealed-secrets.ts';
import { makeSecret, namesOf } from '../../secrets/generate-secret.ts';
import { type Run, defineCommand } from '../command.ts';
import { usage } from '../settle-options.ts';
import { commandLine } from '../shell-command.ts';
import { writingFormats, writtenEntries } from './secret-list.ts';

/** Writes new values for generated secrets. Needs no identity. */
export const command = defineCommand({
  arguments: { '<name...>': 'names under generated:' },
  notes:
    'The next apply changes databases first, then what uses the values, and restarts each once. Until then nothing changes; while it runs, connections with an old password may fail.',
  examples: ['trueup secret rotate DB_PASSWORD -f production.yaml', 'trueup secret rotate DB_PASSWORD SESSION_KEY'],
  formats: writingFormats('rotated'),
  execute: async (run, view, { args: names }) => {
    const { options } = run;
    await changeSealed(options, async (project) => {
      const values = new Map<string, string>();
      for (const name of names) {
        const recipe = project.generated.get(name);
        if (recipe === undefined) throw notGenerated(run, name, project);
        for (const [one, value] of makeSecret(name, recipe)) values.set(one, value);
      }
      const report = writtenEntries(options, project, await writeValues(options, project, values));
      const { secrets } = report;
      const isUsed = secrets.some(({ uses }) => uses.length > 0);
      // Each preview has an apply of its own.
      const apply = commandLine(run, ['apply'], project.isOfPreviews ? ['--preview', 'ID'] : []);
      const next = isUsed ? [`Run ${apply}: it changes what uses them. The old values stay valid until then.`] : [];
      view.report({ ...report, next: [...report.next, ...next] });
    });
    return 'done';
  },
});

/** A name that `generated:` does not have. It shows where the manifest or a sealed file has it: else it may be a value. */
function notGenerated(run: Run, name: string, { generated, files, uses }: SealedProject): Stop {
  const [pair] = [...generated].find(([one, recipe]) => namesOf(one, recipe).includes(name)) ?? [];
  const isKnown = pair !== undefined || uses.has(name) || files.some(({ file }) => file.values.has(name));
  const set = `Run ${commandLine(run, ['secret', 'set', isKnown ? name : 'NAME'])} to write a new value.`;
  const remedy =
    pair === undefined
      ? isKnown
        ? set
        : didYouMean(name, [...generated.keys()], set)
      : `Run ${commandLine(run, ['secret', 'rotate', pair])}: it makes a new pair.`;
  return usage(`${isKnown ? name : 'a name'} is not under generated:`, remedy);
}
