import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { adoptDrift } from '../../src/drift/adopt.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';
import { filesOf, manifests } from '../edit/manifests.ts';

/** The platform gets the new values of each manifest; adopting them has to give the text with them, byte for byte. */

/** Creates what a block without a source can only adopt. */
async function seed(made: Bench, files: Record<string, string>): Promise<void> {
  const environments: Record<string, { compose: Record<string, object> }> = {};
  for (const { address, kind, key } of (await made.manifest(files)).resources) {
    if (kind.kind !== 'compose') continue;
    const source = { type: 'raw', composeFile: 'services: { web: { image: nginx } }' };
    const name = address.split('.')[0] ?? '';
    environments[name] = { compose: { ...environments[name]?.compose, [key]: { source } } };
  }
  const first = bench({ emulator: made.emulator, clock: made.clock });
  await first.apply(`${head}environments: ${JSON.stringify(environments)}\n`, { adoption: true });
}

test.each(manifests)('adopting drift changes only the values that drifted: $title', async (manifest) => {
  const [before, after] = [filesOf(manifest, 'old'), filesOf(manifest, 'new')];
  const made = bench();
  made.secrets['PW'] = 'correct-horse-battery';
  await seed(made, before);
  await made.apply(before, { adoption: true, dataLoss: true });
  // Somebody else makes the platform as the new text says, with a state of their own.
  const other = bench({ emulator: made.emulator, clock: made.clock });
  other.secrets['PW'] = 'correct-horse-battery';
  const { outcomes } = await other.apply(after, { adoption: true, dataLoss: true });
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  for (const [name, text] of Object.entries(before)) {
    mkdirSync(dirname(join(made.folder, name)), { recursive: true });
    writeFileSync(join(made.folder, name), text);
  }
  made.requests('POST');
  const options = {
    folder: made.folder,
    file: 'trueup.yaml',
    variables: new Map<string, string>(),
    env: { TRUEUP_SECRET_PW: 'correct-horse-battery' },
    redactor: createRedactor(),
    kinds,
  };
  const result = await adoptDrift(await made.manifest(before), made.world(), {
    options,
    now: made.clock.wall(),
    request: { subjects: [], isAll: true, writes: true },
  });
  expect(result.left).toEqual([]);
  for (const [name, text] of Object.entries(after)) {
    expect(readFileSync(join(made.folder, name), 'utf8'), name).toBe(text);
  }
  // What runs may lack what was saved: a deployment is all that a plan may send.
  const { actions } = await made.plan(after);
  expect(actions.filter(({ action, steps }) => steps.length > 0 && action !== 'deploy')).toEqual([]);
  expect(made.requests('POST')).toEqual([]);
  await made.apply(after, { adoption: true, dataLoss: true });
  expect((await made.plan(after)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});
