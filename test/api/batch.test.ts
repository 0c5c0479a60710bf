import { describe, expect, test } from 'vitest';
import type { BatchItem } from '../../src/api/batch.ts';
import { batchPath, divide, isKeyRefusal, readBatch } from '../../src/api/batch.ts';
import type { WireAnswer } from '../../src/api/wire.ts';

const compose = (id: string): BatchItem => ({ path: 'compose.one', members: { composeId: id } });
const user: BatchItem = { path: 'user.get', members: {} };
const good = (json: unknown, meta?: unknown) => ({
  result: { data: { json, ...(meta === undefined ? {} : { meta }) } },
});
const bad = (httpStatus: number, message: string) => ({
  error: { json: { message, code: -32004, data: { code: 'X', httpStatus, path: 'compose.one', zodError: null } } },
});
const answer = (status: number, body: unknown, type = 'application/json'): WireAnswer => ({
  status,
  headers: { 'content-type': type },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const asked = [compose('a'), compose('b')];
const a = { composeId: 'a', name: 'shop' };
const b = { composeId: 'b', name: 'blog' };
const why = (read: ReturnType<typeof readBatch>): string => (read.is === 'surprise' ? read.why : 'no surprise');

describe('the path of a batch', () => {
  test('names the operations in turn, and their members as JSON by their place', () => {
    const path = batchPath([user, compose('a&b'), { path: 'x.list', members: { n: 5, on: true, no: null, e: '' } }]);
    const [start, query = ''] = path.split('?');
    expect(start).toBe('/api/trpc/user.get,compose.one,x.list');
    const parameters = new URLSearchParams(query);
    expect(parameters.get('batch')).toBe('1');
    expect(JSON.parse(parameters.get('input') ?? '')).toEqual({
      0: { json: {} },
      1: { json: { composeId: 'a&b' } },
      2: { json: { n: 5, on: true } },
    });
  });
});

describe('reads are divided into batches', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, n) => compose(`${n}`.padStart(21, 'x')));

  test.each([
    [1, [1]],
    [40, [40]],
    [41, [40, 1]],
    [100, [40, 40, 20]],
  ])('%s of 21 characters: %j', (count, sizes) => {
    expect(divide(ids(count)).map((batch) => batch.length)).toEqual(sizes);
  });

  test('no path is longer than 8,000 characters, and none could hold the next read as well', () => {
    const reads = Array.from({ length: 90 }, (_, n) => compose(`ü"${'/'.repeat((n * 37) % 200)}`));
    const batches = divide(reads);
    expect(batches.flat()).toEqual(reads);
    for (const [index, batch] of batches.entries()) {
      expect(batchPath(batch).length).toBeLessThanOrEqual(8_000);
      const [next] = batches[index + 1] ?? [];
      if (next !== undefined && batch.length < 40) expect(batchPath([...batch, next]).length).toBeGreaterThan(7_990);
    }
  });

  test('a read that is too long is alone', () => {
    const long = compose('x'.repeat(9_000));
    expect(divide([compose('a'), long, compose('b')])).toEqual([[compose('a')], [long], [compose('b')]]);
  });

  test('keep what the platform asks several servers for apart', () => {
    const on = (serverId: string | undefined, appName: string) => ({
      path: 'docker.getContainers',
      members: { appName, serverId },
    });
    const reads = [on('b', '1'), on(undefined, '2'), on('b', '3'), on(undefined, '4'), on('c', '5')];
    const names = divide(reads).map((batch) => batch.map(({ members }) => members.appName).join());
    expect(names).toEqual(['1,3', '2,4', '5']);
  });
});

describe('the answer to a batch', () => {
  test('has the data of each read in turn; dates are texts, and notes on types are left out', () => {
    const noted = good({ ...b, createdAt: '2026-01-01T00:00:00.000Z' }, { values: { createdAt: ['Date'] } });
    expect(readBatch(asked, answer(200, [good(a), noted]))).toEqual({
      is: 'items',
      items: [{ data: a }, { data: { ...b, createdAt: '2026-01-01T00:00:00.000Z' } }],
    });
  });

  test('leaves to single reads what it has an error, nothing or an empty list for', () => {
    const reads = [compose('a'), user, user, { path: 'x.list', members: {} }];
    const items = [bad(404, 'Compose not found'), good(null), good(null, { values: ['undefined'], v: 1 }), good([])];
    const nothing = [undefined, undefined, undefined, undefined];
    expect(readBatch(reads, answer(207, items))).toEqual({ is: 'items', items: nothing });
  });

  test.each([
    ['all items with the same error', 404, [bad(404, 'Compose not found'), bad(404, 'Compose not found')]],
    ['different errors', 207, [bad(404, 'Compose not found'), bad(401, "You don't have access to this service")]],
  ])('is one with %s', (_, status, items) => {
    expect(readBatch(asked, answer(status, items))).toEqual({ is: 'items', items: [undefined, undefined] });
  });

  test.each<[string, WireAnswer, string]>([
    ['fewer items', answer(200, [good(a)]), 'has 1 items instead of 2'],
    ['more items', answer(200, [good(a), good(b), good(b)]), 'has 3 items instead of 2'],
    ['shuffled items', answer(200, [good(b), good(a)]), 'has something else in the place of compose.one'],
    ['a list for an object', answer(200, [good([a]), good(b)]), 'has something else in the place of compose.one'],
    ['no array', answer(200, { result: { data: { json: a } } }), 'has another form (status 200)'],
    ['an item of another form', answer(200, [good(a), { result: {} }]), 'has another form (status 200)'],
    ['an item without JSON', answer(200, [good(a), { result: { data: {} } }]), 'has another form (status 200)'],
    ['half of the text', answer(200, '[{"result":{"data":{"json"'), 'has another form (status 200)'],
    ['a page', answer(200, '<!doctype html>', 'text/html'), 'has another form (status 200)'],
    ['nothing', answer(200, ''), 'has another form (status 200)'],
    ['items of another type', answer(200, [good(a), good(b)], 'text/plain'), 'has another form (status 200)'],
    [
      'an error with status 200',
      answer(200, [good(a), bad(404, 'x')]),
      'has a status that does not fit its items (200)',
    ],
    ['207 without an error', answer(207, [good(a), good(b)]), 'has a status that does not fit its items (207)'],
    ['404 with data', answer(404, [good(a), bad(404, 'x')]), 'has a status that does not fit its items (404)'],
  ])('surprises with %s', (_, given, what) => {
    expect(why(readBatch(asked, given))).toBe(`the answer to a batch ${what}`);
  });

  test('refuses the key when every item says no more than UNAUTHORIZED', () => {
    const refused = bad(401, 'UNAUTHORIZED');
    expect(isKeyRefusal(answer(401, [refused, refused]))).toBe(true);
    expect(isKeyRefusal(answer(401, [refused, bad(401, 'You are not authorized to access this project')]))).toBe(false);
    expect(isKeyRefusal(answer(207, [refused, good(b)]))).toBe(false);
    expect(isKeyRefusal(answer(401, 'nothing'))).toBe(false);
  });
});
