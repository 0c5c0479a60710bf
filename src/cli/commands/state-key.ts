import type { StateKeyView } from '../../render/formats/state.ts';
import { stateAcceptFormats, stateKeyFormats } from '../../render/formats/state.ts';
import type { View } from '../../render/format.ts';
import { gone } from '../../state/unusable.ts';
import type { StateStore } from '../../state/state.ts';
import { openStore } from '../../project/open-store.ts';
import { findState } from '../../project/target.ts';
import { confirm } from '../approval.ts';
import type { Command, Run } from '../command.ts';

/** The options of `state key`. */
interface KeyFlags {
  readonly migrate?: true;
  readonly rotate?: true;
  readonly print?: true;
}

/** Makes the key of a state where there is none. */
export function stateKeyCommand(flags: KeyFlags): Command<StateKeyView> {
  return {
    formats: stateKeyFormats,
    execute: async (run, view) => {
      const acceptsUnsealed = flags.migrate === true;
      const { state: location } = await findState(run.options);
      const store = openStore(location, run, { mayMake: true, acceptsUnsealed });
      try {
        if (acceptsUnsealed) await migrate(run, store);
        else if (flags.rotate === true) await rotate(run, store);
        else {
          await store.read(); // a key that does not fit the state is none
          await store.keepKey();
        }
        if (flags.print === true) view.key(`${(await store.key()).text()}\n`);
        else run.terminal.err(`The key of the state ${store.location}: ${store.keyName}\n`);
        return 'done';
      } finally {
        await store.close();
      }
    },
  };
}

/** Gives a state a new key, which is in the file beside it. */
async function rotate({ terminal }: Run, store: StateStore): Promise<void> {
  await store.lock({ purpose: 'state key --rotate' });
  const state = await store.read();
  if (state === undefined) {
    terminal.err('There is no state yet: remove the key file for another key.\n');
    return;
  }
  await store.rotateKey(state);
  terminal.err(
    'The state has a new key: replace the copies of the old one. The next apply makes the digests anew; plan files have to be made again.\n',
  );
}

/** Gives a state of a format without a MAC the newest one. */
async function migrate({ terminal }: Run, store: StateStore): Promise<void> {
  await store.lock({ purpose: 'state key --migrate' });
  const state = await store.read();
  if (state === undefined) {
    terminal.err('There is no state yet: nothing was migrated.\n');
    return;
  }
  await store.write({ ...state, serial: state.serial + 1 });
  terminal.err(`Wrote the state ${store.location} with a MAC. Keep a copy of its key: no run can do without it.\n`);
}

/** Goes on from a state that is older than the one that was saved last. */
export function stateAcceptOlderCommand(flags: { readonly yes?: true }): Command<View> {
  return {
    formats: stateAcceptFormats,
    execute: async (run) => {
      const { state: location } = await findState(run.options);
      const store = openStore(location, run);
      try {
        const lease = await store.lock({ purpose: 'state accept-older' });
        const newest = lease.newest();
        const state = await store.read({ acceptsOlder: true });
        if (state === undefined && newest !== undefined) throw gone(store.location, newest.serial);
        const isOlder =
          state !== undefined &&
          newest !== undefined &&
          (state.lineage !== newest.lineage || state.serial < newest.serial);
        if (!isOlder) {
          run.terminal.err('The state is the newest one: nothing was changed.\n');
          return 'done';
        }
        const isMeant = await confirm(run, {
          question: `The state ${store.location} is at version ${state.serial}, and version ${newest.serial} was saved last.
Trueup does not know what was created, changed or deleted since: the next plan may show that again.`,
          about: `go on from version ${state.serial} of the state`,
          isGiven: flags.yes === true,
        });
        if (!isMeant) return 'failed';
        await store.write({ ...state, serial: Math.max(state.serial, newest.serial) + 1 });
        run.terminal.err('Accepted the older state. Review the next plan.\n');
        return 'done';
      } finally {
        await store.close();
      }
    },
  };
}
