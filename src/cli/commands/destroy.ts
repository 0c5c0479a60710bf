import { stop } from '../../diagnostics/diagnostic.ts';
import { readNarrowing } from '../../plan/narrow.ts';
import { defineCommand } from '../command.ts';
import { readPlanFile } from '../plan-file-on-disk.ts';
import { allowDataLoss, autoApprove, fullWithFile, inFlightTimeout, narrowing, values } from '../option-sets.ts';
import { applyFormats, planAndApply, refuseNarrowing } from './apply.ts';

/** Deletes everything that the state holds; with a plan file only what was reviewed. It asks in both cases. */
export const command = defineCommand({
  arguments: { '[plan]': 'file from plan --destroy --out: deletes if the plan is still the same' },
  options: {
    ...narrowing,
    ...autoApprove,
    ...allowDataLoss,
    '--allow-mass-delete': 'not needed: destroy deletes any number of objects',
    ...fullWithFile,
    ...values,
    ...inFlightTimeout,
  },
  examples: ['trueup destroy', 'trueup destroy plan.trueup', 'trueup destroy --auto-approve --allow-data-loss'],
  formats: applyFormats,
  execute: async (run, view, { args: [path], flags }) => {
    if (path !== undefined) refuseNarrowing(flags, 'trueup plan --destroy');
    const reviewed = path === undefined ? undefined : await readPlanFile(run.process.cwd(), path);
    if (reviewed?.file.destroys === false) {
      throw stop('refused', 'plan-file', `the plan file ${path} was not made by plan --destroy; nothing was sent`, {
        remedy: `Apply it: trueup apply ${path}. Or plan again: trueup plan --destroy --out ${path}.`,
      });
    }
    const request =
      reviewed === undefined
        ? { destroys: true, narrowing: readNarrowing(flags) }
        : { reviewed, full: flags.full === true };
    return planAndApply(run, view, { flags, command: 'destroy', request });
  },
});
