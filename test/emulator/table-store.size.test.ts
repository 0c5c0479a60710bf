import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { World } from '../../src/emulator/world.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { callerOf, inputs } from './caller.ts';

/** A world whose tables count what is read of them: rows, and lists of their keys by each key. */
function countingWorld(): { readonly world: World; readonly reads: () => number } {
  const world = seedWorld();
  let reads = 0;
  const counted = (table: World['tables']['compose']) =>
    new Proxy(table, {
      get: (rows, id) => {
        reads += 1;
        return Reflect.get(rows, id) as unknown;
      },
      ownKeys: (rows) => {
        const keys = Reflect.ownKeys(rows);
        reads += keys.length;
        return keys;
      },
    });
  for (const [name, table] of Object.entries(world.tables)) Object.assign(world.tables, { [name]: counted(table) });
  return { world, reads: () => reads };
}

test('a service with four leafs costs the same number of reads when there are a thousand others', async () => {
  const { world, reads } = countingWorld();
  const call = callerOf(createEmulator({ world }).send);
  const hosts = ['a.test', 'b.test', 'c.test', 'd.test'];
  const create = async () => {
    const composeId = String((await call('compose.create', inputs.compose)).body['composeId']);
    for (const host of hosts) await call('domain.create', { host, composeId });
    return composeId;
  };
  /** The reads of tables that creating one more service takes, and those that reading it takes. */
  const costs = async () => {
    const before = reads();
    const composeId = await create();
    const between = reads();
    expect((await call('compose.one', { composeId })).body.domains).toHaveLength(hosts.length);
    return { creating: between - before, reading: reads() - between };
  };

  await create();
  const few = await costs();
  expect(few.creating).toBeGreaterThan(hosts.length);
  expect(few.reading).toBeGreaterThan(hosts.length);
  for (let count = 0; count < 1_000; count += 1) await create();
  expect(await costs()).toEqual(few);
});
