import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notFound } from '../../../src/controller/page/refusal.ts';
import type { Part } from '../../../src/controller/page/server.ts';
import type { Act, Labels, Role } from '../../../src/controller/page/viewer.ts';
import {
  browserAt,
  type ControllerDatabase,
  pageFor,
  startControllerDatabase,
} from '../../support/controller-pages.ts';
import { whyNoPostgres } from '../../support/postgres-server.ts';

/** What somebody tries who has a browser, a session or a token that allows less than what they want. */

const address = 'https://trueup.example.com';
const missing = whyNoPostgres();
const acts: readonly Act[] = ['see', 'propose', 'operate', 'approve', 'administer'];
const roles: readonly Role[] = ['viewer', 'agent', 'operator', 'approver', 'admin'];
const stacks: Readonly<Record<string, Labels>> = { a: { customer: 'acme' }, b: { customer: 'other' } };
const tokenOf = (role: string) => `a-token-for-the-role-${role}-of-the-page`;
const signIn = {
  oidc: { issuer: 'https://id.example.com', clientId: 'a', clientSecret: 'b', scopes: ['openid'], groups: 'groups' },
};

describe.skipIf(missing !== undefined)(missing ?? 'the page refuses', () => {
  let database: ControllerDatabase;
  let changes = 0;
  const part: Part = (app) => {
    app.get('/', { config: { act: 'see' } }, (_request, reply) => ({ token: reply.csrf() }));
    app.get('/stacks/:id', { config: { act: 'see' } }, ({ viewer, params }) => {
      const labels = stacks[(params as { readonly id: string }).id];
      if (labels === undefined || !viewer.may('see', labels)) throw notFound();
      return labels;
    });
    for (const act of acts)
      app.post(`/acts/${act}`, { config: { act } }, () => {
        changes++;
        return 'done';
      });
  };
  let app: ReturnType<typeof pageFor>;
  beforeAll(async () => {
    database = await startControllerDatabase();
    app = pageFor(database.records, {
      signIn,
      roles: [{ group: 'sre', role: 'operator' }],
      tokens: [
        ...roles.map((role) => ({ name: role, token: tokenOf(role), role })),
        { name: 'acme', token: tokenOf('acme'), role: 'viewer', labels: { customer: 'acme' } },
      ],
      parts: [part],
    });
  });
  afterAll(() => database.stop());

  const digestOf = (id: string) => createHash('sha256').update(id).digest('hex');
  const signedIn = async (name: string, by: 'oidc' | 'proxy' | 'link' = 'oidc') => {
    const id = randomBytes(32).toString('base64url');
    await database.records.beginSession(digestOf(id), undefined, { name, groups: ['sre'], by });
    const browser = browserAt(app, address);
    browser.cookies.set('__Host-trueup', id);
    const token = async () => (await browser.get('/')).json<{ token: string }>().token;
    return { browser, id, token };
  };
  /** The status of an answer, and how many changes it made. */
  const outcome = async (answer: Promise<{ readonly statusCode: number }>): Promise<readonly [number, number]> => {
    const before = changes;
    const { statusCode } = await answer;
    return [statusCode, changes - before];
  };

  describe('a form', () => {
    const post = async (form: (token: string) => Record<string, string>, headers: Record<string, string> = {}) => {
      const { browser, token } = await signedIn('ann');
      return browser.post('/acts/operate', form(await token()), headers);
    };
    test('and takes one of its own pages', async () => {
      const before = changes;
      expect((await post((_csrf) => ({ _csrf }))).statusCode).toBe(200);
      expect((await post(() => ({}), { 'x-csrf-token': 'none' })).statusCode).toBe(403);
      expect(changes).toBe(before + 1);
    });
    test('without a token', async () => expect(await outcome(post(() => ({})))).toEqual([403, 0]));
    test('with an empty token', async () => expect(await outcome(post(() => ({ _csrf: '' })))).toEqual([403, 0]));
    test('with the token of another session', async () => {
      const other = await (await signedIn('bob')).token();
      expect(await outcome(post(() => ({ _csrf: other })))).toEqual([403, 0]);
    });
    test('with a token whose salt was changed', async () =>
      expect(await outcome(post((token) => ({ _csrf: `x${token}` })))).toEqual([403, 0]));
    test('with a token that is cut off', async () =>
      expect(await outcome(post((token) => ({ _csrf: token.slice(0, -1) })))).toEqual([403, 0]));
    test('with a token in the query', async () => {
      const { browser, token } = await signedIn('ann');
      expect(await outcome(browser.post(`/acts/operate?_csrf=${await token()}`))).toEqual([403, 0]);
    });
    test('with two tokens', async () => {
      const { browser, token } = await signedIn('ann');
      const payload = `_csrf=${await token()}&_csrf=${await token()}`;
      const headers = { origin: address, 'content-type': 'application/x-www-form-urlencoded' };
      const cookie = `__Host-trueup=${browser.cookies.get('__Host-trueup')}`;
      expect(
        await outcome(app.inject({ method: 'POST', url: '/acts/operate', payload, headers: { ...headers, cookie } })),
      ).toEqual([403, 0]);
    });
    test('with the id of the session as a token', async () => {
      const { browser, id } = await signedIn('ann');
      expect(await outcome(browser.post('/acts/operate', { _csrf: id }))).toEqual([403, 0]);
    });
    const withToken = (headers: Record<string, string>) => post((_csrf) => ({ _csrf }), headers);
    test.each([
      ['of another site', { origin: 'https://evil.example' }],
      ['of another site that begins alike', { origin: `${address}.evil.example` }],
      ['of a host beside it', { origin: 'https://other.example.com' }],
      ['of the same host without TLS', { origin: 'http://trueup.example.com' }],
      ['of another port', { origin: `${address}:8443` }],
      ['of a sandboxed frame', { origin: 'null' }],
      ['that the browser calls cross-site', { 'sec-fetch-site': 'cross-site' }],
      ['that the browser calls same-site', { 'sec-fetch-site': 'same-site' }],
    ])('%s, though its token is right', async (_title, headers) =>
      expect(await outcome(withToken(headers))).toEqual([403, 0]),
    );
    test('that no browser says the origin of', async () => {
      const { id, token } = await signedIn('ann');
      const headers = { cookie: `__Host-trueup=${id}`, 'x-csrf-token': await token() };
      expect(await outcome(app.inject({ method: 'POST', url: '/acts/operate', headers }))).toEqual([403, 0]);
    });
    test('in a content type that other sites may send', async () => {
      const { browser, token } = await signedIn('ann');
      for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json, text/plain']) {
        const headers = { 'content-type': type, 'x-csrf-token': await token() };
        expect(await outcome(browser.post('/acts/operate', { a: 'b' }, headers))).toEqual([415, 0]);
      }
    });
  });

  test.each([
    ['X-HTTP-Method-Override', '/acts/operate', { 'x-http-method-override': 'POST' }],
    ['X-Method-Override', '/acts/operate', { 'x-method-override': 'POST' }],
    ['_method', '/acts/operate?_method=POST', {}],
  ])('a GET that would be a change by %s', async (_title, url, headers) => {
    const { browser } = await signedIn('ann');
    expect(await outcome(browser.get(url, headers))).toEqual([404, 0]);
  });

  describe('a session', () => {
    const sentTo = async (id: string, cookie = '__Host-trueup') => {
      const answer = await app.inject({ url: '/', headers: { accept: 'text/html', cookie: `${cookie}=${id}` } });
      return [answer.statusCode, answer.headers.location];
    };
    const signInPage = [303, '/sign-in?to=%2F'];
    test('that was signed out, though somebody kept its cookie', async () => {
      const { browser, id, token } = await signedIn('ann');
      expect((await browser.post('/sign-out', { _csrf: await token() })).statusCode).toBe(303);
      expect(browser.cookies.size).toBe(0);
      expect(await sentTo(id)).toEqual(signInPage);
    });
    test('that is older than eight hours, however much it is used', async () => {
      const { id } = await signedIn('ann');
      const [{ hours } = { hours: 0 }] = await database.rows<{ hours: number }>(
        'select extract(epoch from expires_at - began_at)::int / 3600 as hours from @session where digest = $1',
        digestOf(id),
      );
      expect(hours).toBe(8);
      await database.rows('update @session set expires_at = now() where digest = $1', digestOf(id));
      expect(await sentTo(id)).toEqual(signInPage);
    });
    test('that was not used for two hours', async () => {
      const { browser, id } = await signedIn('ann');
      const idle = `update @session set seen_at = now() - $2::interval where digest = $1`;
      await database.rows(idle, digestOf(id), '119 minutes');
      expect((await browser.get('/')).statusCode).toBe(200);
      // To use it counted.
      const [{ minutes } = { minutes: -1 }] = await database.rows<{ minutes: number }>(
        'select extract(epoch from now() - seen_at)::int / 60 as minutes from @session where digest = $1',
        digestOf(id),
      );
      expect(minutes).toBe(0);
      await database.rows(idle, digestOf(id), '121 minutes');
      expect(await sentTo(id)).toEqual(signInPage);
      expect(await sentTo(id)).toEqual(signInPage);
    });
    test('by what the database has of it', async () =>
      expect(await sentTo(digestOf((await signedIn('ann')).id))).toEqual(signInPage));
    test('by a guess, or by SQL', async () => {
      for (const id of ['A'.repeat(43), "' or '1'='1", '*', '', `${'A'.repeat(42)}%`])
        expect(await sentTo(id)).toEqual(signInPage);
    });
    test('in a cookie that another host may set', async () =>
      expect(await sentTo((await signedIn('ann')).id, 'trueup')).toEqual(signInPage));
    test.each(['proxy', 'link'] as const)('that began by %s, when people sign in otherwise now', async (by) =>
      expect(await sentTo((await signedIn('ann', by)).id)).toEqual(signInPage),
    );
    test('whose groups give no role any more', async () => {
      const { id } = await signedIn('ann');
      await database.rows(`update @session set groups = '{}' where digest = $1`, digestOf(id));
      expect(await outcome(app.inject({ url: '/', headers: { cookie: `__Host-trueup=${id}` } }))).toEqual([403, 0]);
    });
  });

  describe('a token', () => {
    const asked = (authorization: string, url = '/', cookie = '') =>
      app.inject({ url, headers: { authorization, cookie } });
    test('and takes a right one, for changes as well', async () => {
      const headers = { authorization: `Bearer ${tokenOf('operator')}` };
      expect((await app.inject({ method: 'POST', url: '/acts/operate', headers })).statusCode).toBe(200);
    });
    test.each([
      ['wrong', `Bearer ${tokenOf('nobody')}`],
      ['empty', 'Bearer '],
      ['cut off', `Bearer ${tokenOf('admin').slice(0, -1)}`],
      ['longer', `Bearer ${tokenOf('admin')}x`],
      ['in other case', `Bearer ${tokenOf('admin').toUpperCase()}`],
      ['by another scheme', `Basic ${Buffer.from(`admin:${tokenOf('admin')}`).toString('base64')}`],
      ['after another one', `Bearer x, Bearer ${tokenOf('admin')}`],
    ])('that is %s, and does not look at a cookie then', async (_title, authorization) => {
      const { id } = await signedIn('ann');
      const answer = await asked(authorization, '/', `__Host-trueup=${id}`);
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    });
    test('in an address', async () => {
      expect(
        await outcome(app.inject({ url: `/?access_token=${tokenOf('admin')}&token=${tokenOf('admin')}` })),
      ).toEqual([401, 0]);
    });
  });

  test.each(acts.flatMap((act, at) => roles.map((role, rank) => [act, role, rank >= at] as const)))(
    'to %s by the role %s, unless it may: %j',
    async (act, role, isAllowed) => {
      const before = changes;
      const headers = { authorization: `Bearer ${tokenOf(role)}` };
      const { statusCode } = await app.inject({ method: 'POST', url: `/acts/${act}`, headers });
      expect([statusCode, changes - before]).toEqual(isAllowed ? [200, 1] : [403, 0]);
    },
  );

  test('to show what others own: it is not there, nor more than what is nowhere', async () => {
    const get = async (id: string) => {
      const headers = { authorization: `Bearer ${tokenOf('acme')}` };
      const { statusCode, body } = await app.inject({ url: `/stacks/${id}`, headers });
      return [statusCode, body];
    };
    expect((await get('a'))[0]).toBe(200);
    expect((await get('b'))[0]).toBe(404);
    expect(await get('b')).toEqual(await get('c'));
  });

  test('and notes who was refused what, at most 60 times a minute, and nothing of what they sent', async () => {
    const name = `mallory-${randomBytes(4).toString('hex')}`;
    const { browser } = await signedIn(name);
    const answers = Array.from({ length: 70 }, () => browser.post('/acts/approve?x=a-secret', { x: 'a-secret' }));
    for (const { statusCode } of await Promise.all(answers)) expect(statusCode).toBe(403);
    const events = await database.rows<{ what: string; about: object }>(
      `select what, about from @event where who = $1 and what = 'was refused'`,
      name,
    );
    expect(events).toHaveLength(60);
    expect(events[0]?.about).toEqual({ by: 'oidc', route: 'POST /acts/approve' });
    expect(app.failed).toEqual([]);
  });
});
