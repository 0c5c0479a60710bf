import { closest } from '../../diagnostics/closest.ts';
import { addressMeant } from '../../kind/address.ts';
import type { Formats, View } from '../../render/format.ts';
import { jsonView, printJson } from '../../render/json-view.ts';
import { stateShowJson } from '../../render/state-json.ts';
import { renderStateRecord } from '../../render/state-text.ts';
import { textView } from '../../render/text-view.ts';
import type { StateRecord } from '../../state/record.ts';
import { shownRecord } from '../../state/words.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../options.ts';
import { readState } from './state-list.ts';

/** Prints what `state show` reports. */
interface StateShowView extends View {
  readonly resource: (address: string, record: StateRecord) => void;
}

/** The formats of `state show`. */
const formats: Formats<StateShowView> = {
  text: (screen) => ({
    ...textView(screen),
    resource: (address, record) => screen.out(renderStateRecord(address, record, screen.outStyle)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    resource: (address, record) => printJson(screen, stateShowJson(address, record)),
  }),
};

/** Shows one resource of the state. */
export const command = defineCommand({
  arguments: { '<address>': 'address of the resource, as in plans' },
  examples: [
    'trueup state show production.compose.shop',
    'trueup state show \'production.compose.shop.domains["shop.example.com"]\'',
  ],
  formats,
  execute: async (run, view, { args: [written = ''] }) => {
    const state = await readState(run);
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
});
