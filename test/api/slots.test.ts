import { describe, expect, test } from 'vitest';
import type { Ending } from '../../src/api/slots.ts';
import { createSlots } from '../../src/api/slots.ts';

/** Requests that wait for a slot; a test lets those that have one end. */
async function requests(most: number, count: number) {
  const fewer: number[] = [];
  const slots = createSlots(most, { onFewer: (limit) => fewer.push(limit) });
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

describe('answers that are slow', () => {
  /**
   * A platform whose answers take so long, and that works `workMs` on each request beside, one at a time in turns. Gives how many
   * were on their way after each answer.
   */
  async function platform(most: number, requests: number, { workMs = 0, farMs = 0 }) {
    const fewer: number[] = [];
    const counts: number[] = [];
    let time = 0;
    const open = new Set<{ left: number; readonly begins: number; readonly release: (ending: Ending) => void }>();
    const slots = createSlots(most, { onFewer: (limit) => fewer.push(limit), slowMs: 2_000, now: () => time });
    for (let n = 0; n < requests; n++) {
      void slots.take().then(({ release }) => open.add({ left: workMs, begins: time + farMs, release }));
    }
    const settle = () => new Promise((resolve) => void setImmediate(resolve));
    await settle();
    while (open.size > 0) {
      time += 10;
      const working = [...open].filter(({ begins }) => begins <= time);
      for (const one of working) one.left -= 10 / working.length;
      for (const one of working.filter(({ left }) => left <= 0)) {
        open.delete(one);
        one.release('good');
        await settle();
        counts.push(open.size);
      }
    }
    return { fewer, counts, seconds: time / 1_000 };
  }

  test('are half as many at a time where they waited for one another, and the work takes as long', async () => {
    const { fewer, counts, seconds } = await platform(8, 200, { workMs: 400 });
    expect(fewer[0]).toBe(4);
    const later = counts.slice(40, 190);
    expect(Math.max(...later)).toBeLessThanOrEqual(5);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(2);
    expect(seconds).toBeLessThan(1.1 * 200 * 0.4);
  });

  test('are as many as before where half as many are as slow: the platform is far away', async () => {
    const { fewer, counts, seconds } = await platform(8, 200, { farMs: 2_500 });
    expect(fewer).toEqual([]);
    expect(counts.slice(30, 190).every((count) => count === 8)).toBe(true);
    expect(seconds).toBeLessThan(1.1 * (200 / 8) * 2.5);
  });

  test('below two seconds change nothing', async () => {
    const { fewer, counts } = await platform(8, 100, { workMs: 240 });
    expect(fewer).toEqual([]);
    expect(counts.slice(0, 90).every((count) => count === 8)).toBe(true);
  });

  test('are two at a time at least', async () => {
    const { fewer, counts } = await platform(8, 100, { workMs: 10_000 });
    expect(fewer).toEqual([4, 2]);
    expect(counts.slice(40, 90).every((count) => count === 2)).toBe(true);
  });
});
