import { moveState } from '../../project/move-state.ts';
import { stop } from '../../diagnostics/diagnostic.ts';
import { reportFormats } from '../../render/output-format.ts';
import { counted } from '../../render/fold-lines.ts';
import { stateListJson } from '../../render/state-views.ts';
import type { State } from '../../state/state.ts';
import { defineCommand } from '../command.ts';
import { optionsFor } from '../settle-options.ts';

/** Gives a renamed root file the state of its former name. Sends nothing to the platform. */
export const command = defineCommand({
  arguments: { '<file>': 'the former name of the root file', '<to-file>': 'its name now' },
  notes: 'Rename the root file first (git mv). The state, its key and its documents move, and the memory of drift.',
  examples: ['trueup state move trueup.yaml production.yaml'],
  formats: reportFormats<State>({ json: stateListJson }),
  execute: async ({ options, terminal }, view, { args: [from = '', to = ''] }) => {
    const moved = await moveState(optionsFor(from, options), optionsFor(to, options), {
      purpose: 'state move',
      timeoutMs: options.lockTimeoutMs,
      onWait: (ms) => terminal.err(`waiting ${Math.ceil(ms / 1_000)} s for requests of an earlier run\n`),
    });
    if (moved === undefined) {
      const remedy = `Run trueup apply -f ${to} to begin one, or trueup state rebuild -f ${to} if it got lost.`;
      throw stop('refused', 'bad-reference', `${from} has no state; nothing was moved`, { remedy });
    }
    const { state, wasThere } = moved;
    view.report(state);
    const objects = counted(Object.keys(state.resources).length, 'object');
    const done = wasThere
      ? `${from} has no state, and ${to} has one, with ${objects}`
      : `${to} has the state of ${from} now, with ${objects}`;
    terminal.err(`${done}. The platform was not touched.\n`);
    return 'done';
  },
});
