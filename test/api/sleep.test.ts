import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { sleep, whenAborted } from '../../src/api/sleep.ts';

test('U9: a signal has one listener, however many wait for it, and none when nobody does', async () => {
  const { signal } = new AbortController();
  const ended = new AbortController();
  const waits = Array.from({ length: 30 }, () => sleep(60_000, ended.signal));
  const unwatch = Array.from({ length: 30 }, () => whenAborted(signal, () => undefined));
  expect(getEventListeners(ended.signal, 'abort')).toHaveLength(1);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  ended.abort();
  await Promise.all(waits);
  for (const end of unwatch) end();
  expect(getEventListeners(ended.signal, 'abort')).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the work of a signal is done once, unless it was taken back, also by other work', () => {
  const controller = new AbortController();
  const done: string[] = [];
  const unwatch = whenAborted(controller.signal, () => done.push('taken back'));
  whenAborted(controller.signal, () => {
    done.push('first');
    last();
  });
  const last = whenAborted(controller.signal, () => done.push('last'));
  unwatch();
  controller.abort();
  controller.abort();
  expect(done).toEqual(['first']);
  whenAborted(controller.signal, () => done.push('too late'));
  expect(done).toEqual(['first']);
});

test('without a signal nothing is watched, and a signal that has aborted ends a sleep at once', async () => {
  expect(whenAborted(undefined, () => undefined)()).toBeUndefined();
  await expect(sleep(60_000, AbortSignal.abort())).resolves.toBeUndefined();
});

test.each([2 ** 31, Infinity])('a sleep of %d ms, which no timer takes, does not end at once', async (ms) => {
  const early = new AbortController();
  let isOver = false;
  const slept = sleep(ms, early.signal).then(() => (isOver = true));
  await sleep(20);
  expect(isOver).toBe(false);
  early.abort();
  await slept;
});

test.each([-1, -Infinity, 0.2])('a sleep of %d ms ends', async (ms) => {
  await expect(sleep(ms)).resolves.toBeUndefined();
});
