import { reportFormats } from '../../render/output-format.ts';
import { type AcceptOlderReport, acceptOlderJson } from '../../render/state-views.ts';
import { gone } from '../../state/unusable.ts';
import { confirm } from '../approval.ts';
import { defineCommand } from '../command.ts';
import { withStore } from '../connect.ts';
import { alsoAutoApprove } from '../option-sets.ts';

/** Goes on from a state that is older than the one that was saved last. */
export const command = defineCommand({
  options: { '--yes': 'do not ask; required without a terminal', ...alsoAutoApprove },
  examples: ['trueup state accept-older', 'trueup state accept-older --yes'],
  formats: reportFormats<AcceptOlderReport>({ json: acceptOlderJson }),
  execute: (run, view, { flags }) =>
    withStore(run, async (store) => {
      await store.lock({ purpose: 'state accept-older' });
      const newest = await store.newest();
      const state = await store.read({ acceptsOlder: true });
      if (state === undefined && newest !== undefined) throw gone(store.location, newest.serial);
      const isOlder =
        state !== undefined &&
        newest !== undefined &&
        (state.lineage !== newest.lineage || state.serial < newest.serial);
      if (!isOlder) {
        run.terminal.err('The state is the newest one: nothing was changed.\n');
        view.report({ serial: state?.serial, isAccepted: false });
        return 'done';
      }
      const isMeant = await confirm(run, {
        question: `The state ${store.location} is at version ${state.serial}, and version ${newest.serial} was saved last.
Trueup does not know what was created, changed or deleted since: the next plan may show that again.`,
        about: `go on from version ${state.serial} of the state`,
        isGiven: flags.yes === true,
      });
      if (!isMeant) return 'failed';
      const serial = Math.max(state.serial, newest.serial) + 1;
      await store.write({ ...state, serial });
      run.terminal.err('Accepted the older state. Review the next plan.\n');
      view.report({ serial, isAccepted: true });
      return 'done';
    }),
});
