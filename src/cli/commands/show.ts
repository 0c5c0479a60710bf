import { basename } from 'node:path';
import { type Stop, stop } from '../../diagnostics/diagnostic.ts';
import { isIntact } from '../../plan/plan-facts.ts';
import { findKey } from '../../project/open-store.ts';
import { readVersion } from '../../project/version.ts';
import { planDocument } from '../../render/document-schemas.ts';
import type { Exit } from '../../render/exit-codes.ts';
import type { PlanCommandView } from '../../render/reports.ts';
import { type Run, defineCommand } from '../command.ts';
import { readPlanFile } from '../plan-file-on-disk.ts';
import { full } from '../option-sets.ts';
import { optionsFor } from '../settle-options.ts';
import { commandLine } from '../shell-command.ts';
import { planFormats } from './plan.ts';

/** Prints a plan file as `plan` printed it. Sends nothing; the key of the state proves that the file is unchanged. */
export const command = defineCommand({
  arguments: { '<plan>': 'file from plan --out' },
  options: full,
  examples: ['trueup show plan.trueup', 'trueup show plan.trueup --format markdown'],
  formats: planFormats,
  execute: (run, view, { args: [path = ''], flags }) => show(run, view, { path, isFull: flags.full === true }),
});

async function show(
  run: Run,
  view: PlanCommandView,
  { path, isFull }: { readonly path: string; readonly isFull: boolean },
): Promise<Exit> {
  const { file } = await readPlanFile(run.process.cwd(), path);
  // The key is that of its root file, also where the command line names none.
  const options = optionsFor(basename(file.root), run.options);
  const key = await findKey(options);
  if (!isIntact(file, key)) {
    const what = `the plan file ${path} was changed after it was made, or was made with another key; it is not shown`;
    throw refused(what, 'Use the key of the state that the plan was made from, or plan again.');
  }
  const shown = planDocument.safeParse(JSON.parse(key.decryptPlan(file.shown))).data;
  if (shown === undefined) {
    const what = `Trueup ${file.madeBy} wrote the plan file ${path} in a form that ${readVersion()} cannot show`;
    throw refused(what, `Show it with Trueup ${file.madeBy}, or plan again.`);
  }
  view.warnings(shown.diagnostics.filter(({ source }) => source === 'manifest'));
  const own = { ...run, options };
  const command = commandLine(own, [file.destroys ? 'destroy' : 'apply', path]);
  view.plan({ plan: shown, isFull, savedTo: path, command, showing: commandLine(own, ['show', path], ['--full']) });
  return 'done';
}

function refused(what: string, remedy: string): Stop {
  return stop('refused', 'plan-file', what, { remedy });
}
