import { hasErrors, Stop } from '../../diagnostics/diagnostic.ts';
import { type Plan, isBeside } from '../../plan/action.ts';
import { loadWithSecrets } from '../../project/load.ts';
import { plan } from '../../workflow/make-plan.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { counted } from '../../render/fold-lines.ts';
import { printable } from '../../render/printable.ts';
import { type ReportView, reportFormats } from '../../render/output-format.ts';
import { stateListJson } from '../../render/state-views.ts';
import type { StateRecord } from '../../state/record.ts';
import type { State } from '../../state/state.ts';
import { confirm } from '../approval.ts';
import { type Run, defineCommand } from '../command.ts';
import { loadFor } from '../connect.ts';
import { withLock } from '../locked.ts';
import { usage } from '../settle-options.ts';
import { alsoAutoApprove } from '../option-sets.ts';

/** Rebuilds a lost state: every declared object that the platform has gets its address. Changes nothing else. */
export const command = defineCommand({
  options: { '--yes': 'do not ask; required without a terminal', ...alsoAutoApprove },
  examples: ['trueup state rebuild', 'trueup state rebuild -C deploy --yes'],
  formats: reportFormats<State>({ json: stateListJson }),
  execute: (run, view, { flags }) => rebuild(run, view, flags.yes === true),
});

async function rebuild(run: Run, view: ReportView<State>, isGiven: boolean): Promise<Exit> {
  const { terminal } = run;
  const { manifest } = await loadFor(run, loadWithSecrets);
  return withLock(run, manifest, {
    purpose: 'state rebuild',
    work: async ({ connection }) => {
      const read = () => connection.store.read({ acceptsNone: true });
      const rebuilding = { ...connection, store: { ...connection.store, read } };
      const present = await rebuilding.store.read();
      if (Object.keys(present?.resources ?? {}).length > 0) {
        throw usage(
          `there is a state in ${rebuilding.store.location}`,
          'Move it away first, or use it: trueup import adopts one object, trueup apply --adopt all of them.',
        );
      }
      const made = await plan(manifest, rebuilding);
      const notes = [...made.diagnostics, ...made.actions.flatMap((action) => action.notes)];
      if (hasErrors(notes)) throw new Stop('refused', notes);
      const found = recordsOf(made);
      const lines = Object.entries(found).map(([address, { id }]) => `  ${printable(`${address} ${id ?? ''}`)}\n`);
      terminal.err(lines.join(''));
      const isMeant = await confirm(run, {
        question: `The new state will have ${counted(lines.length, 'object')}.`,
        about: `write a state with ${counted(lines.length, 'object')}`,
        isGiven,
      });
      if (!isMeant) return 'failed';
      // The lock knows the lost state: one that goes on from it is the newest from the moment in which it is saved.
      const { lineage, serial } = (await rebuilding.store.newest()) ?? made.base;
      const state = { ...made.base, lineage, serial: serial + 1, resources: found };
      await rebuilding.store.write(state);
      view.report(state);
      terminal.err(
        `The state has ${counted(lines.length, 'object')}. trueup plan shows the differences, as when each is first managed.\n`,
      );
      return 'done';
    },
  });
}

/** The records of the objects that the plan would take over, without settled values. */
function recordsOf({ actions }: Plan): Readonly<Record<string, StateRecord>> {
  return Object.fromEntries(
    actions.flatMap((action) => {
      const { address, kind, id, parent, dependsOn, options } = action;
      return id === undefined || isBeside(action)
        ? []
        : [[address, { kind: kind.kind, id, parent: parent ?? null, dependsOn, pairs: {}, options }]];
    }),
  );
}
