import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, LookupFunction, Server } from 'node:net';
import { createServer as createNet } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createAsk } from '../../src/api/ask-address.ts';
import { certificateFor } from '../support/certificate.ts';
import { nameProxy, serveProxy } from '../support/http-proxy.ts';

/** Servers of this machine answer for the names that are asked; certificates are made by openssl. */

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) (server as ReturnType<typeof createHttp>).closeAllConnections();
    server.close();
  }
});

const lookup: LookupFunction = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);

/** Starts a server; gives its port. */
async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

const host = 'shop.example.com';
const [good, expired] = [certificateFor(host), certificateFor(host, '200201')];

async function asking(
  url: string,
  server: Server | undefined,
  { ca, deadlineMs = 5_000 }: { ca?: string; deadlineMs?: number } = {},
) {
  const port = server === undefined ? 1 : await listening(server);
  return createAsk({ lookup, portOf: () => port, ...(ca === undefined ? {} : { ca }) })(new URL(url), { deadlineMs });
}

const hello: RequestListener = (_request, response) => response.end('hello');
const site = 'https://shop.example.com/health';

test('an answer has its status, where it leads, and the beginning of its body', async () => {
  let got: IncomingMessage | undefined;
  const server = createHttps(good, (request, response) => {
    got = request;
    response.writeHead(302, { location: '/in', 'set-cookie': 'a=b' }).end('hello');
  });
  const answer = await asking(`${site}?full=1`, server, { ca: good.cert });
  expect(answer).toEqual({ is: 'answer', status: 302, location: '/in', body: 'hello', lacks: undefined });
  // Nothing goes along that says who asks.
  expect(got?.url).toBe('/health?full=1');
  const { host, connection, ...others } = got?.headers ?? {};
  expect([host, connection]).toEqual(['shop.example.com', 'close']);
  expect(others).toEqual({ 'user-agent': 'trueup', accept: '*/*', 'accept-encoding': 'identity' });
});

const silent = [
  ['no certificate that is trusted', site, () => createHttps(good, hello), {}, 'certificate', 'is self-signed'],
  [
    'a certificate of another host',
    'https://api.example.com/',
    () => createHttps(good, hello),
    { ca: good.cert },
    'certificate',
    'its certificate is for shop.example.com, not for api.example.com',
  ],
  [
    'a certificate that has expired',
    site,
    () => createHttps(expired, hello),
    { ca: expired.cert },
    'certificate',
    'its certificate has expired',
  ],
  ['nothing that listens', site, () => undefined, {}, 'no answer', 'the server refused the connection'],
  ['no TLS', site, () => createHttp(hello), {}, 'no answer', 'the server answers without TLS'],
  [
    'no answer in time',
    'http://shop.example.com/',
    () => createHttp(() => undefined),
    { deadlineMs: 200 },
    'no answer',
    'no whole answer came within 0.2 s',
  ],
  [
    'no answer in what is left of a time',
    'http://shop.example.com/',
    () => createHttp(() => undefined),
    { deadlineMs: 199.4 },
    'no answer',
    'no whole answer came within 0.2 s',
  ],
  [
    'half an answer in time',
    'http://shop.example.com/',
    () => createHttp((_request, response) => void response.write('half')),
    { deadlineMs: 200 },
    'no answer',
    'no whole answer came within 0.2 s',
  ],
  [
    'a connection that breaks off',
    'http://shop.example.com/',
    () => createNet((socket) => void socket.destroy()),
    {},
    'no answer',
    'the connection broke off before the whole answer arrived',
  ],
] as const;

test.each(silent)('an address with %s is told apart', async (_name, url, server, limits, is, why) => {
  const asked = await asking(url, server(), limits);
  expect(asked).toMatchObject({ is, why: expect.stringContaining(why) });
});

test('a name that does not resolve is told apart', async () => {
  const ask = createAsk({
    lookup: (host, _options, done) =>
      done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), ''),
  });
  expect(await ask(new URL(site), { deadlineMs: 1_000 })).toEqual({
    is: 'no name',
    why: 'the name shop.example.com does not resolve on this machine',
  });
});

