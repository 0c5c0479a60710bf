import { importObject, plan } from '../../reconcile.ts';
import { planJson } from '../../render/plan-json.ts';
import { renderPlan } from '../../render/plan-text.ts';
import { printable } from '../../render/printable.ts';
import { loadWithSecrets } from '../load.ts';
import { withLock } from '../locked.ts';
import type { Command } from '../run.ts';
import { printJson, printWarnings } from '../run.ts';

/** Ties an address to an object of the platform, and shows what the next apply would do. */
export function importCommand({ address, id }: { readonly address: string; readonly id: string }): Command {
  return async (run) => {
    const { options, terminal, redactor } = run;
    const { manifest, warnings } = await loadWithSecrets(options, redactor);
    printWarnings(run, warnings);
    return withLock(run, manifest, {
      purpose: 'import',
      work: async (world) => {
        await importObject(manifest, world, address, id);
        const view = { plan: await plan(manifest, world), counts: world.client.counts };
        if (options.isJson) printJson(terminal, planJson(view));
        else {
          terminal.out(`${printable(address)} is ${printable(id)} from now on. What apply would do next:\n\n`);
          terminal.out(renderPlan(view, terminal.outStyle));
        }
        return 'done';
      },
    });
  };
}
