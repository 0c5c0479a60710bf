import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { callForge, callForgeJson } from '../../src/forge/call-forge.ts';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { certificateFor } from '../support/certificate.ts';
import { nameProxy, serveProxy, serveSecurely } from '../support/http-proxy.ts';

/** What a forge that only answers has beside its name, its address and a repository. */
const bare = { commit: 'c0ffee', packages: undefined, pull: undefined, token: undefined, storeHeaders: undefined };

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  closing.push(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves a forge that leads to an address, and another server that notes what it gets. */
async function serveBoth(status: number) {
  const seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const note = ({ url, headers }: IncomingMessage, response: ServerResponse): void => {
    seen.push({ url, headers });
    response.end('{}');
  };
  const elsewhere = await listen(note);
  const api = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://forge');
    if (pathname === '/there') return note(request, response);
    response.writeHead(status, { location: searchParams.get('to') ?? '' }).end('moved');
  });
  const forgeOf = (name: Forge['name']): Forge => ({ ...bare, name, api, token: 'canary-token', repository: '/x' });
  return { elsewhere, seen, forgeOf };
}

const names = ['github', 'gitlab', 'gitea'] as const;

describe.each(names)('a redirect of %s', (name) => {
  test.each([301, 302, 303, 307, 308])('with %d to another server gets no token', async (status) => {
    const { elsewhere, seen, forgeOf } = await serveBoth(status);
    const to = encodeURIComponent(`${elsewhere}/file`);
    await callForge(forgeOf(name), { method: 'GET', path: `/plan?to=${to}` });
    const headers = { 'job-token': 'canary-job' };
    await callForge(forgeOf(name), { method: 'GET', path: `/plan?to=${to}`, headers });
    expect(seen.map(({ url }) => url)).toEqual(['/file', '/file']);
    expect(JSON.stringify(seen)).not.toContain('canary');
  });

  test('within the forge keeps the token', async () => {
    const { seen, forgeOf } = await serveBoth(302);
    await callForge(forgeOf(name), { method: 'GET', path: '/plan?to=/there' });
    expect(JSON.stringify(seen)).toContain('canary-token');
  });

  test.each(['POST', 'PATCH', 'PUT', 'DELETE'] as const)('of a %s is an error, and sends nothing', async (method) => {
    const { elsewhere, seen, forgeOf } = await serveBoth(307);
    const sent = callForge(forgeOf(name), { method, path: `/plan?to=${elsewhere}/file`, bytes: Buffer.from('plan') });
    await expect(sent).rejects.toMatchObject({ status: 307, message: `the forge answered 307 to ${method} /plan` });
    expect(seen).toEqual([]);
  });
});

test.each([
  ['without end', '/plan?to=/plan'],
  ['to no address', '/plan?to=http://'],
  ['to a file', '/plan?to=file:///etc/passwd'],
  ['to nowhere', '/plan'],
])('a redirect %s is an error', async (_what, path) => {
  const { forgeOf } = await serveBoth(302);
  await expect(callForge(forgeOf('github'), { method: 'GET', path })).rejects.toMatchObject({
    status: 302,
    message: 'the forge answered 302 to GET /plan',
  });
});

test('an answer without end is an error', async () => {
  const part = Buffer.alloc(1024 * 1024, ' ');
  let sent = 0;
  const api = await listen((_request, response) => {
    const more = () => {
      for (let isOpen = true; isOpen && sent < 200; sent++) isOpen = response.write(part);
      if (sent < 200) response.once('drain', more);
      else response.end();
    };
    more();
  });
  const forge: Forge = { ...bare, name: 'gitlab', api, repository: '/projects/12' };
  const ended = callForge(forge, { method: 'GET', path: '/user' }).then(
    () => 'whole',
    ({ message }: Error) => message,
  );
  // Not the answer itself, which would be printed.
  expect(await ended).toContain('more than 83886080 bytes');
});

test('an answer of millions of empty objects is an error, and is not parsed', async () => {
  const api = await listen((_request, response) => void response.end(`[${'{},'.repeat(2_000_000)}{}]`));
  const forge: Forge = { ...bare, name: 'github', api, repository: '/repos/shop/infra' };
  await expect(callForgeJson(forge, { method: 'GET', path: '/user' })).rejects.toMatchObject({
    message: 'the forge answered GET /user without JSON',
    cause: { message: 'has more than 2000000 objects and lists' },
  });
});

describe('behind a proxy', () => {
  const github: Forge = {
    ...bare,
    name: 'github',
    api: 'https://forge.example',
    token: 'canary-token',
    repository: '/x',
  };

  test('requests go through it, with bytes and redirects, and the proxy sees no token', async () => {
    const seen: unknown[] = [];
    const port = await serveSecurely(
      {
        send: async ({ method, path, headers, body }) => {
          seen.push([method, path, headers.authorization, headers['user-agent'] !== undefined, body]);
          if (path === '/file') return { status: 200, headers: {}, body: 'a plan' };
          return { status: 302, headers: { location: '/file' }, body: '' };
        },
      },
      certificateFor('forge.example'),
    );
    const proxy = await serveProxy({ servers: { 'forge.example:443': port } });
    nameProxy({ HTTPS_PROXY: proxy.url });
    expect((await callForge(github, { method: 'GET', path: '/plan' })).toString()).toBe('a plan');
    await callForge(github, { method: 'PUT', path: '/file', bytes: Buffer.from('bytes') });
    const token = 'Bearer canary-token';
    expect(seen).toEqual([
      ['GET', '/plan', token, true, undefined],
      ['GET', '/file', token, true, undefined],
      ['PUT', '/file', token, true, 'bytes'],
    ]);
    expect(new Set(proxy.log)).toEqual(new Set(['CONNECT forge.example:443']));
  });

  test('the error says that the proxy did not let it through', async () => {
    const proxy = await serveProxy({ credentials: 'me:x' });
    nameProxy({ HTTPS_PROXY: proxy.url });
    await expect(callForge(github, { method: 'GET', path: '/plan' })).rejects.toMatchObject({
      status: 0,
      message: `the forge did not answer GET /plan: the proxy of HTTPS_PROXY (${proxy.url}) asks for a user and a password (407)`,
    });
    nameProxy({ HTTPS_PROXY: 'socks5://127.0.0.1:1' });
    await expect(callForge(github, { method: 'GET', path: '/plan' })).rejects.toMatchObject({
      message: 'the forge did not answer GET /plan: HTTPS_PROXY names a SOCKS proxy',
    });
  });
});
