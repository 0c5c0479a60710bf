import { findState } from '../../project/target.ts';
import { reportFormats } from '../../render/output-format.ts';
import { stateListJson, renderStateList } from '../../render/state-views.ts';
import type { State } from '../../state/state.ts';
import { defineCommand } from '../command.ts';
import { readState } from '../connect.ts';

/** Of a state, or undefined: there is none yet. */
const formats = reportFormats<State | undefined>({
  text: (state, { out, err, outStyle }) => {
    out(renderStateList(state, outStyle));
    if (state === undefined) err('There is no state yet: nothing was applied from here.\n');
  },
  json: stateListJson,
});

/** Lists the resources of the state. */
export const command = defineCommand({
  examples: ['trueup state list', 'trueup state list --format json'],
  formats,
  execute: async (run, view) => {
    view.report(await readState(await findState(run.options), run.options));
    return 'done';
  },
});
