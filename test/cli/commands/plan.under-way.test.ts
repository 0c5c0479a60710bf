import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { nodeDisk } from '../../../src/state/disk.ts';
import { thisHost } from '../../../src/state/host.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import { planCommand } from '../asked.ts';
import { documentIn, places } from '../place.ts';

const open = places();

const environments = (name: string) => `environments: { production: {}, ${name}: {} }\n`;

it('a plan with changes reports another run at work; one without changes does not read the lock', async () => {
  const place = await open(environments('one'));
  const store = localStore(join(place.folder, '.trueup'));
  await store.lock({ purpose: 'apply' });
  expect((await place.run(planCommand({}))).out).toMatch(/\n\nNo changes\./);
  place.rewrite(environments('two'));
  const seen = await place.run(planCommand({}));
  expect(seen.out).toMatch(/^note\[under-way\]\n.* pid \d+ runs apply since 2/m);
  expect(seen.out).toContain('Plan again when it has ended.');
  const json = documentIn(await place.run(planCommand({}), { format: 'json' }));
  expect(json).toMatchObject({ diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'under-way' })]) });
  await store.close();
  expect((await place.run(planCommand({}))).out).not.toContain('under-way');
});

it('K10: a plan in a folder that cannot be written does not fail because of a lock that was not given back', async () => {
  const place = await open(environments('one'));
  const store = localStore(join(place.folder, '.trueup'));
  await store.lock({ purpose: 'apply' });
  place.rewrite(environments('two'));
  const readOnly = Object.assign(new Error('read-only file system'), { code: 'EROFS' });
  const ageOf = vi.spyOn(nodeDisk, 'ageOf').mockRejectedValue(readOnly);
  const seen = await place.run(planCommand({}));
  expect(ageOf).toHaveBeenCalled();
  ageOf.mockRestore();
  expect(seen).toMatchObject({ exit: 'done', err: '' });
  expect(seen.out).toContain('two: create');
  await store.close();
});

it('a plan after a run that was killed says so, and not that it goes on', async () => {
  const place = await open(environments('one'));
  const { pid } = spawnSync(process.execPath, ['--version']);
  const store = localStore(join(place.folder, '.trueup'), { host: { ...thisHost(), pid } });
  await store.lock({ purpose: 'apply' });
  place.rewrite(environments('two'));
  const seen = await place.run(planCommand({}));
  expect(seen.out).toMatch(/^note\[under-way\]\n.* was interrupted while it ran apply, since 2/m);
  expect(seen.out).not.toContain('Plan again when it has ended.');
  await store.close();
});
