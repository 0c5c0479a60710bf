import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createRaw, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import { createTransport, type TransportOptions } from '../../src/api/transport.ts';
import type { WireAnswer, WireRequest } from '../../src/api/wire.ts';
import { certificateFor } from '../support/certificate.ts';
import { nameProxy, serveProxy, serveSecurely } from '../support/http-proxy.ts';

/** Requests through a real proxy of this machine, to a platform that only the proxy knows. */

const platformUrl = 'https://platform.example';
const server = 'platform.example:443';
const certificate = certificateFor('platform.example');
type Answering = (request: WireRequest) => WireAnswer | Promise<WireAnswer>;
const ok: Answering = () => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"role":"owner"}',
});

/** A platform behind TLS, and its proxy, which the environment names. */
async function behindProxy({ answer = ok, address = (url: string) => url, ...settings }: Behind = {}) {
  const requests: WireRequest[] = [];
  const send: Answering = (request) => {
    requests.push(request);
    return answer(request);
  };
  const port = await serveSecurely({ send: async (request) => send(request) }, certificate);
  const proxy = await serveProxy({ servers: { [server]: port }, ...settings });
  nameProxy({ HTTPS_PROXY: address(proxy.url) });
  return { proxy, port, requests };
}
type Behind = Parameters<typeof serveProxy>[0] & {
  readonly answer?: Answering;
  readonly address?: (url: string) => string;
};

function open(options: Partial<TransportOptions> = {}) {
  const transport = createTransport({ url: platformUrl, ...options });
  onTestFinished(() => transport.close(true));
  return transport;
}

function connect(options: Partial<TransportOptions> & { readonly pauseLimitMs?: number } = {}) {
  const { pauseLimitMs, ...others } = options;
  const client = createClient({
    send: open(others).send,
    url: options.url ?? platformUrl,
    apiKey: 'key-of-the-tests',
    redact: (text) => text,
    sleep: () => pause(20),
    ...(pauseLimitMs === undefined ? {} : { pauseLimitMs }),
  });
  onTestFinished(() => client.close());
  return client;
}

const get: WireRequest = { method: 'GET', path: '/api/user.get', headers: { 'x-api-key': 'k' }, body: undefined };
const post: WireRequest = { ...get, method: 'POST', path: '/api/compose.deploy', body: '{"composeId":"c"}' };

async function failureOf(call: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformError) return error;
  throw new Error('it did not fail as a call does', { cause: error });
}

test('requests to a platform with https go through one tunnel, which shows the proxy neither key nor path', async () => {
  const { proxy, requests } = await behindProxy();
  const { send } = open();
  expect(await send(get)).toMatchObject({ status: 200, body: '{"role":"owner"}' });
  expect(await send(post)).toMatchObject({ status: 200 });
  expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', '/api/user.get', undefined],
    ['POST', '/api/compose.deploy', '{"composeId":"c"}'],
  ]);
  expect(requests[0]?.headers).toMatchObject({ host: 'platform.example', 'x-api-key': 'k' });
  expect(proxy.log).toEqual([`CONNECT ${server}`]);
});

test('the user and the password of the variable sign in to the proxy, and go nowhere else', async () => {
  const credentials = 'me:p@ss/7f3a';
  const address = (url: string) => url.replace('//', '//me:p%40ss%2F7f3a@');
  const { proxy, requests } = await behindProxy({ credentials, address });
  expect((await open().send(get)).status).toBe(200);
  expect(proxy.authorizations).toEqual([`Basic ${Buffer.from(credentials).toString('base64')}`]);
  expect(JSON.stringify(requests)).not.toMatch(/proxy-authorization|Basic/);
});

test('a user without a password signs in, too', async () => {
  await behindProxy({ credentials: 'token-7f3a:', address: (url) => url.replace('//', '//token-7f3a@') });
  expect((await open().send(get)).status).toBe(200);
});

