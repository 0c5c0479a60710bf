import { resolveAddress } from '../../kind/aliases.ts';
import { notInState } from '../../operate/addressed.ts';
import { findState } from '../../project/target.ts';
import { reportFormats } from '../../render/output-format.ts';
import { stateShowJson, renderStateRecord } from '../../render/state-views.ts';
import type { StateRecord } from '../../state/record.ts';
import { defineCommand } from '../command.ts';
import { readState } from '../connect.ts';
import { usage } from '../settle-options.ts';

const formats = reportFormats<{ readonly address: string; readonly record: StateRecord }>({
  text: ({ address, record }, { out, outStyle }) => out(renderStateRecord(address, record, outStyle)),
  json: ({ address, record }) => stateShowJson(address, record),
});

/** Shows one resource of the state. */
export const command = defineCommand({
  arguments: { '<address>': 'address of the resource, as in plans' },
  examples: [
    'trueup state show production.compose.shop',
    'trueup state show \'production.compose.shop.domains["shop.example.com"]\'',
  ],
  formats,
  remembers: () => true,
  execute: async (run, view, { args: [written = ''] }) => {
    const state = await readState(await findState(run.options), run.options);
    const address = resolveAddress(written);
    const resources = new Map(Object.entries(state?.resources ?? {}));
    const record = resources.get(address);
    if (record === undefined) {
      const { message, remedy } = notInState(address, [...resources.keys()]);
      throw usage(message, remedy);
    }
    view.report({ address, record });
    return 'done';
  },
});
