import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { writtenOut, writtenStages } from '../scripts/support/written-stages.ts';
import type { Manifest } from '../src/manifest/manifest.ts';
import type { Wanted } from '../src/manifest/wanted.ts';
import { plan } from '../src/workflow/make-plan.ts';
import { session } from '../src/workflow/session.ts';
import { openOf, stage, stageIn } from './support/stages.ts';
import { bench } from './support/world.ts';

/** Each stage of the example plans what its manifest plans when somebody writes it out. */

const folder = resolve(import.meta.dirname, '../examples/stages');
const read = (name: string): Promise<Manifest> =>
  name === 'pr-123'
    ? stageIn(folder, 'preview.yaml', { preview: '123', values: { tag: '4f2a91c' } })
    : stageIn(folder, `${name}.yaml`);

/** What a plan does, without the places of files, and how a value of a variable was written. */
async function actionsOf(manifest: Manifest): Promise<unknown> {
  const { actions } = await plan(manifest, bench().world());
  const shown = actions.map(({ address, action, changes, steps }) => ({
    address,
    action,
    changes: changes.toSorted((a, b) => a.path.localeCompare(b.path)),
    steps,
  }));
  const text = JSON.stringify(shown, function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
    if (['position', 'at', 'written'].includes(key)) return undefined;
    return key === 'wanted' ? openOf(this[key] as Wanted) : value;
  });
  return (JSON.parse(text) as typeof shown).toSorted((a, b) => a.address.localeCompare(b.address));
}

test.each(Object.keys(writtenStages))('%s plans what its manifest plans that is written out', async (name) => {
  const staged = await actionsOf(await read(name));
  const whole = await actionsOf(await stage({ 'trueup.yaml': writtenOut(name) }, 'trueup.yaml'));
  expect(JSON.stringify(staged).length).toBeGreaterThan(10_000);
  expect(staged).toEqual(whole);
});

test.each(Object.keys(writtenStages))('%s is applied, and then plans nothing', async (name) => {
  const made = bench();
  const manifest = await read(name);
  const permissions = { dataLoss: false, adoption: true };
  await session(manifest, made.platform(), { purpose: 'apply', clock: made.clock }, async (run) =>
    run.apply(await run.plan({}), permissions),
  );
  const { actions } = await plan(manifest, made.world());
  expect(actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});
