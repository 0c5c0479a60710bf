import { planDestruction } from '../../reconcile.ts';
import type { ApplyFlags } from '../approval.ts';
import type { Command } from '../run.ts';
import { planAndApply } from './apply.ts';

/** Deletes everything that the state holds. */
export function destroyCommand(flags: Omit<ApplyFlags, 'adopt' | 'allowMassDelete'>): Command {
  return (run) => planAndApply(run, { flags, verb: 'destroy', make: planDestruction });
}
