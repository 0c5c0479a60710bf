import { expect, test } from 'vitest';
import { Exchange } from '../../src/api/exchange.ts';

/** An answer as the connection hands it over, piece by piece. */

const controller = { abort: () => {} } as never;

test.each([1, 2, 3, 7, 64, 1_000])('in chunks of %s bytes is the same text', async (size) => {
  const text = JSON.stringify({ names: Array.from({ length: 400 }, (_, at) => `größer ${at} ✓ 🚀`) });
  const exchange = new Exchange({ limits: { whole: 100_000, ofError: 1_000 }, mayStart: () => {} });
  exchange.onResponseStart(controller, 200, {});
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size)
    exchange.onResponseData(controller, bytes.subarray(from, from + size));
  exchange.onResponseEnd();
  expect((await exchange.answer).body).toBe(text);
});

test('of a million small chunks takes as much memory as its bytes', async () => {
  const exchange = new Exchange({ limits: { whole: 2_000_000, ofError: 1_000 }, mayStart: () => {} });
  exchange.onResponseStart(controller, 200, {});
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < 1_000_000; at++) exchange.onResponseData(controller, Buffer.from('x'));
  const taken = process.memoryUsage().heapUsed - before;
  exchange.onResponseEnd();
  expect((await exchange.answer).body).toHaveLength(1_000_000);
  expect(taken).toBeLessThan(60_000_000);
});

test('without a byte is an empty text', async () => {
  const exchange = new Exchange({ limits: { whole: 10, ofError: 10 }, mayStart: () => {} });
  exchange.onResponseStart(controller, 204, {});
  exchange.onResponseEnd();
  expect(await exchange.answer).toEqual({ status: 204, headers: {}, body: '' });
});
