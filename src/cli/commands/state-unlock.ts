import { stop } from '../../diagnostics/diagnostic.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { printable } from '../../render/printable.ts';
import { type ReportView, reportFormats } from '../../render/output-format.ts';
import { unlockJson } from '../../render/state-views.ts';
import type { Holder } from '../../state/holder.ts';
import { confirm } from '../approval.ts';
import { type Run, defineCommand } from '../command.ts';
import { withStore } from '../connect.ts';
import { alsoAutoApprove } from '../option-sets.ts';

/** The holder that lost the lock; undefined: the state was not locked. */
type Unlocked = Pick<Holder, 'owner' | 'purpose' | 'since'> | undefined;

/** Removes the lock of a run that no longer exists. */
export const command = defineCommand({
  options: { '--yes': 'do not ask; required without a terminal', ...alsoAutoApprove },
  examples: ['trueup state unlock', 'trueup state unlock --yes'],
  formats: reportFormats<Unlocked>({ json: unlockJson }),
  execute: (run, view, { flags }) => unlock(run, view, flags.yes === true),
});

function unlock(run: Run, view: ReportView<Unlocked>, isGiven: boolean): Promise<Exit> {
  const { terminal } = run;
  return withStore(run, async (store) => {
    const holder = await store.holder();
    if (holder === undefined) {
      terminal.err('The state is not locked.\n');
      view.report(undefined);
      return 'done';
    }
    const { purpose, since, endsInMs } = holder;
    const owner = printable(holder.owner);
    const ends = endsInMs === undefined ? '' : `; the lock expires in ${Math.ceil(endsInMs / 1_000)} s`;
    const held = `${owner} holds the lock of the state ${store.location} since ${printable(since)}, for ${printable(purpose)}`;
    const isMeant = await confirm(run, {
      question: `${held}${ends}.\nIf that run still exists, it saves nothing more and starts nothing new; its last requests leave within a minute.
The next run waits until those have reached the platform: 2 minutes at most.`,
      about: `remove the lock: ${held}`,
      isGiven,
    });
    if (!isMeant) return 'failed';
    if (!(await holder.remove())) {
      const message = `the lock was not removed: it was renewed, released or taken meanwhile, so ${owner} may still be running`;
      throw stop('locked', 'locked', message, {
        remedy: 'Run trueup state unlock again to see who holds the lock now.',
      });
    }
    terminal.err(`Removed the lock of ${owner}.\n`);
    view.report(holder);
    return 'done';
  });
}
