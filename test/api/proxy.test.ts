import { expect, test } from 'vitest';
import { proxyFor, whyDirect } from '../../src/api/proxy.ts';
import { explainProxy, ProxyError, proxyErrorIn } from '../../src/api/proxy-error.ts';

/** Which proxy the environment names for an address, and what its errors say. No text has a password. */

const proxy = 'http://proxy.example:3128';
const chosen = (url: string, env: Record<string, string>) => {
  const found = proxyFor(new URL(url), env);
  return found && `${found.variable} ${found.origin}`;
};

test.each([
  ['https://a.example', { HTTPS_PROXY: proxy }, `HTTPS_PROXY ${proxy}`],
  ['https://a.example', { https_proxy: proxy, HTTPS_PROXY: 'http://other.example' }, `https_proxy ${proxy}`],
  // A pipeline passes a variable that is not set as an empty one.
  ['https://a.example', { https_proxy: '', HTTPS_PROXY: proxy }, `HTTPS_PROXY ${proxy}`],
  ['https://a.example', { HTTPS_PROXY: '' }, undefined],
  ['https://a.example', { HTTP_PROXY: proxy }, undefined],
  ['https://a.example', { ALL_PROXY: proxy }, undefined],
  ['http://a.example', { HTTP_PROXY: proxy }, `HTTP_PROXY ${proxy}`],
  ['http://a.example', { http_proxy: proxy }, `http_proxy ${proxy}`],
  ['http://a.example', { HTTPS_PROXY: proxy }, undefined],
  ['https://a.example', { HTTPS_PROXY: 'proxy.example:3128' }, `HTTPS_PROXY ${proxy}`],
  ['https://a.example', { HTTPS_PROXY: ' http://proxy.example:3128/ ' }, `HTTPS_PROXY ${proxy}`],
  ['https://a.example', { HTTPS_PROXY: 'http://proxy.example' }, 'HTTPS_PROXY http://proxy.example'],
  ['https://a.example', { HTTPS_PROXY: 'https://proxy.example' }, 'HTTPS_PROXY https://proxy.example'],
])('the proxy for %s with %j is %s', (url, env, expected) => {
  expect(chosen(url, env)).toBe(expected);
});

test.each(['http://localhost:3000', 'https://localhost', 'http://127.0.0.1:1', 'http://127.9.9.9', 'http://[::1]:80'])(
  '%s is this machine, and reached without a proxy',
  (url) => {
    expect(chosen(url, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy })).toBe(undefined);
  },
);

test.each([
  ['*', true],
  ['other.example, *', true],
  ['a.example', true],
  ['other.example,a.example', true],
  ['other.example a.example', true],
  ['A.Example', true],
  ['example', true],
  ['.example', true],
  ['*.example', true],
  ['.a.example', true],
  ['a.example:443', true],
  ['a.example:8443', false],
  ['other.example', false],
  ['le', false],
  ['b.a.example', false],
  ['', false],
  [' , ', false],
])('NO_PROXY=%s has a.example: %s', (list, isExcluded) => {
  expect(chosen('https://a.example', { HTTPS_PROXY: proxy, NO_PROXY: list }) === undefined).toBe(isExcluded);
});

test.each([
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://10.1.2.3:8443', '10.1.2.3:8443', true],
  ['https://10.1.2.3', '0.0.0.0/0', true],
  ['https://10.1.2.3', '10.0.0.0/40', false],
  ['https://10.1.2.3', '10.0.0.0/x', false],
  ['https://10.1.2.3', 'fd00::/8', false],
  ['https://a.example', '10.0.0.0/8', false],
  ['https://[fd00::1]', 'fd00::/8', true],
  ['https://[fd00::1]', 'fd00::1', true],
  ['https://[fd00::1]', '[fd00::1]', true],
  ['https://[fd00::1]:8443', '[fd00::1]:8443', true],
  ['https://[fd00::1]', '[fd00::1]:8443', false],
  ['https://[fd00::1]', 'fd00::2', false],
])('%s with NO_PROXY=%s goes past the proxy: %s', (url, list, isExcluded) => {
  expect(chosen(url, { HTTPS_PROXY: proxy, NO_PROXY: list }) === undefined).toBe(isExcluded);
});

test('no_proxy counts before NO_PROXY', () => {
  const env = { HTTPS_PROXY: proxy, no_proxy: 'b.example', NO_PROXY: 'a.example' };
  expect(chosen('https://a.example', env)).toBe(`HTTPS_PROXY ${proxy}`);
  expect(chosen('https://b.example', env)).toBe(undefined);
});

