import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { documentOf, documentsOf, finish, project, start, trueup } from '../cli/process.ts';

const manifest = (platform: string): string =>
  `trueup: 1\nplatform: ${platform}\nproject: prj_1\nenvironments: { production: {} }\n`;
const key = { TRUEUP_API_KEY: 'right-key' };
let server: Awaited<ReturnType<typeof serve>>;
let url = '';

beforeAll(async () => {
  server = await serve(createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY }));
  ({ url } = server);
});
afterAll(() => server.close());

describe('exit codes', () => {
  it('3: the manifest is not valid, with the position of the mistake', async () => {
    const folder = project('trueup: 1\nplatform: emulator\nproject: prj_1\nenvironmentz: {}\n');
    const text = await trueup(['plan', '-C', folder]);
    expect(text).toEqual({
      code: 3,
      out: '',
      err: `error[unknown-key] trueup.yaml:4:1
a manifest has no key environmentz
  4 | environmentz: {}
    | ^^^^^^^^^^^^
  -> Did you mean environments?
`,
    });
    const json = await trueup(['plan', '-C', folder, '--format', 'json']);
    expect({ code: json.code, err: json.err }).toEqual({ code: 3, err: '' });
    expect(documentOf(json)).toMatchObject({
      format: 'trueup/error',
      exitCode: 3,
      diagnostics: [{ code: 'unknown-key' }],
    });
  });

  it('3: there is no manifest', async () => {
    expect(await trueup(['validate', '-C', project({})])).toMatchObject({ code: 3, out: '' });
  });

  it('4: the API key is missing or wrong', async () => {
    const folder = project(manifest(`{ url: "${url}" }`));
    const missing = await trueup(['plan', '-C', folder]);
    expect(missing).toMatchObject({ code: 4, out: '' });
    expect(missing.err).toContain('Set TRUEUP_API_KEY.');
    const wrong = await trueup(['plan', '-C', folder], { env: { TRUEUP_API_KEY: 'wrong-key' } });
    expect(wrong).toMatchObject({ code: 4, out: '' });
    expect(wrong.err).not.toContain('wrong-key');
    expect((await trueup(['plan', '-C', folder], { env: key })).code).toBe(0);
  });

  it('5: another run holds the lock', async () => {
    const folder = project(manifest(`{ url: "${url}" }`));
    const lease = await localStore(join(folder, '.trueup')).lock({ purpose: 'apply' });
    const locked = await trueup(['apply', '--auto-approve', '-C', folder], { env: key });
    expect(locked).toMatchObject({ code: 5, out: '' });
    expect(locked.err).toContain(`pid ${process.pid}, which runs apply since `);
    expect((await trueup(['plan', '-C', folder], { env: key })).code).toBe(0);
    await lease.release();
  });

  it('7: the state cannot be used', async () => {
    const folder = project(manifest('emulator'));
    mkdirSync(join(folder, '.trueup'));
    writeFileSync(join(folder, '.trueup/state.json'), '{');
    expect(await trueup(['plan', '-C', folder])).toMatchObject({ code: 7, out: '' });
    writeFileSync(join(folder, '.trueup/emulator.json'), '[]');
    expect(await trueup(['plan', '-C', folder])).toMatchObject({ code: 7, out: '' });
  });

  it.each([
    ['the lock cannot be read any more', 'lease'],
    ['the state cannot be replaced at the end', 'state.json'],
  ])('6: something was written, and then %s', async (_, broken) => {
    const emulator = createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY });
    const folder = project('');
    let isBroken = false;
    const breaking = async (request: WireRequest) => {
      const answer = await emulator.send(request);
      if (!isBroken && request.path.includes('redis.create')) {
        isBroken = true;
        rmSync(join(folder, '.trueup', broken), { recursive: true, force: true });
        // What is a file cannot be listed, and what is a folder cannot be replaced by a file.
        if (broken === 'lease') writeFileSync(join(folder, '.trueup', broken), '');
        else mkdirSync(join(folder, '.trueup', broken, 'in-the-way'), { recursive: true });
      }
      return answer;
    };
    const own = await serve({ ...emulator, send: breaking });
    const text = manifest(`{ url: "${own.url}" }`).replace(
      'production: {}',
      'production: { redis: { main: { dockerImage: redis:8, databasePassword: password-1 } } }',
    );
    writeFileSync(join(folder, 'trueup.yaml'), text);
    // The next run waits as long for what this one sent and did not record.
    const apply = ['apply', '--auto-approve', '--adopt', '--in-flight-timeout', '1', '-C', folder];
    const run = await trueup(apply, { env: key });
    expect(isBroken).toBe(true);
    expect({ ...run, code: run.code }).toMatchObject({ code: 6 });
    expect(run.out + run.err).not.toMatch(/Nothing was (changed|sent)/);
    expect(run.out).toMatch(/created/);
    rmSync(join(folder, '.trueup', broken), { recursive: true, force: true });
    const again = await trueup(apply, { env: key });
    expect(again).toMatchObject({ code: 0 });
    expect(await trueup(['plan', '--detailed-exitcode', '-C', folder], { env: key })).toMatchObject({ code: 0 });
    expect(Object.keys(emulator.world.tables.redis)).toHaveLength(1);
    await own.close();
  });

  it('1: there is no terminal and --auto-approve is missing', async () => {
    const run = await trueup(['apply', '-C', project(manifest('emulator'))]);
    expect(run.code).toBe(1);
    expect(run.out).toContain('Plan: 1 to adopt.');
    expect(run.err).toContain('trueup apply --auto-approve');
    const why = 'cannot ask for approval: standard input or output is not a terminal; nothing was sent';
    expect(run.err).toContain(why);
    const json = await trueup(['apply', '--format', 'json', '-C', project(manifest('emulator'))]);
    expect(json.out).toContain('cannot ask for approval: this --format asks no questions; nothing was sent');
  });

  it('1: the command line cannot be followed', async () => {
    const folder = project(manifest('emulator'));
    const cases = [
      [['plan', '--wrong'], "unknown option '--wrong'"],
      [['plann'], 'did you mean'],
      [['plan', '--connections', 'many', '-C', folder], '--connections must be a whole number'],
      [['apply', '--in-flight-timeout', 'soon', '-C', folder], '--in-flight-timeout must be 0 to 3600 seconds'],
      [['apply', '--fence', 'soon', '-C', folder], '--fence must be 0 to 3600 seconds'],
      [['plan', '--var', 'novalue', '-C', folder], '--var must be name=value'],
      [['plan', '--var', 'tag=1', '-C', folder], 'declares no variable'],
      [['plan', '-C', join(folder, 'nowhere')], 'there is no folder'],
    ] as const;
    for (const { run, words } of await Promise.all(
      cases.map(async ([args, expected]) => ({ run: await trueup(args), words: expected })),
    )) {
      expect(run).toMatchObject({ code: 1, out: '' });
      expect(run.err.toLowerCase()).toContain(words.toLowerCase());
    }
    const json = await trueup(['plan', '--wrong', '--format', 'json']);
    expect(documentOf(json)).toMatchObject({ format: 'trueup/error', exitCode: 1, diagnostics: [{ code: 'usage' }] });
  });

  it('1: nothing listens at the address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    const run = await trueup(['plan', '-C', project(manifest(`{ url: "http://127.0.0.1:${port}" }`))], { env: key });
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('the server refused the connection');
  });
});