test('requests to a platform with http go to the proxy with the whole address', async () => {
  const seen: unknown[] = [];
  const platform = createServer(({ method, url, headers }, response) => {
    seen.push([method, url, headers.host, headers['x-api-key'], headers['proxy-authorization']]);
    response.end('[]');
  });
  platform.listen(0, '127.0.0.1');
  await once(platform, 'listening');
  const { port } = platform.address() as AddressInfo;
  const proxy = await serveProxy({ servers: { 'platform.example:3000': port }, credentials: 'me:pass-7f3a' });
  onTestFinished(() => void platform.close());
  nameProxy({ HTTP_PROXY: proxy.url.replace('//', '//me:pass-7f3a@') });
  const transport = open({ url: 'http://platform.example:3000' });
  expect(await transport.send(get)).toMatchObject({ status: 200, body: '[]' });
  expect(await transport.send(post)).toMatchObject({ status: 200 });
  expect(seen).toEqual([
    ['GET', '/api/user.get', 'platform.example:3000', 'k', undefined],
    ['POST', '/api/compose.deploy', 'platform.example:3000', 'k', undefined],
  ]);
  expect(proxy.log).toEqual([
    'GET http://platform.example:3000/api/user.get',
    'POST http://platform.example:3000/api/compose.deploy',
  ]);
});

test('a proxy with https is reached by TLS, for both schemes', async () => {
  const { proxy, port, requests } = await behindProxy({ certificate });
  expect(proxy.url).toMatch(/^https:/);
  expect((await open().send(get)).status).toBe(200);
  const plain = createServer((_, response) => response.end('[]')).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  onTestFinished(() => void plain.close());
  const servers = { [server]: port, 'platform.example:80': (plain.address() as AddressInfo).port };
  nameProxy({ HTTP_PROXY: (await serveProxy({ certificate, servers })).url });
  expect((await open({ url: 'http://platform.example' }).send(get)).body).toBe('[]');
  expect(requests).toHaveLength(1);
});

test('NO_PROXY leads past the proxy', async () => {
  const { proxy } = await behindProxy();
  vi.stubEnv('NO_PROXY', '.example');
  await expect(open().send(get)).rejects.toThrow(/ENOTFOUND|EAI_AGAIN/);
  expect(proxy.log).toEqual([]);
});

test.each([
  ['asks for a user', { credentials: 'me:x' }, 'asks for a user and a password (407)', 1],
  ['does not allow the platform', { status: 403 }, `answered 403 instead of connecting to ${server}`, 1],
  ['does not reach the platform', { servers: {} }, `answered 502 instead of connecting to ${server}`, 4],
  ['is a web server', { status: 405 }, `answered 405 instead of connecting to ${server}`, 1],
])('a read behind a proxy that %s says so', async (_, settings, event, sent) => {
  const { proxy, requests } = await behindProxy(settings);
  const error = await failureOf(connect().invoke('user.get', {}));
  // As other errors that end with a status.
  const [words, place] = [`the proxy of HTTPS_PROXY (${proxy.url}) ${event}`, `user.get at ${platformUrl}`];
  expect(error.sentence).toBe(words.endsWith('(407)') ? `${words.slice(0, -1)} from ${place})` : `${words} (${place})`);
  expect(error.known).toBe('Nothing was changed.');
  expect(error.remedy).toContain('HTTPS_PROXY');
  expect(requests).toEqual([]);
  // What only another setting helps is not repeated: a proxy may lock the user out.
  expect(proxy.log).toHaveLength(sent);
});

test.each([
  ['asks for a user', { credentials: 'me:x' }],
  ['does not allow the platform', { status: 403 }],
  ['does not reach the platform', { servers: {} }],
])('a write behind a proxy that %s was surely not sent', async (_, settings) => {
  const { requests } = await behindProxy(settings);
  const error = await failureOf(connect().invoke('compose.deploy', { composeId: 'c' }));
  expect(error).toMatchObject({ outcome: 'not executed', known: 'It was not sent.' });
  expect(requests).toEqual([]);
});

test.each([
  ['refuses connections', undefined, 'refused the connection'],
  ['ends connections', (socket: Socket) => void socket.destroy(), 'ended the connection without an answer'],
  ['ends connections when it is asked', (socket: Socket) => socket.once('data', () => socket.destroy()), 'ended the'],
  ['speaks another language', (socket: Socket) => socket.resume().end('220 mail.example ESMTP\r\n'), 'else than HTTP'],
])('a proxy that %s is named', async (_, serve, event) => {
  let count = 0;
  const raw = createRaw((socket) => {
    count += 1;
    socket.on('error', () => {});
    serve?.(socket);
  });
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const { port } = raw.address() as AddressInfo;
  const close = () => new Promise((done) => raw.close(done));
  if (serve === undefined) await close();
  else onTestFinished(() => void close());
  nameProxy({ HTTPS_PROXY: `http://me:pass-7f3a@127.0.0.1:${port}` });
  const error = await failureOf(connect().invoke('compose.deploy', { composeId: 'c' }));
  expect(error.message).toContain(`the proxy of HTTPS_PROXY (http://127.0.0.1:${port}) `);
  expect(error.message).toContain(event);
  expect(error).toMatchObject({ outcome: 'not executed', failure: 'connection' });
  expect(error.message + error.remedy + String(error.stack)).not.toMatch(/pass-7f3a|me:/);
  expect(count).toBeLessThan(2);
});

