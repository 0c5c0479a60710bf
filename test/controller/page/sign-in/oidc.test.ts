import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Part } from '../../../../src/controller/page/server.ts';
import {
  browserAt,
  type Browser,
  type ControllerDatabase,
  pageFor,
  startControllerDatabase,
} from '../../../support/controller-pages.ts';
import { certificateFor } from '../../../support/certificate.ts';
import { nameProxy, serveProxy, serveSecurely } from '../../../support/http-proxy.ts';
import { type Lies, type OidcProvider, oidcAt, startOidcProvider } from '../../../support/oidc-provider.ts';
import { whyNoPostgres } from '../../../support/postgres-server.ts';

const address = 'https://trueup.example.com';
const missing = whyNoPostgres();
const part: Part = (app) => {
  app.get('/me', { config: { act: 'self' } }, ({ viewer }, reply) => ({
    name: viewer.name,
    groups: viewer.groups,
    role: viewer.role({}) ?? 'none',
    token: reply.csrf(),
  }));
  app.get('/stacks/*', { config: { act: 'see' } }, () => 'stack');
};

describe.skipIf(missing !== undefined)(missing ?? 'a sign-in by OpenID Connect', () => {
  let database: ControllerDatabase;
  let provider: OidcProvider;
  const user = { sub: 'u-1', email: 'ann@example.com', email_verified: true, groups: ['sre', 'shops'] };
  beforeAll(async () => {
    database = await startControllerDatabase();
    provider = await startOidcProvider(user);
  });
  afterAll(async () => {
    provider.stop();
    await database.stop();
  });
  const start = (more = {}) =>
    pageFor(database.records, {
      signIn: { oidc: { ...oidcAt(provider).oidc, ...more } },
      roles: [{ group: 'sre', role: 'operator' }],
      parts: [part],
    });
  /** Goes to the provider and back, as far as the page lets it. */
  const signIn = async (browser: Browser, { to = '/me', ...lies }: Lies & { readonly to?: string } = {}) => {
    const asked = await browser.get(`/sign-in?to=${encodeURIComponent(to)}`);
    const back = provider.authorize(asked.headers.location ?? '', lies);
    return browser.get(`${back.pathname}${back.search}`);
  };
  const sessions = async () => (await database.rows<{ count: number }>('select count(*)::int from @session'))[0]?.count;

  test('makes a session with the groups of then, and leads back to what was asked for', async () => {
    const app = start();
    const browser = browserAt(app, address);
    const first = await browser.get('/stacks/shop%3Aa.yaml?tab=drift');
    const to = new URL(first.headers.location ?? '', address).searchParams.get('to') ?? '';
    const signed = await signIn(browser, { to });
    expect([signed.statusCode, signed.headers.location]).toEqual([302, '/stacks/shop%3Aa.yaml?tab=drift']);
    expect(String(signed.headers['set-cookie'])).toMatch(
      /__Host-trueup=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax/,
    );
    expect([...browser.cookies.keys()]).toEqual(['__Host-trueup']);
    const me = (await browser.get('/me')).json<{ token: string }>();
    expect(me).toMatchObject({ name: 'ann@example.com', groups: ['sre', 'shops'], role: 'operator' });
    expect(provider.exchanges.at(-1)?.form.get('code_verifier')).toMatch(/^[\w-]{43}$/);

    const out = await browser.post('/sign-out', { _csrf: me.token });
    expect(out.headers.location).toBe('/signed-out');
    const page = await browser.get('/signed-out');
    expect(page.body).toContain(
      `${provider.issuer}/end?post_logout_redirect_uri=https%3A%2F%2Ftrueup.example.com%2Fsigned-out`,
    );
    expect((await browser.get('/me')).statusCode).toBe(303);
    expect(app.failed).toEqual([]);
  });

  test.each([
    ['an e-mail address that the provider did not verify is no name', { email_verified: false }, {}, 'u-1'],
    ['a claim of the settings is the name', { login: 'ann' }, { user: 'login' }, 'ann'],
  ])('%s', async (_title, claims, more, name) => {
    const browser = browserAt(start(more), address);
    await signIn(browser, { claims });
    expect((await browser.get('/me')).json()).toMatchObject({ name });
  });

  test('groups come from where the provider says more of a user, when the token has none', async () => {
    provider.userinfo['groups'] = ['sre'];
    const browser = browserAt(start(), address);
    await signIn(browser, { claims: { groups: undefined } });
    expect((await browser.get('/me')).json()).toMatchObject({ groups: ['sre'], role: 'operator' });
  });

  test('a provider that does not answer is asked again by the next sign-in', async () => {
    const app = pageFor(database.records, {
      signIn: oidcAt({ ...provider, issuer: 'http://127.0.0.1:1' }),
      parts: [part],
    });
    const browser = browserAt(app, address);
    for (let at = 0; at < 2; at++) {
      const answer = await browser.get('/sign-in');
      expect(answer.statusCode).toBe(503);
      expect(answer.body).toContain('does not answer');
    }
  });

  test('a provider behind a proxy is asked through it for all that it says', async () => {
    const behind = await startOidcProvider(user, 'https://sso.example.test');
    onTestFinished(behind.stop);
    behind.userinfo['groups'] = ['sre'];
    const port = await serveSecurely(
      {
        send: async ({ method, path, headers, body }) => {
          const { authorization = '', 'content-type': type = '' } = headers;
          const sent = { method, headers: { authorization, 'content-type': type }, body: body ?? null };
          const answer = await fetch(`http://127.0.0.1:${behind.port}${path}`, sent);
          return { status: answer.status, headers: { 'content-type': 'application/json' }, body: await answer.text() };
        },
      },
      certificateFor('sso.example.test'),
    );
    const proxy = await serveProxy({ servers: { 'sso.example.test:443': port } });
    nameProxy({ HTTPS_PROXY: proxy.url });
    const app = pageFor(database.records, {
      signIn: oidcAt(behind),
      roles: [{ group: 'sre', role: 'operator' }],
      parts: [part],
    });
    const browser = browserAt(app, address);
    const asked = await browser.get('/sign-in?to=%2Fme');
    const back = behind.authorize(asked.headers.location ?? '', { claims: { groups: undefined } });
    await browser.get(`${back.pathname}${back.search}`);
    expect((await browser.get('/me')).json()).toMatchObject({ name: 'ann@example.com', role: 'operator' });
    expect(app.failed).toEqual([]);
    expect(new Set(proxy.log)).toEqual(new Set(['CONNECT sso.example.test:443']));
  });

  test('the log says which proxy does not lead to the provider', async () => {
    const proxy = await serveProxy({ credentials: 'me:x' });
    nameProxy({ HTTPS_PROXY: proxy.url });
    const signIn = oidcAt({ ...provider, issuer: 'https://sso.example.test' });
    const app = pageFor(database.records, { signIn, parts: [part] });
    expect((await browserAt(app, address).get('/sign-in')).statusCode).toBe(503);
    expect(app.failed.map(String)).toContain(
      'Error: the provider of the sign-in does not answer: the proxy of HTTPS_PROXY ' +
        `(${proxy.url}) asks for a user and a password (407)`,
    );
  });

  const past = Math.floor(Date.now() / 1000) - 3_600;
  const badName = 'The name that the sign-in gave cannot be used here';
  test.each<[string, Lies, string]>([
    ['another state', { answer: { state: 'x'.repeat(43) } }, ''],
    ['no state', { answer: { state: '' } }, ''],
    ['another nonce', { claims: { nonce: 'another' } }, 'unexpected ID Token "nonce" claim value'],
    ['no nonce', { claims: { nonce: undefined } }, 'JWT "nonce" (nonce) claim missing'],
    ['a token for another client', { claims: { aud: 'another' } }, 'unexpected JWT "aud"'],
    ['a token by way of another client', { claims: { aud: ['another', 'trueup'], azp: 'another' } }, '"azp"'],
    ['a token of another issuer', { claims: { iss: 'https://evil.example' } }, 'unexpected JWT "iss"'],
    ['an answer of another issuer', { answer: { iss: 'https://evil.example' } }, 'unexpected "iss" (issuer) response'],
    ['an expired token', { claims: { exp: past } }, 'expiration is past'],
    ['a token without an end', { claims: { exp: undefined } }, '"exp" (expiration time) claim missing'],
    ['a token of another key', { signature: 'of another key' }, 'signature verification failed'],
    ['a token without a signature', { signature: 'none' }, 'unexpected JWT "alg"'],
    ['a token that the client could have signed', { signature: 'by the client secret' }, 'unexpected JWT "alg"'],
    ['another code', { answer: { code: 'another' } }, 'invalid_grant'],
    ['a refusal by the provider', { answer: { error: 'access_denied' } }, 'access_denied'],
    ['the name of a program', { claims: { email: 'token:ci' } }, badName],
    ['a name that turns the line around', { claims: { email: 'ann\u202e@example.com' } }, badName],
    ['a name with a line end', { claims: { email: 'ann\nadmin' } }, badName],
    ['no name', { claims: { email: '', email_verified: true } }, badName],
  ])('with %s makes no session', async (_title, lies, reason) => {
    const app = start();
    const browser = browserAt(app, address);
    const before = await sessions();
    const answer = await signIn(browser, lies);
    expect(answer.statusCode).toBe(403);
    expect(answer.body).toContain(reason === '' ? 'began elsewhere' : 'did not succeed');
    expect([await sessions(), browser.cookies.size]).toEqual([before, 0]);
    const log = app.failed.map(String).join('');
    expect(log).toContain(reason);
    expect(log).not.toMatch(/access-token|eyJ/);
  });

  test('replayed with its code, its state and its cookie makes no second session', async () => {
    const app = start();
    const browser = browserAt(app, address);
    const asked = await browser.get('/sign-in');
    const back = provider.authorize(asked.headers.location ?? '');
    const stolen = new Map(browser.cookies);
    expect((await browser.get(`${back.pathname}${back.search}`)).statusCode).toBe(302);
    const thief = browserAt(app, address);
    for (const [name, value] of stolen) thief.cookies.set(name, value);
    expect((await thief.get(`${back.pathname}${back.search}`)).statusCode).toBe(403);
    expect(thief.cookies.size).toBe(0);
  });

  test('of another browser is not finished in this one', async () => {
    const app = start();
    const [evil, victim] = [browserAt(app, address), browserAt(app, address)];
    const back = provider.authorize((await evil.get('/sign-in')).headers.location ?? '');
    await victim.get('/sign-in');
    expect((await victim.get(`${back.pathname}${back.search}`)).statusCode).toBe(403);
    expect((await victim.get('/me')).statusCode).toBe(303);
  });

  test.each([
    ['an older beginning', (parts: string[]) => [parts[0], String(Date.now() - 601_000), parts[2]]],
    ['a later beginning', (parts: string[]) => [parts[0], String(Date.now() + 1_000), parts[2]]],
    [
      'another way back',
      (parts: string[]) => [parts[0], parts[1], Buffer.from('//evil.example').toString('base64url')],
    ],
    ['another secret', (parts: string[]) => ['a'.repeat(43), parts[1], parts[2]]],
  ])('whose cookie has %s makes no session', async (_title, change) => {
    const browser = browserAt(start(), address);
    const back = provider.authorize((await browser.get('/sign-in')).headers.location ?? '');
    const name = '__Host-trueup-sign-in';
    browser.cookies.set(name, change((browser.cookies.get(name) ?? '').split('.')).join('.'));
    expect((await browser.get(`${back.pathname}${back.search}`)).statusCode).toBe(403);
    expect(browser.cookies.size).toBe(0);
  });

  test('gives a browser another session than the one that somebody planted in it', async () => {
    const app = start();
    const evil = browserAt(app, address);
    await signIn(evil);
    const planted = evil.cookies.get('__Host-trueup') ?? '';
    const victim = browserAt(app, address);
    victim.cookies.set('__Host-trueup', planted);
    await signIn(victim, { claims: { email: 'bob@example.com' } });
    expect(victim.cookies.get('__Host-trueup')).not.toBe(planted);
    expect((await victim.get('/me')).json()).toMatchObject({ name: 'bob@example.com' });
    // The planted one is over.
    expect((await evil.get('/me')).statusCode).toBe(303);
  });

  test('does not take over an id that nobody was given', async () => {
    const app = start();
    const victim = browserAt(app, address);
    victim.cookies.set('__Host-trueup', 'A'.repeat(43));
    expect((await victim.get('/me')).statusCode).toBe(303);
    await signIn(victim);
    expect(victim.cookies.get('__Host-trueup')).not.toBe('A'.repeat(43));
  });

  test('of an address is refused when there are more than 30 in a minute', async () => {
    const app = start();
    const browser = browserAt(app, address);
    const codes: number[] = [];
    for (let at = 0; at < 31; at++) codes.push((await browser.get('/sign-in')).statusCode);
    expect(codes).toEqual([...Array.from({ length: 30 }, () => 302), 429]);
    // A header is no other address.
    expect((await browser.get('/sign-in', { 'x-forwarded-for': '192.0.2.1' })).statusCode).toBe(429);
    const other = await app.inject({ url: '/sign-in', remoteAddress: '192.0.2.9' });
    expect(other.statusCode).toBe(302);
  });
});
