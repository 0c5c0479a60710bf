import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Part } from '../../../src/controller/page/server.ts';
import { recordsIn } from '../../../src/controller/records/all.ts';
import { browserAt, pageFor } from '../../support/controller-pages.ts';

/** Requests that no browser sends, byte by byte over sockets, and what answers say of them. No sign-in gets so far as a database. */

const address = 'https://trueup.example.com';
const records = recordsIn(new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' }), 'trueup_controller');
const token = 'a-token-of-a-program-for-this-test';
const signed = { authorization: `Bearer ${token}` };
let hits: string[] = [];
const part: Part = (app) => {
  app.get('/', { config: { act: 'public' } }, () => 'home');
  app.get('/stacks/:id', { config: { act: 'public' } }, ({ params }) => params);
  app.get('/see', { config: { act: 'see' } }, () => 'seen');
  app.post('/act', { config: { act: 'operate' } }, ({ body }) => {
    hits.push(JSON.stringify(body));
    return { isPolluted: 'polluted' in {} };
  });
  app.get('/secret', { config: { act: 'public' } }, () => {
    hits.push('smuggled');
    return 'smuggled';
  });
};
const signIn = {
  oidc: { issuer: 'https://id.example.com', clientId: 'a', clientSecret: 'b', scopes: ['openid'], groups: 'groups' },
};
const app = pageFor(records, {
  tokens: [{ name: 'ci', token, role: 'operator' }],
  signIn,
  parts: [part],
});
let port: number;
beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
beforeEach(() => {
  hits = [];
});
afterAll(() => app.close());

/** What the server answers to bytes, until it closes the connection; it closes when the last request says so. */
async function send(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => void (answer += chunk));
  socket.on('error', () => undefined);
  socket.write(Buffer.from(text, 'latin1'));
  await once(socket, 'close');
  return answer;
}
const statuses = (answer: string): readonly number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe('a request hidden in another one', () => {
  const inner = 'GET /secret HTTP/1.1\r\nHost: a\r\n\r\n';
  const post = (headers: string, body: string) =>
    `POST /act HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
  test.each([
    ['a length and chunks', post(`Content-Length: 6\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner}`)],
    ['chunks and a length', post(`Transfer-Encoding: chunked\r\nContent-Length: 6`, `0\r\n\r\n${inner}`)],
    ['two lengths', post(`Content-Length: 2\r\nContent-Length: ${inner.length + 2}`, `{}${inner}`)],
    ['two lengths in one', post(`Content-Length: 2, ${inner.length + 2}`, `{}${inner}`)],
    ['a length with a sign', post('Content-Length: +2', `{}${inner}`)],
    ['a length in hex', post('Content-Length: 0x2', `{}${inner}`)],
    ['chunks twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', `0\r\n\r\n${inner}`)],
    ['chunks by another word', post('Transfer-Encoding: xchunked', `0\r\n\r\n${inner}`)],
    ['chunks that are not last', post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${inner}`)],
    ['a blank before the colon', post('Transfer-Encoding : chunked', `0\r\n\r\n${inner}`)],
    ['a header over two lines', post('Transfer-Encoding:\r\n chunked\r\nContent-Length: 6', `0\r\n\r\n${inner}`)],
    ['a size of a chunk with a sign', post('Transfer-Encoding: chunked', `-1\r\n\r\n${inner}`)],
    ['a line end within a header', post(`X: a\rContent-Length: 2`, `{}${inner}`)],
    ['a NUL in a header', post(`X: a\0b\r\nContent-Length: 2`, `{}${inner}`)],
    ['a version that nobody speaks', 'GET /secret HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['no host', 'GET /secret HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET /secret HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    ['two tokens', post(`Authorization: Bearer x\r\nConnection: close\r\nContent-Length: 2`, '{}')],
  ])('by %s is refused, and the connection ends', async (_title, text) => {
    const answer = await send(text);
    expect(statuses(answer)).toEqual([400]);
    expect(hits).toEqual([]);
  });

  test('which follows one that is whole is a request of its own', async () => {
    const answer = await send(
      post('Content-Length: 2', `{}${inner.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`),
    );
    expect(statuses(answer)).toEqual([200, 200]);
    expect(hits).toEqual(['{}', 'smuggled']);
  });
});

