import { describe, expect, test } from 'vitest';
import { createTransport } from '../../src/api/transport.ts';
import { createEmulator, type EmulatorOptions } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { WireRequest } from '../../src/api/wire.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { addKey } from './people.ts';

/** Forms and limits as they were recorded on the reference implementation. */

interface Item {
  readonly result?: { readonly data: { readonly json: unknown; readonly meta?: unknown } };
  readonly error?: { readonly json: { readonly message: string; readonly code: number; readonly data: object } };
}

function opened(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ batches: true, ...options });
  const request = (operations: string, input?: unknown, over: Partial<WireRequest> = {}): WireRequest => ({
    method: 'GET',
    path: `/api/trpc/${operations}?batch=1${input === undefined ? '' : `&input=${encodeURIComponent(typeof input === 'string' ? input : JSON.stringify(input))}`}`,
    headers: { 'x-api-key': 'emulator-key' },
    body: undefined,
    ...over,
  });
  const send = async (...about: Parameters<typeof request>) => {
    const { status, headers, body } = await emulator.send(request(...about));
    const items = headers['content-type'] === 'application/json' ? (JSON.parse(body) as Item[]) : [];
    return { status, headers, body, items, errors: items.map(({ error }) => error?.json) };
  };
  return { emulator, request, send };
}

const environments = (projectId = 'prj_1') => ({ json: { projectId } });

describe('a batch of reads', () => {
  test('is answered in its order, each with what its single read answers', async () => {
    const { emulator, send } = opened();
    const headers = { 'x-api-key': 'emulator-key' };
    const { status, items } = await send('environment.byProjectId,user.get', { 0: environments() });
    const single = async (path: string) =>
      JSON.parse((await emulator.send({ method: 'GET', path, headers, body: undefined })).body) as unknown;
    expect(status).toBe(200);
    expect(items.map(({ result }) => result?.data.json)).toEqual([
      await single('/api/environment.byProjectId?projectId=prj_1'),
      await single('/api/user.get'),
    ]);
  });

  test('notes which texts are times, and what answers nothing', async () => {
    const { send } = opened();
    const { items } = await send('user.get,environment.byProjectId', { 1: environments() });
    expect(items[0]?.result?.data.meta).toMatchObject({ values: { createdAt: ['Date'] }, v: 1 });
    expect(items[1]?.result?.data.meta).toBeUndefined();
  });

  test('mixes answers and errors: 207', async () => {
    const { send } = opened();
    const { status, items, errors } = await send('user.get,compose.one,Compose.One,no.such,', {
      1: { json: { composeId: 'x' } },
    });
    expect(status).toBe(207);
    expect(items[0]?.result).toBeDefined();
    expect(errors.slice(1)).toEqual([
      {
        message: 'Compose not found',
        code: -32_004,
        data: { code: 'NOT_FOUND', httpStatus: 404, path: 'compose.one', zodError: null },
      },
      {
        message: 'No procedure found on path "Compose.One"',
        code: -32_004,
        data: { code: 'NOT_FOUND', httpStatus: 404, path: 'Compose.One', zodError: null },
      },
      expect.objectContaining({ message: 'No procedure found on path "no.such"' }),
      expect.objectContaining({ message: 'No procedure found on path ""' }),
    ]);
  });

  test.each([
    ['compose.one,compose.one', { 0: { json: { composeId: 'x' } }, 1: { json: { composeId: 'y' } } }, 404],
    ['compose.stop,compose.stop', {}, 405],
    ['compose.one', { 0: { composeId: 'x' } }, 400],
    ['compose.one', {}, 400],
    ['user.get', [], 400],
    ['user.get', '{', 400],
  ])('%s with %j fails alike for all: %s', async (operations, input, status) => {
    const { send } = opened();
    const answer = await send(operations, input);
    expect(answer.status).toBe(status);
    for (const error of answer.errors) expect(error?.data).toMatchObject({ httpStatus: status });
  });

  test('has the issues of an input as the text of its message', async () => {
    const { errors } = await opened().send('compose.one', { 0: { json: { composeId: 5 } } });
    expect(JSON.parse(errors[0]?.message ?? '')).toMatchObject([{ path: ['composeId'], code: 'invalid_type' }]);
    expect(errors[0]?.data).toMatchObject({ code: 'BAD_REQUEST', zodError: { fieldErrors: {} } });
  });

  test('refuses a read and a write together as one text', async () => {
    const { send } = opened();
    const { status, headers, body } = await send('user.get,compose.stop');
    expect([status, headers['content-type']]).toEqual([400, 'text/plain']);
    expect(body).toContain('Cannot mix procedure types in call: query, mutation');
  });

  test('needs batch=1: one operation is answered alone, two are none', async () => {
    const { emulator, request } = opened();
    const alone = async (operations: string) =>
      emulator.send({ ...request(operations), path: `/api/trpc/${operations}` });
    expect(JSON.parse((await alone('user.get')).body)).toMatchObject({ result: { data: { json: { role: 'owner' } } } });
    const two = await alone('user.get,user.get');
    expect([two.status, two.body]).toEqual([
      404,
      expect.stringContaining('No procedure found on path \\"user.get,user.get\\"'),
    ]);
  });

  test('is one request in the log', async () => {
    const { emulator, send } = opened();
    await send('user.get,user.get');
    expect(emulator.log).toMatchObject([{ method: 'GET', operation: 'trpc', status: 200 }]);
  });

  test('is not there on a platform of the document', async () => {
    const { emulator, request } = opened({ batches: false });
    const { status, body } = await emulator.send(request('user.get,user.get'));
    expect([status, (JSON.parse(body) as { message: string }).message]).toEqual([404, 'Not found']);
  });
});

