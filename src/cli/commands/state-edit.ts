import type { Kind } from '../../kind/kind.ts';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { checkProject } from '../../operate/addressed.ts';
import type { EditedState } from '../../operate/edit-state.ts';
import { moveInState, removeFromState } from '../../operate/edit-state.ts';
import { openStore } from '../../project/open-store.ts';
import { findState } from '../../project/target.ts';
import type { Exit } from '../../render/exit-codes.ts';
import type { StateEditView } from '../../render/formats/state.ts';
import { stateEditFormats } from '../../render/formats/state.ts';
import { counted } from '../../render/lines.ts';
import { printable } from '../../render/printable.ts';
import type { State } from '../../state/state.ts';
import { confirm } from '../approval.ts';
import type { Command, Run } from '../command.ts';

/** The options of `state mv` and `state rm`. */
interface EditFlags {
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Gives a resource of the state another address, with everything below it. Sends nothing to the platform. */
export function stateMoveCommand(move: { from: string; to: string }, flags: EditFlags): Command<StateEditView> {
  return command('state mv', flags, (state, kinds) => moveInState(state, move, kinds));
}

/** Removes resources from the state, each with everything below it: their objects stay on the platform. */
export function stateRemoveCommand(addresses: readonly string[], flags: EditFlags): Command<StateEditView> {
  return command('state rm', flags, (state, kinds) => removeFromState(state, addresses, kinds), approveRemoval);
}

function command(
  purpose: string,
  flags: EditFlags,
  edit: (state: State, kinds: readonly Kind[]) => EditedState,
  approve: (run: Run, edited: EditedState, isGiven: boolean) => Promise<boolean> = () => Promise.resolve(true),
): Command<StateEditView> {
  const isDryRun = flags.dryRun === true;
  const execute = async (run: Run, view: StateEditView): Promise<Exit> => {
    const { project, state: location } = await findState(run.options);
    const store = openStore(location, run.options);
    try {
      if (!isDryRun) await store.lock({ purpose, timeoutMs: run.options.lockTimeoutMs ?? 0 });
      const state = await store.read();
      if (state === undefined) throw noState(store.location);
      checkProject(state, project, store.location);
      const edited = edit(state, run.options.kinds);
      if (!isDryRun) {
        if (!(await approve(run, edited, flags.yes === true))) return 'failed';
        await store.write({ ...edited.state, serial: state.serial + 1 });
      }
      view.edited({ edited, serial: isDryRun ? state.serial : state.serial + 1, isDryRun });
      return 'done';
    } finally {
      await store.close();
    }
  };
  return { formats: stateEditFormats, execute };
}

function approveRemoval(run: Run, { removed }: EditedState, isGiven: boolean): Promise<boolean> {
  const lines = removed.map(({ address, record }) => {
    const isProtected = record.options['protect'] === true ? '; its protection goes with the record' : '';
    return `  ${printable(`${address} (${record.id ?? 'id not known yet'})${isProtected}`)}\n`;
  });
  const objects = counted(removed.length, 'object');
  const question = `${lines.join('')}Trueup no longer manages ${removed.length === 1 ? 'this object' : `these ${objects}`}: what is on the platform stays there.`;
  return confirm(run, { question, about: `remove ${objects} from the state`, isGiven });
}

function noState(location: string): Stop {
  return new Stop('refused', [
    diagnostic('bad-reference', `there is no state in ${location}; nothing was written`, {
      remedy: 'trueup apply begins one, trueup state rebuild makes one from the platform.',
    }),
  ]);
}
