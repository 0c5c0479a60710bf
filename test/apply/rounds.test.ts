import { afterEach, expect, test, vi } from 'vitest';
import { createRounds } from '../../src/apply/rounds.ts';
import { sleep } from '../../src/api/sleep.ts';

afterEach(() => void vi.useRealTimers());

/** Waits of the pauses one after the other, from a start; gives the moments at which each pause ended, in milliseconds. */
async function moments(starts: readonly number[], pauses: readonly number[]): Promise<number[]> {
  vi.useFakeTimers({ now: 0 });
  const clock = { wall: () => Date.now(), monotonic: () => Date.now(), sleep };
  const rounds = createRounds(clock);
  const ends = starts.map(async (start) => {
    await sleep(start);
    const seen: number[] = [];
    for (const pause of pauses) {
      await rounds.pause(pause);
      seen.push(Date.now());
    }
    return seen;
  });
  const all = Promise.all(ends);
  await vi.advanceTimersByTimeAsync(600_000);
  return (await all).flat();
}

test('what is polled alone keeps its pauses', async () => {
  expect(await moments([0], [50, 100, 200, 2_000])).toEqual([50, 150, 350, 2_350]);
});

test('56 polls that began at different times come together', async () => {
  const starts = Array.from({ length: 56 }, (_, at) => at * 37);
  const ends = await moments(
    starts,
    Array.from({ length: 20 }, () => 2_000),
  );
  expect(ends).toHaveLength(56 * 20);
  // Each round of all is one moment.
  expect(new Set(ends).size).toBeLessThan(2 * 20);
});

test('a signal ends a pause, and no other', async () => {
  vi.useFakeTimers({ now: 0 });
  const rounds = createRounds({ wall: Date.now, monotonic: Date.now, sleep });
  const stop = new AbortController();
  const ends: string[] = [];
  const both = [rounds.pause(1_000, stop.signal), rounds.pause(1_000)].map((one, at) =>
    one.then(() => ends.push(`${at} ${Date.now()}`)),
  );
  await vi.advanceTimersByTimeAsync(600);
  stop.abort();
  await vi.advanceTimersByTimeAsync(600);
  await Promise.all(both);
  expect(ends).toEqual(['0 600', '1 1000']);
});
