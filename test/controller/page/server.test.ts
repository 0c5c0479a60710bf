import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createServer, type Part } from '../../../src/controller/page/server.ts';
import { newSignInCode } from '../../../src/controller/page/sign-in/link.ts';
import { recordsIn } from '../../../src/controller/records/all.ts';

const address = 'https://localhost';
const token = 'a-token-of-forty-characters-for-programs';
const records = recordsIn(new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' }), 'trueup_controller');

const serverWith = (...parts: readonly Part[]) => {
  const failed: unknown[] = [];
  const app = createServer({
    address,
    records,
    signIn: { link: { code: newSignInCode(), name: 'me' } },
    roles: [],
    tokens: [{ name: 'ci', token, role: 'operator', labels: { customer: 'acme' } }],
    parts,
    onError: (error) => void failed.push(error),
  });
  return { app, failed };
};
const inject = (app: FastifyInstance, { headers = {}, ...rest }: { url: string; headers?: Record<string, string> }) =>
  app.inject({ ...rest, headers: { host: 'localhost', ...headers } });
const signed = { authorization: `Bearer ${token}` };

test('a route that says not what it needs is refused at start', async () => {
  const { app } = serverWith((own) => void own.get('/open', () => 'open'));
  await expect(app.ready()).rejects.toThrow('the route GET /open has no config.act');
});

test('a route is for those whose role allows its act somewhere', async () => {
  const { app } = serverWith((own) => {
    own.get('/see', { config: { act: 'see' } }, ({ viewer }) => `${viewer.name} ${viewer.may('see', {})}`);
    own.get('/approve', { config: { act: 'approve' } }, () => 'approved');
    own.get('/me', { config: { act: 'self' } }, ({ viewer }) => viewer.name);
    own.get('/open', { config: { act: 'public' } }, () => 'open');
  });
  const get = async (url: string, headers = {}) => {
    const { statusCode, body } = await inject(app, { url, headers });
    return [statusCode, body];
  };
  expect(await get('/see', signed)).toEqual([200, 'token:ci false']);
  expect(await get('/me', signed)).toEqual([200, 'token:ci']);
  expect(await get('/open')).toEqual([200, 'open']);
  expect((await get('/approve', signed))[0]).toBe(403);
  expect((await get('/see'))[0]).toBe(401);
  expect((await get('/see', { authorization: 'Bearer another' }))[0]).toBe(401);
  expect((await get('/nowhere', signed))[0]).toBe(404);
});

test('a browser without a sign-in is sent to it, with the way back', async () => {
  const { app } = serverWith((own) => void own.get('/stacks', { config: { act: 'see' } }, () => ''));
  const { statusCode, headers } = await inject(app, { url: '/stacks?state=drift', headers: { accept: 'text/html' } });
  expect([statusCode, headers.location]).toEqual([303, '/sign-in?to=%2Fstacks%3Fstate%3Ddrift']);
});

test('an error says nothing of what is inside', async () => {
  const { app, failed } = serverWith((own) => {
    own.get('/fails', { config: { act: 'public' } }, () => {
      throw new Error('password authentication failed for user "trueup"');
    });
  });
  const page = await inject(app, { url: '/fails', headers: { accept: 'text/html' } });
  expect(page.statusCode).toBe(500);
  expect(page.body).toContain('The page failed. Its log says why.');
  expect(page.body).not.toContain('password');
  const json = await inject(app, { url: '/fails' });
  expect(json.json()).toEqual({ error: { status: 500, message: 'The page failed. Its log says why.' } });
  expect(failed).toHaveLength(2);
});

test('pages are not kept, not framed, and load nothing of others', async () => {
  const { app } = serverWith((own) => void own.get('/open', { config: { act: 'public' } }, () => 'open'));
  const { headers } = await inject(app, { url: '/open' });
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['content-security-policy']).toBe(
    "default-src 'none';script-src 'self';style-src 'self';img-src 'self';font-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
  );
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
  expect(headers['referrer-policy']).toBe('same-origin');
});
