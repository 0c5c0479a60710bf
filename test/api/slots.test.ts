import { expect, test } from 'vitest';
import type { Ending } from '../../src/api/slots.ts';
import { createSlots } from '../../src/api/slots.ts';

/** Requests that wait for a slot; a test lets those that have one end. */
async function requests(most: number, count: number) {
  const fewer: number[] = [];
  const slots = createSlots(most, (limit) => fewer.push(limit));
  const taken: ((ending: Ending) => void)[] = [];
  const settle = () => new Promise((resolve) => void setImmediate(resolve));
  for (let n = 0; n < count; n++) void slots.take().then(({ release }) => taken.push(release));
  await settle();
  return {
    fewer,
    underWay: () => taken.length,
    /** Ends the oldest requests on their way. */
    end: async (...endings: readonly Ending[]) => {
      for (const ending of endings) taken.shift()?.(ending);
      await settle();
    },
  };
}

const times = (count: number, ending: Ending): Ending[] => Array.from({ length: count }, () => ending);

test('so many requests are on their way at a time, and the next when one of them ends', async () => {
  const { underWay, end, fewer } = await requests(8, 20);
  expect(underWay()).toBe(8);
  await end('good', 'other', 'good');
  expect(underWay()).toBe(8);
  await end(...times(8, 'good'));
  await end(...times(4, 'good'));
  expect(underWay()).toBe(5);
  expect(fewer).toEqual([]);
});

test('an overloaded platform gets half as many, once for all that were on their way, and never fewer than two', async () => {
  const { underWay, end, fewer } = await requests(8, 40);
  await end(...times(4, 'overloaded'));
  expect(fewer).toEqual([4]);
  expect(underWay()).toBe(4); // those that were on their way already
  await end(...times(4, 'overloaded'));
  expect(fewer).toEqual([4]);
  expect(underWay()).toBe(4);
  for (let round = 0; round < 3; round++) await end('overloaded', 'overloaded');
  expect(fewer).toEqual([4, 2]);
  expect(underWay()).toBe(2);
});

test('it gets one more after each round of good answers, up to as many as at first', async () => {
  const { underWay, end } = await requests(4, 60);
  await end('overloaded');
  await end(...times(3, 'good'));
  const seen = [underWay()];
  for (const round of [1, 2, 3, 4, 4]) {
    await end(...times(round, 'good'));
    seen.push(underWay());
  }
  expect(seen).toEqual([3, 3, 4, 4, 4, 4]);
});

test('what says nothing about its load changes nothing', async () => {
  const { underWay, end, fewer } = await requests(4, 20);
  await end('overloaded', 'other', 'other', 'other');
  expect(underWay()).toBe(2);
  await end(...times(6, 'other'));
  expect(underWay()).toBe(2);
  expect(fewer).toEqual([2]);
});

test.each([1, 2, 3])('of %i slots none hangs', async (most) => {
  const { underWay, end } = await requests(most, 12);
  for (let n = 0; n < 12; n++) {
    expect(underWay()).toBeGreaterThan(0);
    await end(n % 3 === 0 ? 'overloaded' : 'good');
  }
  expect(underWay()).toBe(0);
});
