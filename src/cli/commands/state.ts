import { shownRecord } from '../../state/words.ts';
import { closest } from '../../diagnostics/closest.ts';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { addressMeant } from '../../kind/address.ts';
import { readStateOf } from '../../operate/addressed.ts';
import type { StateListView, StateShowView, StateUnlockView } from '../../render/formats/state.ts';
import { stateListFormats, stateShowFormats, stateUnlockFormats } from '../../render/formats/state.ts';
import { printable } from '../../render/printable.ts';
import type { State } from '../../state/state.ts';
import { confirm } from '../approval.ts';
import type { Command, Run } from '../command.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { openStore } from '../../project/open-store.ts';
import { usage } from '../options.ts';
import { findState } from '../../project/target.ts';

/** Lists the resources of the state. */
export const stateListCommand: Command<StateListView> = {
  formats: stateListFormats,
  execute: async (run, view) => {
    view.state(await stateOf(run));
    return 'done';
  },
};

/** Shows one resource of the state. */
export function stateShowCommand(written: string): Command<StateShowView> {
  return {
    formats: stateShowFormats,
    execute: async (run, view) => {
      const state = await stateOf(run);
      const address = addressMeant(written, run.options.kinds);
      const resources = new Map(Object.entries(state?.resources ?? {}));
      const record = resources.get(address);
      if (record === undefined) {
        const guess = closest(address, [...resources.keys()]);
        throw usage(
          `the state has no resource ${address}`,
          guess === undefined ? 'trueup state list shows what it has.' : `Did you mean ${guess}?`,
        );
      }
      view.resource(address, shownRecord(record, run.options.kinds));
      return 'done';
    },
  };
}

/** Removes the lock of a run that no longer exists. */
export function stateUnlockCommand(flags: { readonly yes?: true }): Command<StateUnlockView> {
  return { formats: stateUnlockFormats, execute: (run, view) => unlock(run, view, flags.yes === true) };
}

async function unlock(run: Run, view: StateUnlockView, isGiven: boolean): Promise<Exit> {
  const { terminal } = run;
  const { state: location } = await findState(run.options);
  const store = openStore(location, run.options);
  try {
    const holder = await store.holder();
    if (holder === undefined) {
      terminal.err('The state is not locked.\n');
      view.unlocked(undefined);
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
      throw new Stop('locked', [
        diagnostic('locked', message, { remedy: 'Run trueup state unlock again to see who holds the lock now.' }),
      ]);
    }
    terminal.err(`Removed the lock of ${owner}.\n`);
    view.unlocked(holder);
    return 'done';
  } finally {
    await store.close();
  }
}

/** Reads the state of the manifest; a state in its folder can be read without a manifest. */
async function stateOf(run: Run): Promise<State | undefined> {
  const { project, state } = await findState(run.options);
  return readStateOf(project, openStore(state, run.options));
}
