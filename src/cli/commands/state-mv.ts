import { type Stop, stop } from '../../diagnostics/diagnostic.ts';
import { checkProject } from '../../operate/addressed.ts';
import { type EditedState, moveInState } from '../../operate/edit-state.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { type ReportView, reportFormats } from '../../render/output-format.ts';
import { type StateEdit, stateEditJson, renderStateEdit } from '../../render/state-views.ts';
import type { State } from '../../state/state.ts';
import type { Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { withStore } from '../connect.ts';

/** Shows a change of the state without writing it. */
export const dryRun = { '--dry-run': 'say what would be done, and write nothing' } as const satisfies Options;

/** The formats of `state mv` and `state rm`. */
export const stateEditFormats = reportFormats<StateEdit>({
  text: (result, { out, outStyle }) => out(renderStateEdit(result, outStyle)),
  json: stateEditJson,
});

/** Gives a resource of the state another address, with everything below it. Sends nothing to the platform. */
export const command = defineCommand({
  arguments: {
    '<address>': 'its address in the state',
    '<to>': 'its new address; the state has nothing there',
  },
  options: dryRun,
  examples: ['trueup state mv production.redis.old production.redis.new'],
  formats: stateEditFormats,
  remembers: () => true,
  execute: (run, view, { args: [from = '', to = ''], flags }) =>
    editState(run, view, {
      purpose: 'state mv',
      isDryRun: flags.dryRun === true,
      edit: (state) => moveInState(state, { from, to }, run.options.kinds),
    }),
});

/** Changes the state under its lock, or shows the change; `approve` returning false leaves it as it is. */
export async function editState(
  run: Run,
  view: ReportView<StateEdit>,
  {
    purpose,
    isDryRun,
    edit,
    approve,
  }: {
    readonly purpose: string;
    readonly isDryRun: boolean;
    readonly edit: (state: State) => EditedState;
    readonly approve?: (edited: EditedState) => Promise<boolean>;
  },
): Promise<Exit> {
  return withStore(run, async (store, project) => {
    if (!isDryRun) await store.lock({ purpose, timeoutMs: run.options.lockTimeoutMs });
    const state = await store.read();
    if (state === undefined) throw noState(store.location);
    checkProject(state, project, store.location);
    const edited = edit(state);
    if (!isDryRun) {
      if ((await approve?.(edited)) === false) return 'failed';
      await store.write({ ...edited.state, serial: state.serial + 1 });
    }
    view.report({ edited, serial: isDryRun ? state.serial : state.serial + 1, isDryRun });
    return 'done';
  });
}

function noState(location: string): Stop {
  return stop('refused', 'bad-reference', `there is no state in ${location}; nothing was written`, {
    remedy: 'trueup apply begins one, trueup state rebuild makes one from the platform.',
  });
}