describe('an apply that does not get through', () => {
  const shop = (
    address: string,
  ): string => `${manifest(`{ url: "${address}" }`).replace('{ production: {} }', '')}  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }
        domains: { shop.example.com: { serviceName: web, port: 8080 } }
`;

  it('6: a part was applied, and the next run does the rest', async () => {
    const emulator = createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY });
    const { send } = emulator;
    // It surely did nothing, so that nobody has to wait until it can have no effect any more.
    const refusal = JSON.stringify({
      message: 'invalid',
      code: 'BAD_REQUEST',
      issues: [{ path: ['host'], message: 'x' }],
    });
    let isBroken = true;
    emulator.send = (request) =>
      isBroken && request.path === '/api/domain.create'
        ? Promise.resolve({ status: 400, headers: {}, body: refusal })
        : send(request);
    const server = await serve(emulator);
    const folder = project(shop(server.url));
    const partly = await trueup(['apply', '--auto-approve', '-C', folder], { env: key });
    expect(partly.code).toBe(6);
    expect(partly.out).toContain('Not everything was applied: 1 created, 1 adopted, 1 failed, 1 skipped.');
    expect(partly.err).toContain('creating failed');
    isBroken = false;
    const rest = await trueup(['apply', '--auto-approve', '--format', 'json', '-C', folder], { env: key });
    expect(documentsOf(rest).at(-1)).toMatchObject({ format: 'trueup/result', ending: 'done', exitCode: 0 });
    expect((await trueup(['plan', '--detailed-exitcode', '-C', folder], { env: key })).code).toBe(0);
    await server.close();
  });

  it('finishes requests in flight after a first signal, and the next apply does the rest', async () => {
    const server = await serve(createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY }), { latencyMs: 100 });
    const folder = project(shop(server.url));
    const child = start(['apply', '--auto-approve', '-C', folder], { env: key });
    child.stderr.once('data', () => child.kill('SIGINT'));
    const stopped = await finish(child);
    expect(stopped.code).toBe(6);
    expect(stopped.err).toContain('stopping after the requests in flight');
    expect(stopped.out.slice(stopped.out.indexOf('Interrupted')))
      .toBe(`Interrupted: 1 created, 1 adopted, 2 not started.
Not started, because the run was interrupted: creating production.compose.shop.domains["shop.example.com"], deploying production.compose.shop.
Finished changes are on the platform and in the state; the next run does not repeat them.
Next: run trueup apply again; it starts what is left.
Exit code 6.
4 reads, 1 write
`);
    expect((await trueup(['apply', '--auto-approve', '-C', folder], { env: key })).code).toBe(0);
    await server.close();
  });
});

