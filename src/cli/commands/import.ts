import { planDocument } from '../../documents/plan-document.ts';
import { importObject } from '../../workflow/import-object.ts';
import { normalAddress } from '../../kind/address.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { loadWithSecrets } from '../../project/load.ts';
import { plan } from '../../workflow/make-plan.ts';
import type { PlanDocument } from '../../render/document-schemas.ts';
import { renderPlan } from '../../render/plan-text.ts';
import { printable } from '../../render/printable.ts';
import { reportFormats } from '../../render/output-format.ts';
import { defineCommand } from '../command.ts';
import { loadFor } from '../connect.ts';
import { withLock } from '../locked.ts';

/** The result of `import`: the object at the address, and the plan of the next apply. */
interface ImportResult {
  readonly plan: PlanDocument;
  readonly address: string;
  readonly id: string;
}

const formats = reportFormats<ImportResult>({
  text: ({ address, id, plan }, { out, outStyle }) => {
    out(`Adopted ${printable(id)} at ${printable(address)}. The next apply would do this:\n\n`);
    out(renderPlan(plan, outStyle));
  },
  json: ({ plan }) => plan,
});

/** Adopts an existing object at an address, and shows the next plan. */
export const command = defineCommand({
  arguments: {
    '<address>': 'address of the resource, as in plans',
    '<id>': 'id of the object; write -- before one that begins with a hyphen',
  },
  examples: [
    'trueup import production.postgres.main pg_123',
    'trueup import \'production.compose.shop.domains["shop.example.com"]\' dom_7',
    'trueup import -- production.redis.cache -x8Kd_1',
  ],
  formats,
  execute: async (run, view, { args: [written = '', id = ''] }) => {
    const address = normalAddress(written) ?? written;
    const { manifest } = await loadFor(run, loadWithSecrets);
    return withLock(run, manifest, {
      purpose: 'import',
      work: async ({ connection }) => {
        await importObject(manifest, connection, address, id);
        const made = await plan(manifest, connection);
        const about = await aboutPlan(made, { manifest, folder: run.options.folder, connection });
        view.report({ address, id, plan: planDocument({ plan: made, counts: connection.client.counts, about }) });
        return 'done';
      },
    });
  },
});
