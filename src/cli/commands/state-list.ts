import { readStateOf } from '../../operate/addressed.ts';
import { openStore } from '../../project/open-store.ts';
import { findState } from '../../project/target.ts';
import type { Formats, View } from '../../render/format.ts';
import { jsonView, printJson } from '../../render/json-view.ts';
import { stateListJson } from '../../render/state-json.ts';
import { renderStateList } from '../../render/state-text.ts';
import { textView } from '../../render/text-view.ts';
import type { State } from '../../state/state.ts';
import type { Run } from '../command.ts';
import { defineCommand } from '../command.ts';

/** Prints what `state list` reports. */
interface StateListView extends View {
  /** undefined: there is no state yet. */
  readonly state: (state: State | undefined) => void;
}

/** The formats of `state list`. */
const formats: Formats<StateListView> = {
  text: (screen) => ({
    ...textView(screen),
    state: (state) => {
      screen.out(renderStateList(state, screen.outStyle));
      if (state === undefined) screen.err('There is no state yet: nothing was applied from here.\n');
    },
  }),
  json: (screen) => ({ ...jsonView(screen), state: (state) => printJson(screen, stateListJson(state)) }),
};

/** Lists the resources of the state. */
export const command = defineCommand({
  examples: ['trueup state list', 'trueup state list --format json'],
  formats,
  execute: async (run, view) => {
    view.state(await readState(run));
    return 'done';
  },
});

/** Reads the state of the manifest; a state in its folder can be read without a manifest. */
export async function readState(run: Run): Promise<State | undefined> {
  const { project, state } = await findState(run.options);
  return readStateOf(project, openStore(state, run.options));
}
