import { hasChanges } from '../../plan/action.ts';
import { obstacles } from '../../plan/safeguard.ts';
import { plan } from '../../reconcile.ts';
import { planJson } from '../../render/plan-json.ts';
import { renderPlan } from '../../render/plan-text.ts';
import { connect } from '../connect.ts';
import { loadManifest } from '../load.ts';
import type { Command } from '../run.ts';
import { printJson, printWarnings } from '../run.ts';

/** Shows what differs. It sends no request that changes anything. */
export function planCommand(flags: { readonly detailedExitcode?: true; readonly deploy?: boolean }): Command {
  return async (run) => {
    const { options, terminal, redactor } = run;
    const { manifest, warnings } = loadManifest(options, redactor);
    printWarnings(run, warnings);
    const connection = await connect(manifest.settings, { options, redactor, purpose: 'plan' });
    try {
      const { client } = connection.world;
      const made = await plan(manifest, connection.world, { deploys: flags.deploy !== false });
      const view = {
        plan: { ...made, diagnostics: [...warningsIn(options.isJson, warnings), ...made.diagnostics] },
        counts: client.counts,
      };
      if (options.isJson) printJson(terminal, planJson(view));
      else terminal.out(renderPlan(view, terminal.outStyle));
      // What can be permitted is not in the way of a plan; what can only be mended is.
      if (obstacles(made, { dataLoss: true, adoption: true }).length > 0) return 'failed';
      return flags.detailedExitcode === true && hasChanges(made) ? 'changes' : 'done';
    } finally {
      await connection.close();
    }
  };
}

/** Programs get the warnings of the manifest in the one document; people have read them on stderr. */
function warningsIn<T>(isJson: boolean, warnings: readonly T[]): readonly T[] {
  return isJson ? warnings : [];
}
