import { expect, it } from 'vitest';
import { planDocument } from '../../src/documents/plan.ts';
import { plan as planManifest } from '../../src/reconcile.ts';
import { bench, head } from '../support/world.ts';
import { shown } from '../render/plans.ts';

const database = (name: string, more = ''): string =>
  `${head}environments:\n  production:\n    postgres:\n      main: { dockerImage: "postgres:17", databaseName: ${name}, databaseUser: shop, databasePassword: hunter2-hunter2${more} }\n`;
const main = 'production.postgres.main';
const counts = { reads: 0, writes: 0 };

it('names what a plan overwrites, and what it stops and creates again, as the text does', async () => {
  const made = bench();
  const drifting = database('shop', ', description: one');
  await made.apply(drifting, { adoption: true });
  const id = made.store.state?.resources[main]?.id;
  await made.emulator.act('postgres.update', { postgresId: id, description: 'by hand' });
  const drifted = await made.plan(drifting);
  expect(planDocument({ plan: drifted, counts })).toMatchObject({ overwrites: [main], recreates: [], restarts: [] });
  expect(shown(drifted)).toContain(`\nOverwrites changes that were made on the platform: ${main}.\n`);
  const replaced = await made.plan(database('store', ', description: by hand'));
  expect(planDocument({ plan: replaced, counts })).toMatchObject({ overwrites: [], recreates: [main], restarts: [] });
  expect(shown(replaced)).toContain(`\nStops, and creates again, 1 service: ${main}.\n`);
  const edited = await made.manifest(drifting.replace('one', 'one, command: postgres'));
  const left = await planManifest(edited, made.world(), { deploys: false });
  expect(planDocument({ plan: left, counts })).toMatchObject({ notDeployed: [main], waitsFor: [], restarts: [] });
  expect(shown(left)).toContain(`\nTakes effect with the next deployment of ${main}. `);
  await made.apply(drifting);
  const clean = await made.plan(drifting);
  expect(planDocument({ plan: clean, counts })).toMatchObject({ hasChanges: false, overwrites: [], recreates: [] });
});