describe('the API key goes nowhere it should not', () => {
  const hostile = [
    ['plain http', manifest('{ url: "http://platform.example.com" }'), {}, 3, 'plain http'],
    [
      'another platform than TRUEUP_URL',
      manifest('{ url: "https://evil.example.com" }'),
      { TRUEUP_URL: 'https://platform.example.com' },
      1,
      'TRUEUP_URL',
    ],
    [
      'the emulator instead of TRUEUP_URL',
      manifest('emulator'),
      { TRUEUP_URL: 'https://platform.example.com' },
      1,
      'TRUEUP_URL',
    ],
    [
      'the key in a value',
      manifest('emulator').replace('{}', '{ description: "${env:TRUEUP_API_KEY}" }'),
      {},
      3,
      'cannot read',
    ],
  ] as const;
  it.each(hostile)('%s is refused', async (_what, text, env, code, words) => {
    const run = await trueup(['plan', '-C', project(text)], { env: { ...key, ...env } });
    expect(run).toMatchObject({ code, out: '' });
    expect(run.err).toContain('error[hostile-setting]');
    expect(run.err).toContain(words);
    expect(run.err).not.toContain(key.TRUEUP_API_KEY);
  });

  it('a trailing slash in TRUEUP_URL makes no difference', async () => {
    const folder = project(manifest(`{ url: "${url}" }`));
    expect((await trueup(['plan', '-C', folder], { env: { ...key, TRUEUP_URL: `${url}/` } })).code).toBe(0);
  });

  it.each([
    [
      'a redirect',
      302,
      { location: 'https://elsewhere.example.com/' },
      'Set the address of the platform to https://elsewhere.example.com, if you know that as its address',
    ],
    ['a page of HTML', 200, { 'content-type': 'text/html' }, 'Check that the address is that of the platform'],
  ])('%s is no platform', async (_what, status, headers, words) => {
    const requests = new Map<string, number>();
    const server = createServer(({ url: path = '' }, response) => {
      requests.set(path, (requests.get(path) ?? 0) + 1);
      response.writeHead(status, headers).end('<html>\u001B[31mlog in</html>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const run = await trueup(['plan', '-C', project(manifest(`{ url: "http://127.0.0.1:${port}" }`))], { env: key });
    server.close();
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain(words);
    expect(run.err).not.toContain('\u001B');
    // The version, the caller and the environments at the same time, and each once more at most.
    expect(requests.size).toBeLessThanOrEqual(3);
    expect([...requests.values()].filter((times) => times > 2)).toEqual([]);
  });
});

describe('trueup emulate', () => {
  it('prints the variables to set, serves, and ends on a signal', async () => {
    const folder = project({});
    const child = start(['emulate', '--port', '0', '--data', join(folder, 'world.json')]);
    const ended = finish(child);
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (text: string) => resolve(text)));
    const address = /^TRUEUP_URL=(\S+)\nTRUEUP_API_KEY=(\S+)\n$/.exec(line);
    const answer = await fetch(`${address?.[1]}/api/user.get`, { headers: { 'x-api-key': address?.[2] ?? '' } });
    expect(answer.status).toBe(200);
    const second = await trueup(['emulate', '--port', '0', '--data', join(folder, 'world.json')]);
    expect(second.code).toBe(5);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('speaks the words of --profile', async () => {
    const child = start(['emulate', '--port', '0', '--profile', 'dokploy']);
    const ended = finish(child);
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (text: string) => resolve(text)));
    const address = /^TRUEUP_URL=(\S+)\nTRUEUP_API_KEY=(\S+)\n$/.exec(line);
    const headers = { 'x-api-key': address?.[2] ?? '' };
    const providers = await fetch(`${address?.[1]}/api/github.githubProviders`, { headers });
    expect(await providers.json()).toMatchObject([{ githubId: 'hub_1' }, {}]);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
    const wrong = await trueup(['emulate', '--profile', 'coolify']);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('--profile must be standard or dokploy, got "coolify"');
  });

  it('serves only documented operations with --documented-only, and refuses other members with --strict', async () => {
    const child = start(['emulate', '--port', '0', '--documented-only', '--strict']);
    const ended = finish(child);
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (text: string) => resolve(text)));
    const address = /^TRUEUP_URL=(\S+)\nTRUEUP_API_KEY=(\S+)\n$/.exec(line);
    const headers = { 'x-api-key': address?.[2] ?? '', 'content-type': 'application/json' };
    const extension = await fetch(`${address?.[1]}/api/project.all`, { headers });
    expect(extension.status).toBe(404);
    const body = JSON.stringify({ aiId: 'none', misspelt: 1 });
    const member = await fetch(`${address?.[1]}/api/ai.delete`, { method: 'POST', headers, body });
    expect(member.status).toBe(400);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
});
