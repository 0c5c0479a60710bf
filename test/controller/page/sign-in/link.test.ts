import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSignInCode, signInLink } from '../../../../src/controller/page/sign-in/link.ts';
import type { Part } from '../../../../src/controller/page/server.ts';
import {
  browserAt,
  type ControllerDatabase,
  pageFor,
  startControllerDatabase,
} from '../../../support/controller-pages.ts';
import { whyNoPostgres } from '../../../support/postgres-server.ts';

const address = 'http://localhost:8080';
const missing = whyNoPostgres();

const part: Part = (app) => {
  app.get('/', { config: { act: 'administer' } }, ({ viewer }, reply) => ({ name: viewer.name, token: reply.csrf() }));
};

describe.skipIf(missing !== undefined)(missing ?? 'the link in the terminal', () => {
  let database: ControllerDatabase;
  beforeAll(async () => {
    database = await startControllerDatabase();
  });
  afterAll(() => database.stop());
  const start = () => {
    const link = { code: newSignInCode(), name: 'me' };
    const app = pageFor(database.records, { address, signIn: { link }, parts: [part] });
    return { app, link, url: signInLink(address, link).slice(address.length) };
  };

  test('signs in once, with a button; it is spent then, and the user may do everything', async () => {
    const { app, link, url } = start();
    const browser = browserAt(app, address);
    expect((await browser.get('/')).headers.location).toBe('/sign-in?to=%2F');
    expect((await browser.get('/sign-in')).body).toContain('Open the link');
    const shown = await browser.get(url);
    expect(shown.body).toContain('Sign in as me');
    expect(browser.cookies.size).toBe(0);
    const signed = await browser.post('/sign-in/link', { code: link.code });
    expect([signed.statusCode, signed.headers.location]).toEqual([303, '/']);
    expect(signed.headers['set-cookie']).toMatch(/^trueup=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const page = await browser.get('/');
    expect(page.json()).toMatchObject({ name: 'me' });

    const other = browserAt(app, address);
    expect((await other.get(url)).statusCode).toBe(403);
    expect((await other.post('/sign-in/link', { code: link.code })).statusCode).toBe(403);
    expect((await browser.get('/')).statusCode).toBe(200);
    expect((await browser.post('/sign-out', { _csrf: page.json<{ token: string }>().token })).statusCode).toBe(303);
    expect((await browser.get('/')).statusCode).toBe(303);
    const events = await database.rows<{ who: string; what: string }>('select who, what from @event order by id');
    expect(events).toEqual([
      { who: 'me', what: 'signed in' },
      { who: 'me', what: 'signed out' },
    ]);
    expect(app.failed).toEqual([]);
  });

  test('is one link, with a code that cannot be guessed', async () => {
    const { app } = start();
    const browser = browserAt(app, address);
    const wrong = ['', 'x', newSignInCode(), '__proto__'];
    for (const code of wrong) expect((await browser.post('/sign-in/link', { code })).statusCode).toBe(403);
    expect((await browser.get('/sign-in/link?code=a&code=b')).statusCode).toBe(403);
    expect((await browser.post('/sign-in/link')).statusCode).toBe(403);
    expect(browser.cookies.size).toBe(0);
  });

  test.each([
    ['another machine', { remoteAddress: '192.0.2.7' }, {}],
    ['another machine, in the form of IPv6', { remoteAddress: '::ffff:192.0.2.7' }, {}],
    ['a name that leads to this machine', {}, { host: 'evil.example:8080' }],
    ['another port of this machine', {}, { host: 'localhost:9999' }],
    ['a proxy that opens the page', {}, { 'x-forwarded-for': '192.0.2.7' }],
    ['a proxy that names its host', {}, { forwarded: 'for=192.0.2.7' }],
  ])('a request by %s is refused, whatever it asks for', async (_title, from, headers) => {
    const { app, url } = start();
    for (const path of [url, '/', '/sign-in', '/nowhere']) {
      const answer = await app.inject({ url: path, headers: { host: 'localhost:8080', ...headers }, ...from });
      expect(answer.statusCode).toBe(403);
      expect(answer.body).toContain('This page is for its own machine');
    }
  });
});