describe('what is too large is refused:', () => {
  test.each([
    ['a header', `X: ${'a'.repeat(20_000)}`, 431],
    ['a cookie', `Cookie: __Host-trueup=${'a'.repeat(20_000)}`, 431],
    ['many cookies', Array.from({ length: 3_000 }, (_, at) => `Cookie: a${at}=b`).join('\r\n'), 431],
  ])('%s', async (_title, header, status) => {
    const answer = await send(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n\r\n`);
    expect(statuses(answer)).toEqual([status]);
  });
  test('an address', async () => {
    expect(statuses(await send(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`))).toEqual([431]);
    expect((await app.inject(`/stacks/${'a'.repeat(1_001)}`)).statusCode).toBe(414);
  });
  test.each([
    ['a form', 'application/x-www-form-urlencoded', `a=${'b'.repeat(65_536)}`],
    ['JSON', 'application/json', JSON.stringify({ a: 'b'.repeat(65_536) })],
    ['a form of many fields', 'application/x-www-form-urlencoded', 'a=b&'.repeat(20_000)],
  ])('%s', async (_title, type, payload) => {
    const headers = { ...signed, 'content-type': type };
    expect((await app.inject({ method: 'POST', url: '/act', headers, payload })).statusCode).toBe(413);
    expect(hits).toEqual([]);
  });
  test('a body that grows beyond what it said, in chunks', async () => {
    const head = `POST /act HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
    expect(statuses(await send(`${head}${chunk}${chunk}0\r\n\r\n`))).toEqual([413]);
    expect(hits).toEqual([]);
  });
  test('a request that never ends has 30 seconds', () => {
    expect([app.server.requestTimeout, app.server.headersTimeout <= 60_000]).toEqual([30_000, true]);
  });
});

test.each([
  ['JSON with __proto__', 'application/json', '{"__proto__":{"polluted":1}}', 400],
  ['JSON with __proto__ below', 'application/json', '{"a":[{"__proto__":{"polluted":1}}]}', 400],
  ['JSON with a constructor', 'application/json', '{"constructor":{"prototype":{"polluted":1}}}', 400],
  ['JSON with __proto__ in other letters', 'application/json', '{"\\u005f_proto__":{"polluted":1}}', 400],
  ['a form with __proto__', 'application/x-www-form-urlencoded', '__proto__=x&__proto__[polluted]=1', 200],
  ['a form with a constructor', 'application/x-www-form-urlencoded', 'constructor[prototype][polluted]=1', 200],
])('%s changes no other object', async (_title, type, payload, status) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/act',
    payload,
    headers: { ...signed, 'content-type': type },
  });
  expect(answer.statusCode).toBe(status);
  expect('polluted' in {}).toBe(false);
  expect(answer.body).not.toContain('true');
});

test.each([
  ['text', 'text/plain', 'a'],
  ['XML', 'application/xml', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ['JSON in another charset', 'application/json+x', '{}'],
])('%s is no body of this page', async (_title, type, payload) => {
  const headers = { ...signed, 'content-type': type };
  expect((await app.inject({ method: 'POST', url: '/act', headers, payload })).statusCode).toBe(415);
});

test.each(['TRACE', 'CONNECT', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])(
  'the method %s does nothing, and no other site is allowed anything',
  async (method) => {
    const origin = 'Origin: https://evil.example\r\nAccess-Control-Request-Method: POST';
    const answer = await send(`${method} /act HTTP/1.1\r\nHost: a\r\n${origin}\r\nConnection: close\r\n\r\n`);
    // Node closes the connection of a CONNECT.
    expect(statuses(answer).filter((status) => status < 400)).toEqual([]);
    expect(answer).not.toMatch(/access-control-allow|Authorization/i);
    expect(hits).toEqual([]);
  },
);

describe('the header Host', () => {
  test.each([
    ['of another host', { host: 'evil.example' }],
    ['with an address in it', { host: 'trueup.example.com@evil.example' }],
    ['beside one of a proxy', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }],
    ['with script', { host: '"><script>alert(1)</script>' }],
  ])('%s is in no answer', async (_title, headers) => {
    for (const url of ['/see', '/nowhere', '/sign-in/callback']) {
      const answer = await app.inject({ url, headers: { accept: 'text/html', ...headers } });
      expect(answer.statusCode).toBeGreaterThanOrEqual(300);
      expect(`${JSON.stringify(answer.headers)}${answer.body}`).not.toMatch(/evil|alert/);
    }
  });
  test('in the address of a request is in no answer', async () => {
    const head = 'Host: a\r\nAccept: text/html\r\nConnection: close';
    const answer = await send(`GET https://evil.example/see HTTP/1.1\r\n${head}\r\n\r\n`);
    expect(answer).not.toMatch(/location: (?:https:|\/\/)/i);
  });
});

