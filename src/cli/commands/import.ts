import { normalAddress } from '../../kind/address.ts';
import { importObject } from '../../import.ts';
import { plan } from '../../reconcile.ts';
import { planDocument } from '../../documents/plan.ts';
import type { ImportView } from '../../render/formats/import.ts';
import { importFormats } from '../../render/formats/import.ts';
import type { Command } from '../command.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { loadWithSecrets } from '../../project/load.ts';
import { withLock } from '../locked.ts';

/** Adopts an existing object at an address, and shows the next plan. */
export function importCommand(tie: { readonly address: string; readonly id: string }): Command<ImportView> {
  const { id } = tie;
  const address = normalAddress(tie.address) ?? tie.address;
  return {
    formats: importFormats,
    execute: async (run, view) => {
      const { manifest, warnings } = await loadWithSecrets(run.options);
      run.warn(warnings);
      return withLock(run, manifest, {
        purpose: 'import',
        work: async ({ connection: world }) => {
          await importObject(manifest, world, address, id);
          const made = await plan(manifest, world);
          const about = await aboutPlan(made, { manifest, folder: run.options.folder, world });
          view.imported({ address, id, plan: planDocument({ plan: made, counts: world.client.counts, about }) });
          return 'done';
        },
      });
    },
  };
}
