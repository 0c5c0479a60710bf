import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Part } from '../../../../src/controller/page/server.ts';
import {
  browserAt,
  type ControllerDatabase,
  pageFor,
  startControllerDatabase,
} from '../../../support/controller-pages.ts';
import { whyNoPostgres } from '../../../support/postgres-server.ts';

const address = 'https://trueup.example.com';
const missing = whyNoPostgres();
const secret = 'a-secret-of-the-proxy-of-this-page';
const part: Part = (app) => {
  app.get('/me', { config: { act: 'self' } }, ({ viewer, ip }, reply) => ({
    name: viewer.name,
    groups: viewer.groups,
    ip,
    token: reply.csrf(),
  }));
  app.post('/act', { config: { act: 'operate' } }, () => 'done');
};

/** Sends headers as they are, in their order, from an address of this machine. */
function send(
  port: number,
  headers: readonly (readonly [string, string])[],
  { from = '127.0.0.1', host = '127.0.0.1' } = {},
): Promise<{ readonly status: number; readonly body: string; readonly cookies: number }> {
  return new Promise((resolve, reject) => {
    const options = {
      host,
      port,
      path: '/me',
      localAddress: from,
      headers: [...headers, ['host', 'a']].flat(),
      agent: false,
    };
    httpRequest(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => void (body += chunk));
      const cookies = response.headers['set-cookie']?.length ?? 0;
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, cookies }));
    })
      .on('error', reject)
      .end();
  });
}

describe.skipIf(missing !== undefined)(missing ?? 'a sign-in by a proxy', () => {
  let database: ControllerDatabase;
  let app: ReturnType<typeof pageFor>;
  let port: number;
  const start = (from: readonly string[]) =>
    pageFor(database.records, {
      signIn: {
        proxy: { from, user: 'X-Forwarded-User', groups: 'X-Forwarded-Groups', secretHeader: 'X-Trueup-Proxy', secret },
      },
      roles: [{ group: 'sre', role: 'operator' }],
      parts: [part],
    });
  beforeAll(async () => {
    database = await startControllerDatabase();
    app = start(['127.0.0.2', '127.0.3.0/24']);
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await app.close();
    await database.stop();
  });
  const user = ['X-Forwarded-User', 'ann'] as const;
  const groups = ['X-Forwarded-Groups', 'sre, shops,,'] as const;
  const proof = ['X-Trueup-Proxy', secret] as const;
  const proxy = { from: '127.0.0.2' };

  test('counts from a listed address with the secret', async () => {
    const { status, body } = await send(port, [user, groups, proof], proxy);
    expect([status, JSON.parse(body)]).toEqual([
      200,
      expect.objectContaining({ name: 'ann', groups: ['sre', 'shops'] }),
    ]);
    expect((await send(port, [user, groups, proof], { from: '127.0.3.77' })).status).toBe(200);
  });

  type Sent = readonly (readonly [string, string])[];
  test.each<[string, Sent, { from?: string }, number]>([
    ['from another address', [user, groups, proof], {}, 403],
    ['from an address beside the range', [user, groups, proof], { from: '127.0.4.1' }, 403],
    ['from another address that says it is the proxy', [user, proof, ['X-Forwarded-For', '127.0.0.2']], {}, 403],
    ['from another address, as Forwarded has it', [user, proof, ['Forwarded', 'for=127.0.0.2']], {}, 403],
    ['from another address, as X-Real-IP has it', [user, proof, ['X-Real-IP', '127.0.0.2']], {}, 403],
    ['without the secret', [user, groups], proxy, 403],
    ['with an empty secret', [user, ['X-Trueup-Proxy', '']], proxy, 403],
    ['with another secret', [user, ['X-Trueup-Proxy', `${secret}x`]], proxy, 403],
    ['with the secret in other case', [user, ['X-Trueup-Proxy', secret.toUpperCase()]], proxy, 403],
    ['with two secrets', [user, proof, ['X-Trueup-Proxy', 'x']], proxy, 400],
    ['with two users', [user, ['X-Forwarded-User', 'admin'], proof], proxy, 400],
    ['with two users, in other case', [user, ['x-forwarded-USER', 'admin'], proof], proxy, 400],
    ['with two lists of groups', [user, groups, ['x-forwarded-groups', 'admins'], proof], proxy, 400],
    ['without a user', [groups, proof], proxy, 403],
    ['with an empty user', [['X-Forwarded-User', ''], proof], proxy, 403],
    ['with the name of a program', [['X-Forwarded-User', 'token:ci'], proof], proxy, 403],
    ['with a user in a header of nearly that name', [['X_Forwarded_User', 'ann'], proof], proxy, 403],
    ['with nothing', [], proxy, 401],
  ])('%s is refused', async (_title, headers, from, status) => {
    const answer = await send(port, headers, from);
    expect([answer.status, answer.cookies]).toEqual([status, 0]);
    expect(answer.body).not.toContain(secret);
  });

  test('an address of IPv4 is the same within IPv6', async () => {
    const inIpv6 = start(['127.0.0.2']);
    const headers = { 'x-forwarded-user': 'ann', 'x-trueup-proxy': secret };
    const statusFrom = async (remoteAddress: string) =>
      (await inIpv6.inject({ url: '/me', headers, remoteAddress })).statusCode;
    expect(await statusFrom('::ffff:127.0.0.2')).toBe(200);
    expect(await statusFrom('::ffff:127.0.0.3')).toBe(403);
    expect(await statusFrom('::1')).toBe(403);
    expect(await statusFrom('')).toBe(403);
    const ranges = start(['fd00::/8']);
    expect((await ranges.inject({ url: '/me', headers, remoteAddress: 'fd12::1' })).statusCode).toBe(200);
    expect((await ranges.inject({ url: '/me', headers, remoteAddress: 'fe80::1' })).statusCode).toBe(403);
  });

  test('the session of a browser proves nothing without the headers, nor for another user', async () => {
    const page = start(['127.0.0.1']);
    const as = (name: string) => ({ 'x-forwarded-user': name, 'x-forwarded-groups': 'sre', 'x-trueup-proxy': secret });
    const browser = browserAt(page, address);
    const { token } = (await browser.get('/me', as('ann'))).json<{ token: string }>();
    const session = browser.cookies.get('__Host-trueup');
    expect((await browser.get('/me')).statusCode).toBe(303);
    expect((await browser.post('/act', { _csrf: token }, as('ann'))).statusCode).toBe(200);
    expect(browser.cookies.get('__Host-trueup')).toBe(session);
    expect((await browser.post('/act', { _csrf: token }, as('bob'))).statusCode).toBe(403);
    expect(browser.cookies.get('__Host-trueup')).not.toBe(session);
  });

  test('a change without a session needs a page first', async () => {
    const page = start(['127.0.0.1']);
    const headers = { 'x-forwarded-user': 'ann', 'x-forwarded-groups': 'sre', 'x-trueup-proxy': secret };
    expect((await browserAt(page, address, headers).post('/act')).statusCode).toBe(403);
  });
});
