import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import type { EmulatorOptions } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { doctorDocument } from '../../../src/render/document-schemas.ts';
import { apiKey } from '../place.ts';
import { documentOf, project, trueup } from '../process.ts';

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** A platform, and the folder of a manifest for it. */
async function platform(options: EmulatorOptions = {}, profile = '', isHidden = (_path: string) => false) {
  const emulator = createEmulator({ profile: 'standard', apiKey, ...options });
  const notFound = { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>Not found</html>' };
  const server = await serve({
    ...emulator,
    send: async (request) => (isHidden(request.path) ? notFound : emulator.send(request)),
  });
  servers.push(server);
  const folder = project(`trueup: 1\nplatform: { url: "${server.url}"${profile} }\nproject: prj_1\n`);
  return { emulator, url: server.url, folder };
}

const examine = async (folder: string, env: Record<string, string> = { TRUEUP_API_KEY: apiKey }) => {
  const ran = await trueup(['doctor', '-C', folder, '--format', 'json'], { env });
  const document = doctorDocument.parse(documentOf(ran));
  const of = (name: string) => document.checks.filter((check) => check.name === name);
  return { ...ran, document, of };
};

describe('trueup doctor', () => {
  it('finds nothing wrong with a platform that keeps to the document, and sends GETs only', async () => {
    const { folder, emulator } = await platform({ documentedOnly: true });
    const { code, document, of } = await examine(folder);
    expect(code).toBe(0);
    expect(document.checks.filter(({ is }) => is === 'bad')).toEqual([]);
    expect(of('key')).toMatchObject([{ is: 'good' }]);
    expect(of('rights')).toMatchObject([{ message: 'the key is one of an owner' }]);
    expect(of('capabilities')[0]?.message).toContain('it keeps to the API document');
    // Two kinds stand in `schedules`.
    const [, missing = ''] = /without these sections: (.+)$/.exec(of('capabilities')[0]?.message ?? '') ?? [];
    expect(missing.split(', ').filter((section) => section === 'schedules')).toHaveLength(1);
    expect(of('state')).toMatchObject([{ is: 'good' }]);
    expect(emulator.log.map(({ method }) => method)).toEqual(Array.from({ length: 6 }, () => 'GET'));
    expect(document.requests).toEqual({ reads: 6, writes: 0 });
  });

  it('prints a line for each check, and below it what to do', async () => {
    const { folder, url } = await platform({ documentedOnly: true });
    const { out } = await trueup(['doctor', '-C', folder], { env: { TRUEUP_API_KEY: apiKey } });
    expect(out).toContain(`ok       address       ${url} is reachable\n`);
    expect(out).toContain('ok       key           the platform accepts the API key\n');
    expect(out).not.toContain(apiKey);
  });

  it('tells the version of a platform that publishes it, and what is missing there', async () => {
    const { folder } = await platform(
      { profile: 'dokploy', lacks: ['application.update', 'mysql.one'] },
      ', profile: dokploy',
    );
    const { code, of } = await examine(folder);
    expect(code).toBe(0);
    expect(of('version')).toMatchObject([{ is: 'good', message: 'v0.30.2' }]);
    expect(of('profile')).toMatchObject([{ is: 'good', message: 'dokploy' }]);
    expect(of('capabilities')).toMatchObject([
      {
        is: 'warning',
        message: expect.stringMatching(
          /^2 of the \d+ operations beyond the API document that Trueup uses are missing; without these sections: mysql$/,
        ) as string,
      },
      {
        is: 'warning',
        message: expect.stringMatching(
          /^application: cannot set autoDeploy, .+ and \d+ more; cannot change name, description \(not served: application\.update\)$/,
        ) as string,
      },
    ]);
  });

  it('tries a batch of a platform that has them, and finds nothing missing that is used', async () => {
    const { folder, emulator } = await platform({ profile: 'dokploy' }, ', profile: dokploy');
    const { of, document } = await examine(folder);
    expect(of('capabilities')).toMatchObject([
      { is: 'good', message: expect.stringMatching(/^all \d+ operations beyond the API document that Trueup uses$/) },
    ]);
    expect(of('bulk reads')).toMatchObject([{ is: 'good', message: expect.stringContaining('answered a batch') }]);
    expect(document.requests.reads).toBeLessThanOrEqual(10);
    expect(emulator.log.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('says why there are no bulk reads where a proxy answers batches otherwise', async () => {
    const { folder } = await platform({ profile: 'dokploy' }, ', profile: dokploy', (path) =>
      path.startsWith('/api/trpc/'),
    );
    const { code, of } = await examine(folder);
    expect(code).toBe(0);
    expect(of('bulk reads')).toMatchObject([{ is: 'warning', message: expect.stringContaining('none: ') as string }]);
  });

  it('names the profile to write when the platform speaks other words', async () => {
    const { folder } = await platform({ profile: 'dokploy' }, ', profile: standard');
    const { code, of } = await examine(folder);
    expect(code).toBe(1);
    expect(of('profile')).toMatchObject([{ is: 'bad', remedy: expect.stringContaining('profile: dokploy') as string }]);
  });

  it('ends with 4 when the key is rejected, and names the limit of keys; it never prints the key', async () => {
    const { folder } = await platform();
    const wrong = 'a-key-that-is-wrong-4711';
    const { code, of, out, err } = await examine(folder, { TRUEUP_API_KEY: wrong });
    expect(code).toBe(4);
    const [key] = of('key');
    expect(key).toMatchObject({ is: 'bad' });
    expect(key?.remedy).toContain('has 10 uses in 24 hours, and the platform counts each request twice');
    expect(of('rights')).toMatchObject([{ is: 'unknown' }]);
    expect(out + err).not.toContain(wrong);
  });

  it('recognises a key with a limit: it is accepted once, and then rejected', async () => {
    const { emulator, folder } = await platform();
    const made = (await emulator.act('user.createApiKey', {
      name: 'limited',
      metadata: { organizationId: 'org_1' },
      rateLimitEnabled: true,
      rateLimitMax: 2,
      rateLimitTimeWindow: 86_400_000,
    })) as { key: string };
    const { code, of, out } = await examine(folder, { TRUEUP_API_KEY: made.key });
    expect(code).toBe(4);
    expect(of('key')).toMatchObject([{ is: 'bad', message: expect.stringContaining('it ran out') as string }]);
    expect(out).not.toContain(made.key);
  });

  it.each([
    ['owner', 10, 4, 'bad'],
    ['owner', 40, 0, 'warning'],
  ])('reads the limit of the key of an %s: %d uses', async (_role, rateLimitMax, exit, is) => {
    const { emulator, folder } = await platform();
    const made = (await emulator.act('user.createApiKey', {
      name: 'limited',
      metadata: { organizationId: 'org_1' },
      rateLimitEnabled: true,
      rateLimitMax,
      rateLimitTimeWindow: 86_400_000,
    })) as { key: string };
    const { code, of, out } = await examine(folder, { TRUEUP_API_KEY: made.key });
    expect(code).toBe(exit);
    const message = `the platform accepts the API key for now: the key has a rate limit of ${rateLimitMax} uses in 24 hours, and the platform counts each request twice`;
    const remedy = expect.stringMatching(/^Make a key without a limit, .* Set TRUEUP_API_KEY to it\.$/) as string;
    expect(of('key')).toMatchObject([{ is, message, remedy }]);
    expect(out).not.toContain(made.key);
  });

  it('says what a member may not do', async () => {
    const { emulator, folder } = await platform();
    Object.values(emulator.world.tables.member).forEach((row) => Object.assign(row, { role: 'member' }));
    const { code, of } = await examine(folder);
    expect(code).toBe(0);
    expect(of('rights')).toMatchObject([
      { is: 'warning', message: expect.stringContaining('the key is one of a member') as string },
    ]);
  });

  it('prints the smallest role that the manifest needs, and what the key lacks of it', async () => {
    const { emulator, folder } = await platform();
    const text = readFileSync(join(folder, 'trueup.yaml'), 'utf8').replace(/^environments:[^]*/m, '');
    const stack = 'environments:\n  production:\n    redis:\n      cache: { databasePassword: correct-horse-1 }\n';
    writeFileSync(join(folder, 'trueup.yaml'), text + stack);
    // An owner may everything, and learns which smaller key is enough.
    expect((await examine(folder)).of('rights')).toMatchObject([
      {
        is: 'good',
        details: expect.arrayContaining(['smallest role for this manifest: member, with these rights']) as string[],
      },
    ]);
    const lists = { accessedProjects: ['prj_1'], accessedEnvironments: ['env_prj_1'], canCreateServices: true };
    Object.values(emulator.world.tables.member).forEach((row) => Object.assign(row, { role: 'member', ...lists }));
    const lacking = await examine(folder);
    const [check] = lacking.of('rights');
    expect(check).toMatchObject({ is: 'warning', message: 'the key is one of a member, who lacks: canDeleteServices' });
    expect(check?.details?.[0]).toBe('smallest role for this manifest: member, with these rights');
    expect(check?.details?.join('\n')).toMatch(/ {2}canCreateServices: redis\.create, .*redis\.update/);
    expect(check?.details?.join('\n')).not.toMatch(/canAccessToDocker|canAccessToAPI|canCreateEnvironments/);
    Object.values(emulator.world.tables.member).forEach((row) => Object.assign(row, { canDeleteServices: true }));
    expect((await examine(folder)).of('rights')).toMatchObject([
      { is: 'warning', message: expect.stringContaining('who has the flags that this manifest needs') as string },
    ]);
    const models = 'ai:\n  main: { apiUrl: "https://ai.example.test", apiKey: k, model: m, isEnabled: true }\n';
    writeFileSync(join(folder, 'trueup.yaml'), text + stack + models);
    expect((await examine(folder)).of('rights')).toMatchObject([
      {
        is: 'warning',
        message: 'the key is one of a member, who lacks: the role owner or admin',
        details: [expect.stringMatching(/^smallest role for this manifest: admin, for ai\.create, /) as string],
      },
    ]);
  });

  it('tells an address where nothing answers, and one of a web page', async () => {
    const dead = project('trueup: 1\nplatform: { url: "http://127.0.0.1:9" }\nproject: prj_1\n');
    const { code, of } = await examine(dead);
    expect(code).toBe(1);
    expect(of('address')).toMatchObject([{ is: 'bad' }]);
    const pages = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<html>Hello</html>'));
    await new Promise<void>((resolve) => void pages.listen(0, '127.0.0.1', resolve));
    servers.push({ close: () => new Promise((resolve) => void pages.close(() => resolve())) });
    const { port } = pages.address() as { port: number };
    const page = await examine(project(`trueup: 1\nplatform: { url: "http://127.0.0.1:${port}" }\nproject: prj_1\n`));
    expect(page.of('address')).toMatchObject([{ is: 'bad', message: expect.stringContaining('web page') as string }]);
  });

  it('ends with 7 when the state cannot be read', async () => {
    const { folder } = await platform();
    const env = { TRUEUP_API_KEY: apiKey, TRUEUP_STATE_KEY: 'short' };
    const { code, of } = await examine(folder, env);
    expect(code).toBe(7);
    expect(of('state')).toMatchObject([{ is: 'bad' }]);
  });

  it('works without a manifest, by TRUEUP_URL', async () => {
    const { url } = await platform();
    const empty = mkdtempSync(join(tmpdir(), 'trueup-empty-'));
    const { code, of } = await examine(empty, { TRUEUP_API_KEY: apiKey, TRUEUP_URL: url });
    expect(code).toBe(0);
    expect(of('key')).toMatchObject([{ is: 'good' }]);
  });

  it('works on the embedded emulator', async () => {
    const { code, of } = await examine(project('trueup: 1\nplatform: emulator\nproject: prj_1\n'), {});
    expect(code).toBe(0);
    expect(of('capabilities')).toMatchObject([{ message: 'all that the emulator has' }]);
  });
});
