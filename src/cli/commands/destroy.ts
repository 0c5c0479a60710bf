import type { ApplyView } from '../../render/formats/apply.ts';
import { applyFormats } from '../../render/formats/apply.ts';
import type { ApplyFlags } from '../approval.ts';
import type { Command } from '../command.ts';
import { planAndApply } from './apply.ts';

/** Deletes everything that the state holds. */
export function destroyCommand(
  flags: Omit<ApplyFlags, 'adopt' | 'allowMassDelete' | 'allowMassRecreate'>,
): Command<ApplyView> {
  return {
    formats: applyFormats,
    execute: (run, view) => planAndApply(run, view, { flags, command: 'destroy', request: { destroys: true } }),
  };
}