test('a batch of writes makes all of them, and those of reads are refused', async () => {
  const { send } = opened();
  const headers = { 'x-api-key': 'emulator-key', 'content-type': 'application/json' };
  const body = JSON.stringify({
    0: { json: { projectId: 'prj_1', name: 'a' } },
    1: { json: { projectId: 'prj_1', name: 'b' } },
  });
  const made = await send('environment.create,environment.create', undefined, { method: 'POST', headers, body });
  expect(made.items.map(({ result }) => result?.data.json)).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  const read = await send('user.get', undefined, { method: 'POST', headers, body: '{}' });
  expect(read.status).toBe(405);
  const untyped = await send('environment.create', undefined, { method: 'POST', body });
  expect(untyped.status).toBe(415);
});

describe('the key of a batch', () => {
  test.each([[{}], [{ 'x-api-key': 'other' }]])('%j is refused with a code for each operation', async (headers) => {
    const { status, errors } = await opened().send('user.get,compose.one', {}, { headers });
    expect(status).toBe(401);
    for (const error of errors)
      expect(error).toMatchObject({ message: 'UNAUTHORIZED', data: { code: 'UNAUTHORIZED' } });
  });

  test('is counted once for any number of operations, and twice for a single read', async () => {
    for (const [path, good] of [
      ['/api/trpc/user.get,user.get,user.get?batch=1', 6],
      ['/api/user.get', 3],
    ] as const) {
      const world = seedWorld();
      const limits = { rateLimitEnabled: true, rateLimitMax: 6, rateLimitTimeWindow: 86_400_000, requestCount: 0 };
      const key = addKey(world, 'limited', 'user_1', {
        metadata: JSON.stringify({ organizationId: 'org_1' }),
        ...limits,
      });
      const { emulator } = opened({ world });
      const statuses: number[] = [];
      for (let n = 0; n < 8; n++)
        statuses.push(
          (await emulator.send({ method: 'GET', path, headers: { 'x-api-key': key }, body: undefined })).status,
        );
      expect(statuses.filter((status) => status === 200)).toHaveLength(good);
      expect(statuses.at(-1)).toBe(401);
    }
  });
});

describe('the length of a batch', () => {
  const operations = (count: number) => Array.from({ length: count }, () => 'user.get').join(',');

  test('is limited together with the headers: 431, and the connection is reset for what is far too long', async () => {
    const { emulator, request } = opened();
    const most = 16_384 - Buffer.byteLength('GET  HTTP/1.1\r\nx-api-key: emulator-key\r\n\r\n');
    const padded = (length: number) => {
      const { path } = request('user.get');
      return request('user.get', undefined, { path: `${path}&pad=${'x'.repeat(length - path.length - 5)}` });
    };
    expect((await emulator.send(padded(most))).status).toBe(200);
    const { status, body } = await emulator.send(padded(most + 1));
    expect([status, body]).toEqual([431, '']);
    await expect(emulator.send(padded(70_000))).rejects.toThrow('went down');
  });

  test('is the same over HTTP', async () => {
    const { emulator, request } = opened();
    const server = await serve(emulator);
    const transport = createTransport({ url: server.url });
    try {
      expect((await transport.send(request(operations(400)))).status).toBe(200);
      const refused = await transport.send(request(operations(2_000)));
      expect([refused.status, refused.body]).toEqual([431, '']);
      expect((await transport.send(request(operations(2)))).status).toBe(200);
    } finally {
      await transport.close();
      await server.close();
    }
  });
});
