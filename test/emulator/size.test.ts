import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { callerOf, inputs } from './caller.ts';

test('a thousand services with four thousand leafs answer as quickly as a few', async () => {
  const call = callerOf(createEmulator().send);
  const composeIds: string[] = [];
  const timeOf = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };

  const created = await timeOf(async () => {
    for (let count = 0; count < 1000; count += 1) {
      const composeId = String((await call('compose.create', inputs.compose)).body['composeId']);
      composeIds.push(composeId);
      for (const host of ['a.test', 'b.test', 'c.test', 'd.test']) await call('domain.create', { host, composeId });
    }
  });
  // Measured at about a quarter of a second: the limit only tells a scan of the tables from none.
  expect(created).toBeLessThan(5000);

  const read = await timeOf(async () => {
    for (const composeId of composeIds) expect((await call('compose.one', { composeId })).body.domains).toHaveLength(4);
  });
  expect(read).toBeLessThan(3000);
});
