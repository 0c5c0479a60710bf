import type { StateAcceptView, StateKeyView } from '../../render/formats/state.ts';
import { stateAcceptFormats, stateKeyFormats } from '../../render/formats/state.ts';
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
      const store = openStore(location, run.options, { mayMake: true, acceptsUnsealed });
      try {
        const did = await change(run, store, flags);
        if (flags.print === true) view.key(`${(await store.key()).text()}\n`);
        else view.place({ state: store.location, key: store.keyName, did });
        return 'done';
      } finally {
        await store.close();
      }
    },
  };
}

/** Does what the flags say, and gives what changed; without one, makes the key where there is none. */
async function change(run: Run, store: StateStore, { migrate: migrates, rotate: rotates }: KeyFlags) {
  if (migrates === true) return (await migrate(run, store)) ? 'migrated' : undefined;
  if (rotates === true) return (await rotate(run, store)) ? 'rotated' : undefined;
  await store.read(); // a key that does not fit the state is none
  await store.keepKey();
  return undefined;
}

/** Gives a state a new key, which is in the file beside it. Returns false where there is no state. */
async function rotate({ terminal }: Run, store: StateStore): Promise<boolean> {
  await store.lock({ purpose: 'state key --rotate' });
  const state = await store.read();
  if (state === undefined) {
    terminal.err('There is no state yet: remove the key file for another key.\n');
    return false;
  }
  await store.rotateKey(state);
  terminal.err(
    'The state has a new key: replace the copies of the old one. The next apply makes new digests; make plan files again.\n',
  );
  return true;
}

/** Gives a state of a format without a MAC the newest one. Returns false where there is no state. */
async function migrate({ terminal }: Run, store: StateStore): Promise<boolean> {
  await store.lock({ purpose: 'state key --migrate' });
  const state = await store.read();
  if (state === undefined) {
    terminal.err('There is no state yet: nothing was migrated.\n');
    return false;
  }
  await store.write({ ...state, serial: state.serial + 1 });
  terminal.err(`Wrote the state ${store.location} with a MAC. Keep a copy of its key: no run can do without it.\n`);
  return true;
}

/** Goes on from a state that is older than the one that was saved last. */
export function stateAcceptOlderCommand(flags: { readonly yes?: true }): Command<StateAcceptView> {
  return {
    formats: stateAcceptFormats,
    execute: async (run, view) => {
      const { state: location } = await findState(run.options);
      const store = openStore(location, run.options);
      try {
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
          view.accepted({ serial: state?.serial, isAccepted: false });
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
        view.accepted({ serial, isAccepted: true });
        return 'done';
      } finally {
        await store.close();
      }
    },
  };
}
