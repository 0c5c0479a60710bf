import { createServer } from 'node:http';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Profile } from '../../src/api/contract.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { open, Stop } from '../../src/index.ts';

/** Addresses that are not that of the platform: no remedy takes anything from the manifest. */

const page = '<!DOCTYPE html><html><head><title>Dokploy</title></head><body>Log in</body></html>';

/** A host as a browser sees it: the dashboard, and the API of a platform under /api only. */
async function host(about: { readonly profile?: Profile; readonly status?: number; readonly answer?: string } = {}) {
  const { profile = 'dokploy', status = 404, answer = page } = about;
  const platform = await serve(createEmulator({ profile, apiKey: 'right-key' }));
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith('/api/') && !path.startsWith('/api/api/')) {
      const { method = 'GET', headers } = request;
      void fetch(platform.url + path, { method, headers: { 'x-api-key': String(headers['x-api-key']) } }).then(
        async (given) => {
          response.writeHead(given.status, { 'content-type': 'application/json' });
          response.end(await given.text());
        },
      );
      return;
    }
    const isPage = answer.startsWith('<');
    response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', location: '/login' });
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve));
    await platform.close();
  });
  const at = server.address();
  return `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
}

const manifest = (url: string, { project = 'prj_1', profile = '' } = {}) =>
  `trueup: 1\nplatform: { url: "${url}"${profile === '' ? '' : `, profile: ${profile}`} }\nproject: ${project}\n` +
  `environments:\n  production:\n    application:\n      web: { source: { type: docker, image: nginx }, memoryLimit: 512Mi }\n` +
  `    mysql:\n      main: { dockerImage: "mysql:8", databaseName: a, databaseUser: a, databasePassword: correct-horse-1, databaseRootPassword: correct-horse-2 }\n` +
  `tags: { live: {} }\n`;

/** What a plan says that cannot be made: each message with its remedy. */
async function refusal(text: string, apiKey = 'right-key'): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-address-'));
  writeFileSync(join(folder, 'trueup.yaml'), text);
  const error: unknown = await open(folder, { env: { TRUEUP_API_KEY: apiKey } })
    .then((project) => project.plan())
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (error instanceof PlatformError) return [`${error.message} -> ${error.remedy}`];
  if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
  return error.diagnostics.map(({ message, remedy = '' }: Diagnostic) => `${message} -> ${remedy}`);
}

const removes = /\b(?:remove|delete|leave (?:it|the line) out|state rm)\b/i;

describe('H3: the address of the platform', () => {
  const paths = ['/api', '/dashboard/projects', '/dashboard/project/abc/environment/def', '/login', '/api/trpc'];

  test.each(paths)('with %s is not the root address, and the remedy writes that', async (path) => {
    const url = await host();
    const found = await refusal(manifest(url + path));
    expect(found).toEqual([
      expect.stringContaining(`${url}${path} is not the root address of the platform: write ${url}.`),
    ]);
    expect(found.filter((line) => removes.test(line))).toEqual([]);
  });

  test.each(paths)('with %s and a project as a block does not say that the platform has no project', async (path) => {
    const url = await host();
    const found = await refusal(manifest(url + path, { project: '{ name: shop }' }));
    expect(found).toEqual([expect.stringContaining(`write ${url}.`)]);
  });

  test.each([
    { is: 'a page of another service', status: 200, answer: page },
    { is: 'a page that is missing', status: 404, answer: page },
    { is: 'a proxy without a route', status: 404, answer: '404 page not found' },
    { is: 'another API', status: 404, answer: '{"message":"404 Not Found"}' },
    { is: 'another API that answers everything', status: 200, answer: '{}' },
    { is: 'another API that answers lists', status: 200, answer: '[]' },
    { is: 'a redirect to a login page', status: 302, answer: page },
    { is: 'a proxy that refuses', status: 403, answer: page },
    { is: 'a web server without this method', status: 405, answer: page },
  ])('of $is is said to be wrong, and nothing of the manifest', async ({ status, answer }) => {
    const server = createServer((_, response) => {
      response.writeHead(status, {
        'content-type': answer.startsWith('<') ? 'text/html' : 'application/json',
        location: '/login',
      });
      response.end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const at = server.address();
    const url = `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
    for (const project of ['prj_1', '{ name: shop }']) {
      const found = await refusal(manifest(url, { project }));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(/-> .*\baddress\b/);
      expect(found.filter((line) => removes.test(line))).toEqual([]);
    }
  });
});

describe('H3: the key and the profile', () => {
  test('a wrong key is said, and nothing of the manifest', async () => {
    const found = await refusal(manifest(await host()), 'wrong-key');
    expect(found).toEqual([expect.stringContaining('API key')]);
    expect(found.filter((line) => removes.test(line))).toEqual([]);
  });

  test.each([
    { profile: 'standard', there: 'dokploy' },
    { profile: 'dokploy', there: 'standard' },
  ] as const)('profile: $profile of a platform of $there is said, and nothing of the manifest', async (about) => {
    const found = await refusal(manifest(await host({ profile: about.there }), { profile: about.profile }));
    expect(found).toEqual([expect.stringContaining(`profile: ${about.there}`)]);
    expect(found.filter((line) => /remove/i.test(line))).toEqual([]);
  });
});

test('H3: where nothing was applied, the remedy names address and key before the block that is not served', async () => {
  const platform = await serve(createEmulator({ profile: 'standard', apiKey: 'right-key', documentedOnly: true }));
  onTestFinished(() => platform.close());
  const found = await refusal(manifest(platform.url));
  const check = `First check ${platform.url} and TRUEUP_API_KEY (owner of organization org_1):`;
  expect(found).toContainEqual(
    expect.stringMatching(/cannot set memoryLimit: .* -> First check .* Use a platform .*, or remove the line\./),
  );
  for (const line of found) expect(line).toContain(check);
});

test('H3: where it could not be read what the platform serves, no remedy takes a block away', async () => {
  const emulator = createEmulator({ apiKey: 'right-key', profile: 'dokploy' });
  const platform = await serve({
    ...emulator,
    send: async (request) =>
      request.path.includes('settings.getOpenApiDocument')
        ? { status: 200, headers: { 'content-type': 'text/html' }, body: page }
        : emulator.send(request),
  });
  onTestFinished(() => platform.close());
  const found = await refusal(manifest(platform.url));
  expect(found).toContainEqual(expect.stringContaining('whether the platform serves application.update is not known'));
  expect(found.filter((line) => removes.test(line))).toEqual([]);
});
