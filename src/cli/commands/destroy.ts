import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { readNarrowing } from '../../plan/narrow.ts';
import type { ApplyView } from '../../render/formats/apply.ts';
import { applyFormats } from '../../render/formats/apply.ts';
import type { ApplyFlags } from '../approval.ts';
import type { Command } from '../command.ts';
import { readPlanFile } from '../plan-file.ts';
import { planAndApply, refuseNarrowing } from './apply.ts';

/** Deletes everything that the state holds; with a plan file only what was reviewed. It asks in both cases. */
export function destroyCommand(
  flags: Omit<ApplyFlags, 'adopt' | 'replace' | 'allowMassDelete' | 'allowMassRecreate'>,
  path?: string,
): Command<ApplyView> {
  return {
    formats: applyFormats,
    execute: async (run, view) => {
      if (path !== undefined) refuseNarrowing(flags, 'trueup plan --destroy');
      const reviewed = path === undefined ? undefined : await readPlanFile(run.process.cwd(), path);
      if (reviewed?.file.destroys === false) {
        throw new Stop('refused', [
          diagnostic('plan-file', `the plan file ${path} was not made by plan --destroy; nothing was sent`, {
            remedy: `Apply it: trueup apply ${path}. Or plan again: trueup plan --destroy --out ${path}.`,
          }),
        ]);
      }
      const request =
        reviewed === undefined
          ? { destroys: true, narrowing: readNarrowing(flags) }
          : { reviewed, full: flags.full === true };
      return planAndApply(run, view, { flags, command: 'destroy', request });
    },
  };
}
