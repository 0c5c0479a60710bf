import { closest } from '../../diagnostics/closest.ts';
import { stateListJson, stateShowJson } from '../../render/state-json.ts';
import { renderStateList, renderStateRecord } from '../../render/state-text.ts';
import { localStore } from '../../state/local.ts';
import { stateFolder } from '../connect.ts';
import { usage } from '../options.ts';
import type { Command } from '../run.ts';
import { printJson } from '../run.ts';

/** Lists the resources of the state. */
export const stateListCommand: Command = async ({ options, terminal }) => {
  const state = await localStore(stateFolder(options)).read();
  if (options.isJson) printJson(terminal, stateListJson(state));
  else terminal.out(renderStateList(state, terminal.outStyle));
  if (!options.isJson && state === undefined) terminal.err('There is no state yet: nothing was applied from here.\n');
  return 'done';
};

/** Shows one resource of the state. */
export function stateShowCommand(address: string): Command {
  return async ({ options, terminal }) => {
    const state = await localStore(stateFolder(options)).read();
    const record = state?.resources[address];
    if (record === undefined) {
      const guess = closest(address, Object.keys(state?.resources ?? {}));
      throw usage(
        `the state has no resource ${address}`,
        guess === undefined ? 'trueup state list shows what it has.' : `Did you mean ${guess}?`,
      );
    }
    if (options.isJson) printJson(terminal, stateShowJson(address, record));
    else terminal.out(renderStateRecord(address, record, terminal.outStyle));
    return 'done';
  };
}