describe('script', () => {
  const script = '<script>alert(1)</script>';
  test.each([
    ['in an address', `/${script}`, {}],
    ['in an address, in percents', `/${encodeURIComponent(script)}`, {}],
    ['in a query', `/see?x=${encodeURIComponent(`"'>${script}`)}`, {}],
    ['in a header', '/nowhere', { 'x-a': script, referer: script, 'user-agent': script }],
    ['in what a provider says', `/sign-in/callback?error=${encodeURIComponent(script)}&state=x`, {}],
    ['in a way back', `/sign-in/callback?code=${encodeURIComponent(script)}&state=x`, {}],
  ])('%s is in no page', async (_title, url, headers) => {
    const answer = await app.inject({ url, headers: { accept: 'text/html', ...headers } });
    expect(answer.statusCode).toBeGreaterThanOrEqual(300);
    expect(answer.body).not.toContain('<script');
    expect(answer.headers['content-security-policy']).toContain("script-src 'self'");
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });
  test('in a name is text, since JSON is no page', async () => {
    const answer = await app.inject({ url: `/stacks/${encodeURIComponent(script)}`, headers: { accept: 'text/html' } });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });
});

test('a line end in the way back adds no header', async () => {
  const answer = await app.inject({ url: '/see?%0d%0aset-cookie:%20a=b', headers: { accept: 'text/html' } });
  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([303, undefined]);
  expect(answer.headers.location).toBe('/sign-in?to=%2Fsee%3F%250d%250aset-cookie%3A%2520a%3Db');
});

test.each(['/', '/see', '/nowhere', '/sign-in/callback', '/signed-out', '/sign-out'])(
  'no cache keeps %s, nor does a frame show it',
  async (url) => {
    for (const accept of ['text/html', 'application/json']) {
      const { headers } = await app.inject({ url, headers: { accept } });
      expect(headers['cache-control']).toBe('no-store');
      expect([headers['x-frame-options'], headers['referrer-policy']]).toEqual(['DENY', 'same-origin']);
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }
  },
);

test('an address has 1,200 requests in a minute, whatever they ask for', async () => {
  const own = pageFor(records, { parts: [part] });
  const from = (remoteAddress: string, headers = {}) => own.inject({ url: '/nowhere', remoteAddress, headers });
  for (let at = 0; at < 1_200; at++) await from('192.0.2.1');
  const answer = await from('192.0.2.1', { 'x-forwarded-for': '192.0.2.77' });
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '60']);
  expect((await from('192.0.2.2')).statusCode).toBe(404);
});

test.each([
  ['through a proxy of the settings names who is counted', '10.1.2.3', 403],
  ['from elsewhere counts nothing', '192.0.2.9', 429],
])('X-Forwarded-For %s', async (_, remoteAddress, status) => {
  const own = pageFor(records, { parts: [part], proxies: ['10.0.0.0/8'], signIn });
  const from = (client: string) =>
    own.inject({ url: '/sign-in/callback', remoteAddress, headers: { 'x-forwarded-for': client } });
  for (let at = 0; at < 30; at++) await from('198.51.100.1');
  expect((await from('198.51.100.2')).statusCode).toBe(status);
  // What the client itself wrote before the entry of the proxy counts nothing.
  expect((await from('203.0.113.5, 198.51.100.1')).statusCode).toBe(429);
});

test('a failure of the database is no detail of an answer', async () => {
  const browser = browserAt(app, address);
  browser.cookies.set('__Host-trueup', 'A'.repeat(43));
  const answer = await browser.get('/see');
  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres|at /);
  expect(app.failed.map(String).join('')).toContain('ECONNREFUSED');
});
