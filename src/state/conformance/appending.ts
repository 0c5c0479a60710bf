import { expect } from './expect.ts';
import type { Cases } from './bench.ts';
import { recordOf, stateWith } from './states.ts';

/** Appending of records: durable, in order, and at the price of what is appended. */
export const appendingTests: Cases = {
  'many records at the same time makes all of them durable': async ({ enter, leave, resourcesNow }) => {
    const one = await enter();
    const base = stateWith({}, 0);
    const names = Array.from({ length: 500 }, (_, index) => `r${index}`);
    await Promise.all(names.map((name) => one.store.append(base, name, recordOf(name))));
    one.process.kill(); // what resolved is there without any more of this process
    expect(Object.keys((await resourcesNow()) ?? {}).toSorted()).toEqual(names.toSorted());
    await leave(one);
  },

  '1,000 records in one wave are kept in the order of the calls, and cost ten times as much as 100': async ({
    ground,
    enter,
    leave,
    resourcesNow,
  }) => {
    const costs: number[] = [];
    for (const count of [100, 1_000]) {
      const one = await enter();
      const base = stateWith({}, 0);
      const calls = Array.from(
        { length: count },
        (_, index) => [`r${index % (count / 2)}`, recordOf(String(index).padStart(4, '0'))] as const,
      );
      await one.store.append(base, 'first', recordOf('0'));
      const before = ground.written();
      await Promise.all(calls.map(([address, record]) => one.store.append(base, address, record)));
      costs.push(ground.written() - before);
      const { first, ...resources } = (await resourcesNow()) ?? {};
      expect(first).toEqual(recordOf('0'));
      expect(resources).toMatchObject(Object.fromEntries(calls.slice(count / 2)));
      await leave(one);
    }
    const [small = 0, large = 0] = costs;
    expect(large / small).toBeLessThan(12);
  },

  'costs as much as the appended record, for any size of the state': async ({ ground, enter, leave }) => {
    const { written } = ground;
    const costs: number[] = [];
    for (const size of [10, 1_000]) {
      const one = await enter();
      const names = Array.from({ length: size }, (_, index) => `r${index}`);
      const base = stateWith(Object.fromEntries(names.map((name) => [name, recordOf(name)])), size);
      await one.store.write(base);
      await one.store.append(base, 'first', recordOf('1'));
      const before = written();
      for (let turn = 0; turn < 10; turn++) await one.store.append(base, `more${turn}`, recordOf('2'));
      costs.push(written() - before);
      await leave(one);
    }
    const [small = 0, large = 0] = costs;
    expect(small).toBeGreaterThan(10 * JSON.stringify(recordOf('2')).length);
    expect(large / small).toBeLessThan(1.1);
  },
};
