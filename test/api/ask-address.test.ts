import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, LookupFunction, Server } from 'node:net';
import { createServer as createNet } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createAsk } from '../../src/api/ask-address.ts';

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

/** A key with a certificate that it signed itself, for shop.example.com. `day`: its last one, `YYMMDD`. */
function certificateUntil(day: string) {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-test-'));
  const at = (name: string) => join(folder, name);
  writeFileSync(at('index'), '');
  writeFileSync(at('serial'), '01');
  const names = 'subjectAltName = DNS:shop.example.com';
  const signing = `database = ${at('index')}\nserial = ${at('serial')}\nnew_certs_dir = ${folder}\ndefault_md = sha256\npolicy = any`;
  writeFileSync(
    at('conf'),
    `[ca]\ndefault_ca = own\n[own]\n${signing}\n[any]\ncommonName = supplied\n[san]\n${names}\n`,
  );
  const openssl = (command: string) => execFileSync('openssl', command.split(' '), { stdio: 'ignore', cwd: folder });
  openssl('req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out csr -subj /CN=test');
  const valid = `-startdate 200101000000Z -enddate ${day}000000Z`;
  openssl(`ca -batch -selfsign -notext -config conf -extensions san -keyfile key -in csr -out cert ${valid}`);
  return { key: readFileSync(at('key'), 'utf8'), cert: readFileSync(at('cert'), 'utf8') };
}

const [good, expired] = [certificateUntil('491231'), certificateUntil('200201')];

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
  process.env['HTTPS_PROXY'] = 'http://127.0.0.1:1';
  const answer = await asking(`${site}?full=1`, server, { ca: good.cert });
  delete process.env['HTTPS_PROXY'];
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
  const packed = createHttp((_request, response) => response.setHeader('content-encoding', 'gzip').end('x'));
  expect(await asking('http://shop.example.com/', packed)).toMatchObject({
    lacks: expect.stringMatching(/compressed/),
  });
});

test('an address is asked for as long as a timer can wait, where no deadline is meant', async () => {
  const answer = await asking('http://shop.example.com/', createHttp(hello), { deadlineMs: Infinity });
  expect(answer).toMatchObject({ is: 'answer', body: 'hello' });
});
