import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { finish, start, trueup, trueupProcess } from '../cli/process.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** The page of the controller as a process. */

const missing = whyNoPostgres();
const folder = mkdtempSync(join(tmpdir(), 'trueup-serve-'));
const settings = join(folder, 'controller.yaml');
const secret = 'proxy-4711-proxy-4711-proxy-4711-proxy';
writeFileSync(join(folder, 'proxy'), `${secret}\n`, { mode: 0o600 });
writeFileSync(
  settings,
  'trueupController: 1\naddress: http://127.0.0.1:8080\nsignIn: { proxy: { from: [127.0.0.1], secretFile: proxy } }\nroles: [{ group: sre, role: viewer }]\n',
);

const alone = join(folder, 'alone.yaml');
writeFileSync(alone, 'trueupController: 1\naddress: http://127.0.0.1:8080\n');
const open = join(folder, 'open.yaml');
writeFileSync(open, 'trueupController: 1\naddress: https://trueup.example.com\n');
const noSignIn = 'The settings have no signIn, and the page is not for this machine alone';

test.each([
  [['--settings', open], noSignIn],
  [['--settings', alone, '--listen', '0.0.0.0:0'], noSignIn],
  [['--settings', join(folder, 'none.yaml')], `cannot read ${join(folder, 'none.yaml')}: ENOENT`],
  [['--settings', settings, '--listen', 'a:b'], '--listen must be ADDRESS:PORT, got "a:b"'],
  [['--settings', settings], 'TRUEUP_CONTROLLER_URL is not set'],
  [['--settings', settings, '--log', 'xml'], '--log must be text or json, got "xml"'],
])('%j does not start', async (args, message) => {
  const ran = await trueup(['controller', 'serve', ...args]);
  expect([ran.code, ran.out]).toEqual([1, '']);
  expect(ran.err).toContain(message);
});

describe.skipIf(missing !== undefined)(missing ?? 'over PostgreSQL', () => {
  let server: PostgresServer;
  const running = new Set<ChildProcess>();
  const key = newStateKey().text();
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(async () => {
    for (const child of running) {
      child.kill('SIGTERM'); // its worker ends with it
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    running.clear();
  });
  afterAll(() => server.stop());

  const environment = () => ({ TRUEUP_CONTROLLER_URL: server.url(), TRUEUP_STATE_KEY: key });

  /** Starts the page, and waits until it listens. */
  async function startPage(more: readonly string[], env: Record<string, string> = environment()) {
    const args = ['controller', 'serve', '--settings', settings, '--format', 'json', '--log', 'json', ...more];
    const child = start(args, { env });
    running.add(child);
    const ended = finish(child);
    let out = '';
    child.stdout.on('data', (text: string) => (out += text));
    await Promise.race([
      once(child.stdout, 'data'),
      ended.then(({ err }) => Promise.reject(new Error(`it ended: ${err}`))),
    ]);
    return { child, ended, ready: JSON.parse(out) as { readonly page: string; readonly works: boolean } };
  }
  const eventsOf = (err: string) =>
    err
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event);

  test('answers nobody who did not sign in, and ends at SIGTERM with its worker', async () => {
    const checkouts = join(folder, 'checkouts');
    const page = await startPage(['--listen', '127.0.0.1:0', '--with-worker', '--folder', checkouts]);
    expect(page.ready).toEqual({ format: 'trueup/controller', version: 1, works: true, page: page.ready.page });
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${page.ready.page}${path}`, { headers, redirect: 'manual' });
    expect((await get('/nothing')).status).toBe(404);
    expect((await get('/api/v1/stacks')).status).toBe(401);
    const proven = { 'x-trueup-proxy': secret, 'x-forwarded-user': 'ops', 'x-forwarded-groups': 'sre' };
    expect((await get('/api/v1/stacks', proven)).status).toBe(200);
    expect((await get('/api/v1/stacks', { ...proven, 'x-trueup-proxy': 'forged' })).status).toBe(403);
    expect(await (await get('/', proven)).text()).toContain('<main');
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/metrics')).status).toBe(200);
    page.child.kill('SIGTERM');
    const { code, err } = await page.ended;
    expect(code).toBe(0);
    expect(eventsOf(err)).toEqual(expect.arrayContaining(['serving', 'stopping', 'waiting for the worker']));
    expect(err).not.toMatch(/4711|trueup-key-1/);
  });

  test('a worker beside a page that was killed stops as well', async () => {
    const checkouts = join(folder, 'checkouts-of-killed');
    const page = await startPage(['--listen', '127.0.0.1:0', '--with-worker', '--folder', checkouts]);
    let err = '';
    page.child.stderr.on('data', (text: string) => (err += text));
    await expect.poll(() => err, { timeout: 30_000 }).toContain('"started"');
    page.child.kill('SIGKILL');
    // They share stderr, which is closed when the last one ended.
    const ended = await page.ended;
    expect(ended.code).toBeNull();
    expect(eventsOf(ended.err).slice(-2)).toEqual(['stopping', 'stopped']);
  });

  test('a port that is in use is named, and so is a worker that ended', async () => {
    const page = await startPage(['--listen', '127.0.0.1:0']);
    const { port } = new URL(page.ready.page);
    const env = environment();
    const words = ['controller', 'serve', '--settings', settings, '--listen', `127.0.0.1:${port}`];
    const taken = await trueupProcess(words, { env });
    expect(taken.code).toBe(1);
    expect(taken.err).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use`);
    // The page needs no key of states, and its worker does.
    const withoutKey = { TRUEUP_CONTROLLER_URL: server.url() };
    const alone = await startPage(['--listen', '127.0.0.1:0', '--with-worker'], withoutKey);
    const { code, out, err } = await alone.ended;
    expect(code).toBe(1);
    expect(err).toContain('TRUEUP_STATE_KEY is not set');
    expect(out).toContain('the worker beside the page ended');
  });
});