test.each([
  ['http://me:pass-7f3a91@p.example', 'me:pass-7f3a91'],
  ['http://me:p%40ss%2F%25@p.example', 'me:p@ss/%'],
  ['http://me@p.example', 'me:'],
  ['me:pass-7f3a91@p.example:3128', 'me:pass-7f3a91'],
])('%s signs in as %s', (address, credentials) => {
  const { origin, authorization } = proxyFor(new URL('https://a.example'), { HTTPS_PROXY: address }) ?? {};
  expect(authorization).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`);
  expect(origin).toMatch(/^http:\/\/p\.example(:3128)?$/);
});

/** The error of an address of a proxy. */
function refusalOf(address: string): ProxyError {
  try {
    proxyFor(new URL('https://a.example'), { HTTPS_PROXY: address });
  } catch (error) {
    if (error instanceof ProxyError) return error;
  }
  throw new Error(`${address} was taken`);
}

test.each([
  ['http://', 'is not the address of an HTTP proxy'],
  ['http://me:12/pass-7f3a91@p.example', 'is not the address of an HTTP proxy'],
  ['http://me:pass-7f3a91%@p.example', 'is not the address of an HTTP proxy'],
  ['http://me:pass-7f3a91@p.example:eighty', 'is not the address of an HTTP proxy'],
  ['http://p.example/proxy.pac', 'is not the address of an HTTP proxy'],
  ['ftp://p.example', 'is not the address of an HTTP proxy'],
  ['socks5://me:pass-7f3a91@p.example:1080', 'names a SOCKS proxy'],
  ['socks5h://p.example:1080', 'names a SOCKS proxy'],
])('%s is refused without a word of it: it %s', (address, why) => {
  const { message, remedy, mayPass } = refusalOf(address);
  expect(message).toBe(`HTTPS_PROXY ${why}`);
  expect(remedy).toContain('HTTPS_PROXY=http://HOST:PORT');
  expect(mayPass).toBe(false);
  expect(message + remedy).not.toMatch(/7f3a91|p\.example/);
});

const named = { variable: 'HTTPS_PROXY', origin: proxy, authorization: undefined };
const signedIn = { ...named, authorization: 'Basic bWU6cGFzcy03ZjNhOTE=' };
const where = `the proxy of HTTPS_PROXY (${proxy})`;

test.each([
  [named, { code: 'ECONNREFUSED' }, 'refused the connection', 'PROXY_ECONNREFUSED', true],
  [named, { code: 'ENOTFOUND' }, 'has a host name that could not be resolved', 'PROXY_ENOTFOUND', true],
  [named, { code: 'UND_ERR_CONNECT_TIMEOUT' }, 'could not be reached', 'PROXY_UND_ERR_CONNECT_TIMEOUT', true],
  [named, { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'has a certificate that is not trusted', undefined, true],
  [named, { code: 'HPE_INVALID_CONSTANT' }, 'answered something else than HTTP', undefined, true],
  [named, { code: 'UND_ERR_SOCKET' }, 'ended the connection without an answer', undefined, true],
  [named, { withinMs: 30_000 }, 'gave no connection to a.example:443 within 30 s', 'PROXY_TIMEOUT', true],
  [named, { status: 502 }, 'answered 502 instead of connecting to a.example:443', 'PROXY_502', true],
  [named, { status: 403 }, 'answered 403 instead of connecting to a.example:443', 'PROXY_403', false],
  [named, { status: 407 }, 'asks for a user and a password (407)', 'PROXY_407', false],
  [named, { status: 407, offers: 'Basic realm="x"' }, 'asks for a user and a password (407)', 'PROXY_407', false],
  [signedIn, { status: 407 }, 'does not accept the user and the password of HTTPS_PROXY (407)', 'PROXY_407', false],
  [
    signedIn,
    { status: 407, offers: ['Negotiate', 'NTLM'] },
    'lets users sign in by Negotiate, NTLM only (407)',
    'PROXY_407',
    false,
  ],
  [
    named,
    { status: 407, offers: 'Digest realm="Basic", nonce="abc", NTLM' },
    'lets users sign in by Digest, NTLM only (407)',
    'PROXY_407',
    false,
  ],
])('of %j, %j is explained: it %s', (of, failure, event, code, mayPass) => {
  const error = explainProxy(of, 'a.example:443', failure);
  expect(error.message).toBe(`${where} ${event}`);
  if (code !== undefined) expect(error.code).toBe(code);
  expect(error.mayPass).toBe(mayPass);
  expect(error.remedy).toMatch(/^[A-Z].*\.$/);
});

test('an error of a proxy is found behind others', () => {
  const error = explainProxy(named, 'a.example:443', { status: 407 });
  expect(proxyErrorIn(new TypeError('fetch failed', { cause: error }))).toBe(error);
  expect(proxyErrorIn(new Error('other'))).toBe(undefined);
  expect(proxyErrorIn('other')).toBe(undefined);
});

test.each([
  ['https://a.example', { ALL_PROXY: proxy }, 'Trueup does not use the proxy of ALL_PROXY here: set HTTPS_PROXY.'],
  ['https://a.example', { http_proxy: proxy }, 'Trueup does not use the proxy of http_proxy here: set HTTPS_PROXY.'],
  ['http://a.example', { HTTPS_PROXY: proxy }, 'Trueup does not use the proxy of HTTPS_PROXY here: set HTTP_PROXY.'],
  [
    'https://a.example',
    { HTTPS_PROXY: proxy, NO_PROXY: 'a.example' },
    'Because of NO_PROXY, Trueup does not use the proxy of HTTPS_PROXY here.',
  ],
  ['https://a.example', { HTTPS_PROXY: proxy }, undefined],
  ['https://a.example', { ALL_PROXY: '' }, undefined],
  ['http://localhost', { ALL_PROXY: proxy }, undefined],
])('%s with %j: %s', (url, env, sentence) => {
  expect(whyDirect(new URL(url), env)).toBe(sentence);
});
