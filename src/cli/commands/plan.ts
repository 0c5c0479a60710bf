import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { diagnostic } from '../../diagnostics/diagnostic.ts';
import { hasChanges } from '../../plan/action.ts';
import { obstacles } from '../../plan/safeguard.ts';
import { planJson } from '../../render/plan-json.ts';
import { renderPlan } from '../../render/plan-text.ts';
import { printable } from '../../render/printable.ts';
import type { StateStore } from '../../state/state.ts';
import { connect } from '../connect.ts';
import { loadManifest, loadWithSecrets } from '../load.ts';
import { writePlanFile } from '../plan-file.ts';
import { fileOf, makePlan } from '../reviewed.ts';
import type { Command, Run } from '../run.ts';
import { printJson, printWarnings } from '../run.ts';

/** What the command line asks of a plan. */
interface PlanFlags {
  readonly detailedExitcode?: true;
  readonly deploy?: boolean;
  readonly destroy?: true;
  /** The file that keeps the plan. */
  readonly out?: string;
}

/** Shows what differs. It sends no request that changes anything. */
export function planCommand(flags: PlanFlags): Command {
  return async (run) => {
    const { options, terminal, redactor } = run;
    const destroys = flags.destroy === true;
    const load = destroys ? loadManifest : loadWithSecrets;
    const { manifest, warnings } = await load(options, redactor);
    printWarnings(run, warnings);
    const connection = await connect(manifest.settings, { options, redactor, terminal, purpose: 'plan' });
    try {
      const { client } = connection.world;
      const purpose = { manifest, deploys: flags.deploy !== false, destroys };
      const made = await makePlan(purpose, connection.world);
      // What can be permitted is not in the way of a plan; what can only be mended is.
      const isInTheWay = obstacles(made, { dataLoss: true, adoption: true, massDeletion: true }).length > 0;
      if (flags.out !== undefined && !isInTheWay) await writePlanFile(flags.out, fileOf(made, purpose));
      const others = hasChanges(made) ? await underWay(connection.world.store) : [];
      const view = {
        plan: { ...made, diagnostics: [...warningsIn(options.isJson, warnings), ...others, ...made.diagnostics] },
        counts: client.counts,
      };
      if (options.isJson) printJson(terminal, planJson(view));
      else terminal.out(renderPlan(view, terminal.outStyle));
      if (flags.out !== undefined) tellOfFile(run, flags.out, !isInTheWay);
      if (isInTheWay) return 'failed';
      return flags.detailedExitcode === true && hasChanges(made) ? 'changes' : 'done';
    } finally {
      await connection.close();
    }
  };
}

/** The run that has the lock: what it has still to do is a difference now, and none soon. */
async function underWay(store: StateStore): Promise<Diagnostic[]> {
  const holder = await store.holder();
  if (holder === undefined) return [];
  const { owner, purpose, since } = holder;
  const message = `${printable(owner)} runs ${printable(purpose)} since ${printable(since)}`;
  return [
    diagnostic('under-way', message, { remedy: 'What it has still to do is shown here. Plan again when it is over.' }),
  ];
}

function tellOfFile({ options, terminal }: Run, path: string, isWritten: boolean): void {
  if (!isWritten) terminal.err(`The plan was not saved to ${printable(path)}.\n`);
  else if (!options.isJson) {
    terminal.out(`Saved to ${printable(path)}: trueup apply with this file applies this plan and nothing else.\n`);
  }
}

/** Programs get the warnings of the manifest in the one document; people have read them on stderr. */
function warningsIn<T>(isJson: boolean, warnings: readonly T[]): readonly T[] {
  return isJson ? warnings : [];
}
