import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LineCounter } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { notify } from '../../src/drift/notify.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { certificateFor } from '../support/certificate.ts';
import { nameProxy, serveProxy, serveSecurely } from '../support/http-proxy.ts';
import { finding, messageOf } from '../support/notifications.ts';

/** A notification goes to an address that is the platform under another name. */

const servers: ReturnType<typeof createServer>[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const unauthorized = { status: 401, body: '{"message":"Unauthorized"}' };

/** Serves on all addresses of this machine, and answers each request alike. */
async function serve(host: string, { status, body }: typeof unauthorized, redirect?: string) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${String(request.headers['x-api-key'])}`);
    if (redirect !== undefined) response.writeHead(307, { location: redirect }).end();
    else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, received };
}

const listensOn6 = await serve('::', unauthorized).then(
  () => true,
  () => false,
);

async function send(url: string, platform: string) {
  const at = { file: 'trueup.yaml', offset: 0, lines: new LineCounter() };
  const { notified, diagnostics } = await notify([{ as: 'json', on: 'any', url: 'HOOK', at }], messageOf([finding()]), {
    env: { TRUEUP_SECRET_HOOK: url },
    redactor: createRedactor(),
    platform: { url: platform },
    clock: { wall: () => 0, sleep: () => Promise.resolve() },
  });
  return { notified, problem: diagnostics[0]?.message };
}

const refused = {
  notified: [],
  problem: 'TRUEUP_SECRET_HOOK is an address of the platform: drift sends it no request but GETs',
};

describe('B7: no message goes to the platform', () => {
  it.each([
    ['its own name', 'http://127.0.0.1:PORT/api/deploy/x'],
    ['another name', 'http://localhost:PORT/api/deploy/x'],
    ['a name in capitals', 'HTTP://LOCALHOST:PORT/api/deploy/x'],
    ['another address of the machine', 'http://127.0.0.2:PORT/api/deploy/x'],
    ['a number', 'http://2130706433:PORT/'],
    ['an octal number', 'http://0177.0.0.1:PORT/'],
    ['a short address', 'http://127.1:PORT/'],
    ['an address of version 6', 'http://[::1]:PORT/api/deploy/x'],
  ])('B7: under %s', async (name, address) => {
    if (name === 'an address of version 6' && !listensOn6) return;
    const { port, received } = await serve(listensOn6 ? '::' : '0.0.0.0', unauthorized);
    const result = await send(address.replace('PORT', String(port)), `http://127.0.0.1:${port}`);
    expect(result).toEqual(refused);
    expect(received.filter((request) => !request.startsWith('GET ') || !request.endsWith('undefined'))).toEqual([]);
  });

  it('B7: at another port', async () => {
    const [platform, other] = [await serve('127.0.0.1', unauthorized), await serve('127.0.0.1', unauthorized)];
    expect(await send(`http://localhost:${other.port}/x`, `http://127.0.0.1:${platform.port}`)).toEqual(refused);
    expect([...platform.received, ...other.received].filter((request) => !request.startsWith('GET '))).toEqual([]);
  });

  it('B7: nor by a redirect', async () => {
    const platform = await serve('127.0.0.1', unauthorized);
    const other = await serve('127.0.0.1', unauthorized, `http://127.0.0.1:${platform.port}/api/deploy/x`);
    const { notified } = await send(`http://127.0.0.1:${other.port}/x`, `http://127.0.0.1:${platform.port}`);
    expect(notified).toEqual([]);
    expect(platform.received.filter((request) => !request.startsWith('GET '))).toEqual([]);
  });

  it.each([
    ['another server', { status: 200, body: 'ok' }],
    ['one that has a key of its own', { status: 401, body: 'Unauthorized' }],
  ])('B7: but to %s of the same machine', async (_, answer) => {
    const platform = await serve('127.0.0.1', unauthorized);
    const other = await serve('127.0.0.1', answer);
    await send(`http://localhost:${other.port}/x`, `http://127.0.0.1:${platform.port}`);
    expect(other.received.map((request) => request.split(' ', 2).join(' '))).toContain('POST /x');
  });
});

describe('B7: behind a proxy, which alone knows the names', () => {
  const certificate = certificateFor(['deploy.example.test', 'hook.example.test']);
  const serveBehind = async (answers: readonly { readonly status: number; readonly body: string }[]) => {
    const received: string[] = [];
    const ports = await Promise.all(
      answers.map(({ status, body }) =>
        serveSecurely(
          {
            send: ({ method, path }) => {
              received.push(`${method} ${path}`);
              return Promise.resolve({ status, headers: {}, body });
            },
          },
          certificate,
        ),
      ),
    );
    const [platform = 0, hook = platform] = ports;
    const servers = { 'deploy.example.test:443': platform, 'hook.example.test:443': hook };
    nameProxy({ HTTPS_PROXY: (await serveProxy({ servers })).url });
    return received;
  };

  it('no message goes to the platform under another name', async () => {
    const received = await serveBehind([unauthorized]);
    expect(await send('https://hook.example.test/x', 'https://deploy.example.test')).toEqual(refused);
    expect(received).toEqual(['GET /api/user.get', 'GET /api/user.get']);
  });

  it('but to another server', async () => {
    const received = await serveBehind([unauthorized, { status: 200, body: 'ok' }]);
    const { notified } = await send('https://hook.example.test/x', 'https://deploy.example.test');
    expect(notified).toHaveLength(1);
    expect(received).toContain('POST /x');
  });
});

it.each(['https://deploy.example.com./x', 'https://DEPLOY.example.com:443/x'])(
  'B7: nor to its host as %s',
  async (address) => {
    expect(await send(address, 'https://deploy.example.com')).toEqual(refused);
  },
);