test.each([
  ['http://', 'HTTPS_PROXY is not the address of an HTTP proxy'],
  ['socks5://me:pass-7f3a@127.0.0.1:1080', 'HTTPS_PROXY names a SOCKS proxy'],
])('with HTTPS_PROXY=%s nothing is sent, and the error says why', async (address, event) => {
  nameProxy({ HTTPS_PROXY: address });
  const error = await failureOf(connect().invoke('user.get', {}));
  expect(error).toMatchObject({ failure: 'proxy', outcome: 'not executed' });
  expect(error.message).toContain(event);
  expect(error.message + error.remedy).not.toMatch(/pass-7f3a/);
});

test('a proxy that does not answer in the time of the request is named, and the write was not sent', async () => {
  const { proxy, requests } = await behindProxy({ isSilent: true });
  const transport = createTransport({ url: platformUrl, deadlineMs: 1_200 });
  const error: unknown = await transport.send(post).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    message: `the proxy of HTTPS_PROXY (${proxy.url}) gave no connection to ${server} within 1.2 s`,
  });
  const began = performance.now();
  await transport.close();
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(requests).toEqual([]);
});

test('a platform that does not answer behind a proxy leaves the outcome of a write open', async () => {
  const { requests } = await behindProxy({ answer: () => new Promise(() => undefined) });
  const error = await failureOf(connect({ deadlineMs: 1_000 }).invoke('compose.deploy', { composeId: 'c' }));
  expect(error).toMatchObject({ failure: 'timeout', outcome: 'unknown' });
  expect(requests).toHaveLength(1);
});

test('a write that may not start any more once there is a tunnel is not sent', async () => {
  const { proxy, requests } = await behindProxy();
  const stopped = new Error('the lock is gone');
  const { send } = open({
    mayWrite: () => {
      throw stopped;
    },
  });
  await expect(send(post)).rejects.toBe(stopped);
  expect(proxy.log).toHaveLength(1);
  expect(requests).toEqual([]);
});

test('closing waits for an answer through a proxy; giving up does not', async () => {
  let answer: (answer: WireAnswer) => void = () => undefined;
  const { requests } = await behindProxy({ answer: () => new Promise((resolve) => void (answer = resolve)) });
  for (const isAbandoned of [false, true]) {
    requests.length = 0;
    const transport = createTransport({ url: platformUrl });
    const sent = transport.send(get).catch(() => 'given up');
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    const closing = transport.close(isAbandoned);
    if (isAbandoned) expect(await sent).toBe('given up');
    answer(await ok(get));
    if (!isAbandoned) expect(await sent).toMatchObject({ status: 200 });
    await closing;
  }
});

test('a proxy that fails after good answers is waited for, and the write is sent once it is back', async () => {
  const servers: Record<string, number> = {};
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const answer: Answering = () => ({ status: 200, headers, body: '{}' });
  const { port, requests } = await behindProxy({ servers, answer });
  servers[server] = port;
  const client = connect();
  await client.invoke('user.get', {});
  delete servers[server];
  setTimeout(() => void (servers[server] = port), 300);
  await client.invoke('compose.deploy', { composeId: 'c' });
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('a proxy that fails for good after good answers is named', async () => {
  const servers: Record<string, number> = {};
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const { port, proxy } = await behindProxy({ servers, answer: () => ({ status: 200, headers, body: '{}' }) });
  servers[server] = port;
  const client = connect({ pauseLimitMs: 100 });
  await client.invoke('user.get', {});
  delete servers[server];
  const error = await failureOf(client.invoke('compose.deploy', { composeId: 'c' }));
  expect(error.message).toContain('the platform can no longer be reached (PROXY_502 after 1 good answer)');
  expect(error.remedy).toContain('HTTPS_PROXY');
  expect(error).toMatchObject({ outcome: 'not executed' });
  expect(proxy.log.length).toBeGreaterThan(2);
});

test('a certificate that is not trusted is that of the platform, and not of the proxy', async () => {
  await behindProxy();
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '1');
  const error = await failureOf(connect().invoke('compose.deploy', { composeId: 'c' }));
  expect(error.message).toContain('the certificate of the server is not trusted');
  expect(error.remedy).toContain('NODE_EXTRA_CA_CERTS');
});
