import type { Exit } from '../../render/exit-codes.ts';
import { type Formats, type Screen, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { type StateKeyReport, stateKeyJson } from '../../render/state-views.ts';
import type { State, StateStore } from '../../state/state.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { withStore } from '../connect.ts';
import { usage } from '../settle-options.ts';

/** Prints what `state key` reports. */
interface StateKeyView extends View {
  /** The place of the key, and what changed. */
  readonly place: (report: StateKeyReport) => void;
  /** The key itself, the same in every format. */
  readonly key: Screen['out'];
}

const formats: Formats<StateKeyView> = {
  text: (screen) => ({
    ...textView(screen),
    place: ({ state, key }) => screen.err(`The key of the state ${state}: ${key}\n`),
    key: screen.out,
  }),
  json: (screen) => ({
    ...jsonView(screen),
    place: (report) => printJson(screen, stateKeyJson(report)),
    key: screen.out,
  }),
};

const options = {
  '--print': 'print the key, for TRUEUP_STATE_KEY of a pipeline; do not print it into a log',
  '--rotate': 'give the state a new key',
  '--migrate': 'accept a state of an earlier version, which has no MAC, and write one',
} as const satisfies Options;

type KeyFlags = FlagsOf<typeof options>;

/** Makes the key of a state where there is none. */
export const command = defineCommand({
  options,
  examples: ['trueup state key', 'trueup state key --print', 'trueup state key --migrate'],
  formats,
  execute: (run, view, { flags }) => {
    if (flags.rotate === true && flags.migrate === true)
      throw usage('--rotate cannot be combined with --migrate', 'Migrate the state first, then rotate its key.');
    const work = async (store: StateStore): Promise<Exit> => {
      const did = await change(run, store, flags);
      if (flags.print === true) view.key(`${(await store.key()).text()}\n`);
      else view.place({ state: store.location, key: store.keyName, did });
      return 'done';
    };
    return withStore(run, work, { mayMake: true, acceptsUnsealed: flags.migrate === true });
  },
});

/** Does what the flags say, and gives what changed; without one, makes the key where there is none. */
async function change(run: Run, store: StateStore, { migrate: migrates, rotate: rotates }: KeyFlags) {
  if (migrates === true && (await migrate(run, store))) return 'migrated';
  if (rotates === true && (await rotate(run, store))) return 'rotated';
  await store.read(); // a key that does not fit the state is none
  await store.keepKey();
  return undefined;
}

/** Gives a state a new key, which is in the file beside it. Returns false where there is no state. */
async function rotate(run: Run, store: StateStore): Promise<boolean> {
  const state = await readLocked(run, store, 'rotate');
  if (state === undefined) return false;
  await store.rotateKey(state);
  run.terminal.err(
    'The state has a new key: replace the copies of the old one. The next apply makes new digests; make plan files again.\n',
  );
  return true;
}

/** Gives a state of a format without a MAC the newest one. Returns false where there is no state. */
async function migrate(run: Run, store: StateStore): Promise<boolean> {
  const state = await readLocked(run, store, 'migrate');
  if (state === undefined) return false;
  await store.write({ ...state, serial: state.serial + 1 });
  run.terminal.err(`Wrote the state ${store.location} with a MAC. Keep a copy of its key: no run can do without it.\n`);
  return true;
}

/** Locks a state and reads it; says that nothing was done where there is none. */
async function readLocked(
  { terminal }: Run,
  store: StateStore,
  word: 'rotate' | 'migrate',
): Promise<State | undefined> {
  await store.lock({ purpose: `state key --${word}` });
  const state = await store.read();
  if (state === undefined) terminal.err(`There is no state yet: nothing was ${word}d.\n`);
  return state;
}
