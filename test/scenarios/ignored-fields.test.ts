import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localStore } from '../../src/state/backends/local.ts';
import { applyCommand, planCommand } from '../cli/asked.ts';
import { places } from '../cli/place.ts';

const open = places();

const environment = (description: string) => `environments: { production: { description: ${description} } }\n`;

it('plan --detailed-exitcode and apply end with 6 while the platform ignores a field, and report that', async () => {
  const place = await open(environment('one'));
  const { production } = place.state.resources;
  if (production === undefined) throw new Error('the state lacks the environment');
  const ignored = async (runs: 1 | 2) => {
    const pair = { wanted: { value: 'two' }, answered: { value: 'one' }, ignored: runs };
    const record = { ...production, pairs: { ...production.pairs, description: pair } };
    await localStore(join(place.folder, '.trueup')).write({ ...place.state, resources: { production: record } });
  };
  place.rewrite(environment('two'));
  await ignored(1);
  expect(await place.run(planCommand({ detailedExitcode: true }))).toMatchObject({
    exit: 'changes',
    out: expect.stringContaining('description: one -> two (ignored by the platform once: written again)'),
  });
  await ignored(2);
  const detailed = await place.run(planCommand({ detailedExitcode: true }));
  expect(detailed).toMatchObject({
    exit: 'partly',
    out: expect.stringMatching(/description: the platform ignored the value[^]*\nNo changes\. 1 field is ignored by/),
  });
  expect(await place.run(planCommand({}))).toMatchObject({ exit: 'done', out: detailed.out });
  place.requests();
  const settled = await place.run(applyCommand({ autoApprove: true }));
  expect(settled).toMatchObject({
    exit: 'partly',
    out: expect.stringContaining('Next: change each ignored value, or leave its line out'),
  });
  expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  place.rewrite(environment('three'));
  expect(await place.run(applyCommand({ autoApprove: true }))).toMatchObject({ exit: 'done' });
  expect(await place.run(planCommand({ detailedExitcode: true }))).toMatchObject({ exit: 'done' });
});