test('no more of an answer is read than its beginning, and nothing of a compressed one', async () => {
  let sent = 0;
  const endless = createHttp((_request, response) => {
    const more = (): void => {
      sent += 65_536;
      if (!response.destroyed && sent < 64 * 1024 ** 2) response.write('x'.repeat(65_536), () => setImmediate(more));
    };
    more();
  });
  const long = await asking('http://shop.example.com/', endless);
  expect(long).toMatchObject({ is: 'answer', status: 200, lacks: 'only the first 1 MiB are read' });
  expect('body' in long && long.body.length).toBe(1024 ** 2);
  expect(sent).toBeLessThan(32 * 1024 ** 2);
  for (const encoding of ['Identity', '']) {
    const plain = createHttp((_request, response) => response.setHeader('content-encoding', encoding).end('x'));
    expect(await asking('http://shop.example.com/', plain)).toMatchObject({ body: 'x', lacks: undefined });
  }
  const packed = createHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end('x'));
  expect(await asking('http://shop.example.com/', packed)).toMatchObject({
    lacks: expect.stringMatching(/compressed/),
  });
});

test('an address is asked for as long as a timer can wait, where no deadline is meant', async () => {
  const answer = await asking('http://shop.example.com/', createHttp(hello), { deadlineMs: Infinity });
  expect(answer).toMatchObject({ is: 'answer', body: 'hello' });
});

describe('through a proxy', () => {
  test('an address answers as without one, and nothing says who asks', async () => {
    let got: IncomingMessage | undefined;
    const server = createHttps(good, (request, response) => {
      got = request;
      response.writeHead(302, { location: '/in', 'set-cookie': 'a=b' }).end('hello');
    });
    const proxy = await serveProxy({ servers: { 'shop.example.com:443': await listening(server) } });
    nameProxy({ HTTPS_PROXY: proxy.url });
    const answer = await createAsk({ ca: good.cert })(new URL(`${site}?full=1`), { deadlineMs: 5_000 });
    expect(answer).toEqual({ is: 'answer', status: 302, location: '/in', body: 'hello', lacks: undefined });
    expect(got?.url).toBe('/health?full=1');
    expect(got?.headers).toMatchObject({ host, 'user-agent': 'trueup', 'accept-encoding': 'identity' });
    expect(Object.keys(got?.headers ?? {}).filter((name) => /cookie|auth|key/.test(name))).toEqual([]);
  });

  test('an address of http answers, too', async () => {
    const port = await listening(createHttp(hello));
    const proxy = await serveProxy({ servers: { 'shop.example.com:80': port } });
    nameProxy({ HTTP_PROXY: proxy.url });
    const answer = await createAsk()(new URL('http://shop.example.com/health'), { deadlineMs: 5_000 });
    expect(answer).toMatchObject({ is: 'answer', status: 200, body: 'hello' });
    expect(proxy.log).toEqual(['GET http://shop.example.com/health']);
  });

  test.each([
    ['no certificate that is trusted', {}, 'certificate', 'its certificate is self-signed'],
    ['a certificate that has expired', { ca: expired.cert }, 'certificate', 'its certificate has expired'],
  ])('an address with %s is told apart, whatever the environment says', async (_, options, is, why) => {
    const port = await listening(createHttps('ca' in options ? expired : good, hello));
    const proxy = await serveProxy({ servers: { 'shop.example.com:443': port } });
    nameProxy({ HTTPS_PROXY: proxy.url, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    const asked = await createAsk(options)(new URL(site), { deadlineMs: 5_000 });
    expect(asked).toMatchObject({ is, why: expect.stringContaining(why) });
  });

  test('a proxy that does not reach the address, or does not answer, is told apart', async () => {
    const proxy = await serveProxy();
    nameProxy({ HTTPS_PROXY: proxy.url });
    expect(await createAsk()(new URL(site), { deadlineMs: 5_000 })).toEqual({
      is: 'proxy',
      why: `the proxy of HTTPS_PROXY (${proxy.url}) answered 502 instead of connecting to shop.example.com:443`,
    });
    nameProxy({ HTTPS_PROXY: (await serveProxy({ isSilent: true })).url });
    expect(await createAsk()(new URL(site), { deadlineMs: 300 })).toEqual({
      is: 'no answer',
      why: 'no whole answer came within 0.3 s',
    });
  });
});
