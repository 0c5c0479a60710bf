import { type EditedState, removeFromState } from '../../operate/edit-state.ts';
import { counted } from '../../render/fold-lines.ts';
import { printable } from '../../render/printable.ts';
import { confirm } from '../approval.ts';
import { type Run, defineCommand } from '../command.ts';
import { dryRun, editState, stateEditFormats } from './state-mv.ts';

/** Removes resources from the state, each with everything below it: their objects stay on the platform. */
export const command = defineCommand({
  arguments: { '<address...>': 'addresses in the state' },
  options: { ...dryRun, '--yes': 'do not ask; required without a terminal' },
  examples: ['trueup state rm production.compose.shop', 'trueup state rm preview --dry-run'],
  formats: stateEditFormats,
  remembers: () => true,
  execute: (run, view, { args: addresses, flags }) =>
    editState(run, view, {
      purpose: 'state rm',
      isDryRun: flags.dryRun === true,
      edit: (state) => removeFromState(state, addresses),
      approve: (edited) => approveRemoval(run, edited, flags.yes === true),
    }),
});

function approveRemoval(run: Run, { removed }: EditedState, isGiven: boolean): Promise<boolean> {
  const lines = removed.map(({ address, record }) => {
    const isProtected = record.options['protect'] === true ? '; its protection goes with the record' : '';
    return `  ${printable(`${address} (${record.id ?? 'id not known yet'})${isProtected}`)}\n`;
  });
  const objects = counted(removed.length, 'object');
  const question = `${lines.join('')}Trueup no longer manages ${removed.length === 1 ? 'this object' : `these ${objects}`}: what is on the platform stays there.`;
  return confirm(run, { question, about: `remove ${objects} from the state`, isGiven });
}
