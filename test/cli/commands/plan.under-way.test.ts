import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planCommand } from '../../../src/cli/commands/plan.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import { documentIn, places } from '../place.ts';

const open = places();

const environments = (name: string) => `environments: { production: {}, ${name}: {} }\n`;

it('a plan with changes reports another run at work; one without changes does not read the lock', async () => {
  const place = await open(environments('one'));
  const store = localStore(join(place.folder, '.trueup'));
  await store.lock({ purpose: 'apply' });
  expect((await place.run(planCommand({}))).out).toMatch(/^No changes\./);
  place.rewrite(environments('two'));
  const seen = await place.run(planCommand({}));
  expect(seen.out).toMatch(/^note\[under-way\]\n.* pid \d+ runs apply since 2/m);
  expect(seen.out).toContain('Plan again when it has ended.');
  const json = documentIn(await place.run(planCommand({}), { format: 'json' }));
  expect(json).toMatchObject({ diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'under-way' })]) });
  await store.close();
  expect((await place.run(planCommand({}))).out).not.toContain('under-way');
});
