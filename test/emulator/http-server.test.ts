import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve, type ServeOptions } from '../../src/emulator/http-server.ts';

let server: Awaited<ReturnType<typeof serve>>;
const start = async (options: ServeOptions = {}) => {
  server = await serve(createEmulator(), options);
};
beforeEach(() => start());
afterEach(async () => {
  vi.useRealTimers();
  await server.close();
});

/** Waits until a condition holds, one turn of the machine's events at a time. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  agent?: Agent;
}

function send(path: string, { method = 'GET', headers = {}, body, agent }: Sent = {}) {
  const key = { 'x-api-key': 'emulator-key', ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string; port: number }>(
    (resolve, reject) => {
      const outgoing = request(server.url + path, { method, headers: { ...key, ...headers }, agent }, (answer) => {
        const chunks: Buffer[] = [];
        const port = answer.socket.localPort ?? 0;
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString(),
            port,
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    },
  );
}

test('an operation is served as JSON', async () => {
  const answer = await send('/api/user.get');
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(answer.body)).toMatchObject({ organizationId: 'org_1' });
});

test('an answer without a body is JSON without a body', async () => {
  const body = JSON.stringify({ composeId: 'unknown' });
  const answer = await send('/api/compose.update', { method: 'POST', body });
  expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' }, body: '' });
});

test('names that are not ASCII pass unharmed', async () => {
  const body = JSON.stringify({ name: 'Büro ☃', projectId: 'prj_1' });
  expect((await send('/api/environment.create', { method: 'POST', body })).body).toContain('Büro ☃');
});

test('a request without a key is a bare 401', async () => {
  const answer = await send('/api/user.get', { headers: { 'x-api-key': '' } });
  expect([answer.status, answer.body]).toEqual([401, '{"message":"Unauthorized"}']);
});

test('an unknown route is a 404, a trailing slash a 308, a HEAD a 204', async () => {
  expect((await send('/nothing')).status).toBe(404);
  expect((await send('/api/user.nothing')).status).toBe(404);
  expect(await send('/api/user.get/?a=1')).toMatchObject({ status: 308, headers: { location: '/api/user.get?a=1' } });
  expect((await send('/api/user.get', { method: 'HEAD' })).status).toBe(204);
});

test('a body that is no JSON is a 415 or a 400', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await send('/api/compose.deploy', { method: 'POST', headers: form, body: 'a=b' })).status).toBe(415);
  expect((await send('/api/compose.deploy', { method: 'POST', body: '{' })).status).toBe(400);
});

test.each([
  ['by its announced length', {}],
  ['as it arrives', { 'transfer-encoding': 'chunked' }],
])('a body over the limit is refused %s, as plain text', async (_how, headers) => {
  const body = JSON.stringify({ name: 'n'.repeat(1024 * 1024), projectId: 'prj_1' });
  const answer = await send('/api/environment.create', { method: 'POST', body, headers });
  expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
    413,
    'text/plain',
    'Body exceeded 1mb limit',
  ]);
});

test('the limit of a body can be set', async () => {
  await server.close();
  await start({ bodyLimit: 10 });
  const body = '{"composeId":"x"}';
  expect((await send('/api/compose.deploy', { method: 'POST', body })).status).toBe(413);
  const headers = { 'transfer-encoding': 'chunked' };
  expect((await send('/api/compose.deploy', { method: 'POST', body, headers })).status).toBe(413);
});

test('a connection stays open for the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [first, second] = [await send('/api/user.get', { agent }), await send('/api/user.get', { agent })];
  expect(second.port).toBe(first.port);
  agent.destroy();
});

test('a connection is announced to end after 5 s without traffic', async () => {
  const agent = new Agent({ keepAlive: true });
  expect((await send('/api/user.get', { agent })).headers['keep-alive']).toBe('timeout=5');
  agent.destroy();
});

test('latency delays every answer and none waits for another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await server.close();
  await start({ latencyMs: 100 });
  let answered = 0;
  const sent = Array.from({ length: 10 }, () => send('/api/user.get').finally(() => (answered += 1)));
  await until(() => vi.getTimerCount() === sent.length);
  await vi.advanceTimersByTimeAsync(99);
  expect(answered).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200));
});

test('a server that closes sends its open answers first, and then closes although a client keeps its connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await server.close();
  await start({ latencyMs: 40 });
  const agent = new Agent({ keepAlive: true });
  const owed = send('/api/user.get', { agent });
  await until(() => vi.getTimerCount() === 1);
  const closed = server.close();
  await vi.advanceTimersByTimeAsync(40);
  expect(await owed).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await closed;
  agent.destroy();
  await start();
});

test('a server can be closed while a connection is idle', async () => {
  const agent = new Agent({ keepAlive: true });
  await send('/api/user.get', { agent });
  await server.close();
  await expect(send('/api/user.get')).rejects.toThrow();
  agent.destroy();
  await start();
});
