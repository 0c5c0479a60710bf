import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/api/contract.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { redacted } from '../../src/secrets/secret.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { project, trueup } from '../cli/process.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';

/** Texts from elsewhere are clean before they become part of a sentence, wherever they enter. */

const secret = 'correct-horse-battery';
const apiKey = 'right-key-4711';
const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_UNUSED: secret };
const open: { close(): unknown }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

async function platform(around: (emulator: Emulator) => Emulator = (one) => one, profile: Profile = 'standard') {
  const emulator = createEmulator({ apiKey, profile });
  const server = await serve(around(emulator));
  open.push(server);
  return { emulator, url: server.url };
}

const head = (url: string) => `trueup: 1\nplatform: { url: "${url}" }\nproject: prj_1\nenvironments:\n  production:\n`;
const cache = `    redis: { cache: { dockerImage: "redis:7", databasePassword: x1 } }\n`;

describe('a name that only the platform has', () => {
  it.each([
    ['plan', []],
    ['plan', ['--format', 'json']],
    ['drift', ['--no-remember']],
    ['drift', ['--no-remember', '--format', 'json']],
    ['drift', ['--no-remember', '--format', 'markdown']],
  ])('shows no secret as an unmanaged object, in trueup %s %j', async (command, words) => {
    const { emulator, url } = await platform();
    const folder = project(head(url) + cache);
    expect((await trueup(['apply', '--auto-approve', '-C', folder], { env })).code).toBe(0);
    const { environmentId } = Object.values(emulator.world.tables.environment)[0] ?? {};
    const row = { name: `nightly ${secret}`, environmentId, databasePassword: 'x2', dockerImage: 'redis:7' };
    await emulator.act('redis.create', row);
    const { out, err } = await trueup([command, ...words, '-C', folder], { env });
    expect(out).toMatch(command === 'plan' ? /unmanaged|not managed/ : /unmanaged/i);
    expect(out + err).not.toContain(secret);
  });

  it('shows no secret in the list of projects', async () => {
    const { emulator, url } = await platform(undefined, 'dokploy');
    await emulator.act('project.create', { name: `shop ${secret}` });
    const folder = project(head(url).replace('prj_1', 'shop').replace('" }', '", profile: dokploy }') + cache);
    const { err } = await trueup(['plan', '-C', folder], { env });
    expect(err).toContain(`shop ${redacted}`);
    expect(err).not.toContain(secret);
  });

  it('shows no secret in the list of what a reference can mean', async () => {
    const { emulator, url } = await platform();
    await emulator.act('sshKey.create', {
      name: `key ${secret}`,
      privateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
      publicKey: 'ssh-ed25519 AAAA',
      organizationId: 'org_1',
    });
    const git = 'source: { type: git, customGitUrl: "git@a:b.git", customGitBranch: main, customGitSSHKeyId: deploy }';
    const folder = project(`${head(url)}    compose: { shop: { ${git} } }\n`);
    const { err } = await trueup(['plan', '-C', folder], { env });
    expect(err).not.toContain(secret);
  });
});

it('an environment that was renamed on the platform is no suggestion for a new one where its name holds a secret', async () => {
  const { emulator, url } = await platform();
  const folder = project(`${head(url)}${cache}  older: {}\n`);
  expect((await trueup(['apply', '--auto-approve', '-C', folder], { env })).code).toBe(0);
  for (const row of Object.values(emulator.world.tables.environment)) if (row['name'] === 'older') row['name'] = secret;
  writeFileSync(join(folder, 'trueup.yaml'), `${head(url)}${cache}  ${secret.replace('y', 'x')}: {}\n`);
  const { out, err } = await trueup(['plan', '-C', folder], { env });
  expect(out).toContain('batterx');
  expect(out + err).not.toContain(secret);
});

describe('a value that only the platform has', () => {
  it('shows no secret in a plan, and the text of the manifest beside it', async () => {
    const { emulator, url } = await platform();
    const stack = (description: string) =>
      `${head(url)}    compose: { shop: { description: "${description}", deploy: never, source: { type: raw, composeFile: "services: { a: { image: a } }" } } }\n`;
    expect((await trueup(['apply', '--auto-approve', '-C', project(stack('a'))], { env })).code).toBe(0);
    const [composeId] = Object.keys(emulator.world.tables.compose);
    await emulator.act('compose.update', { composeId, description: `by ${secret}` });
    const { out } = await trueup(['plan', '-C', project(stack('a shop'))], { env });
    expect(out).toContain(redacted);
    expect(out).toContain('a shop');
    expect(out).not.toContain(secret);
  });
});

it('a value that the user calls private is clean in an error that quotes it, and the others are not', async () => {
  const { url } = await platform((emulator) => ({
    ...emulator,
    send: (request) =>
      request.path.includes('compose.update')
        ? Promise.resolve({
            status: 400,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ message: 'cannot write Example GmbH, 10 seats, eu-central', code: 'BAD_REQUEST' }),
          })
        : emulator.send(request),
  }));
  const env = { CUSTOMER: 'Example GmbH, 10 seats', REGION: 'eu-central' };
  const folder = project(
    `${head(url)}    compose: { shop: { private: [CUSTOMER], deploy: never, env: ${JSON.stringify(env)}, source: { type: raw, composeFile: "services: { a: { image: a } }" } } }\n`,
  );
  const { out, err } = await trueup(['apply', '--auto-approve', '-C', folder], { env: { TRUEUP_API_KEY: apiKey } });
  expect(out + err).toContain(`cannot write ${redacted}, eu-central`);
  expect(out + err).not.toContain('Example GmbH');
});

describe('a token of the pipeline that the platform quotes', () => {
  it.each(['GITHUB_TOKEN', 'CI_JOB_TOKEN', 'TRUEUP_FORGE_TOKEN', 'PGPASSWORD'])('is hidden: %s', async (name) => {
    const { url } = await platform((emulator) => ({
      ...emulator,
      send: () =>
        Promise.resolve({
          status: 400,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ message: `git clone https://x:${secret}@host failed`, code: 'BAD_REQUEST' }),
        }),
    }));
    const { err } = await trueup(['call', 'user.get'], {
      env: { TRUEUP_API_KEY: apiKey, TRUEUP_URL: url, [name]: secret },
    });
    expect(err).toContain('failed');
    expect(err).not.toContain(secret);
  });
});

it('an answer of a bucket that quotes a secret is clean', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/xml' }).end('<Code>SessionToken4711</Code>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  const { port } = server.address() as AddressInfo;
  const state = `state: { backend: s3, endpoint: "http://127.0.0.1:${port}", bucket: b, region: eu }\n`;
  const { url } = await platform();
  const { err } = await trueup(['plan', '-C', project(state + head(url) + cache)], {
    env: {
      ...env,
      TRUEUP_STATE_KEY: newStateKey().text(),
      AWS_ACCESS_KEY_ID: 'AKIA1',
      AWS_SECRET_ACCESS_KEY: 'x1',
      AWS_SESSION_TOKEN: 'SessionToken4711',
    },
  });
  expect(err).toContain(`403 ${redacted}`);
  expect(err).not.toContain('SessionToken4711');
});

it('a commit and its author are clean in trueup explain', async () => {
  const { url } = await platform();
  const folder = project(head(url) + cache);
  const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words], { stdio: 'pipe' });
  git('init', '-q');
  git('add', '-A');
  const who = ['-c', `user.name=Bot ${secret}`, '-c', 'user.email=bot@example.com'];
  git(...who, 'commit', '-q', '-m', `Add a cache with ${secret}`);
  const { out, err } = await trueup(['explain', 'production.redis.cache', '--offline', '-C', folder], { env });
  expect(out).toContain(redacted);
  expect(out + err).not.toContain(secret);
});

describe('the holder of a shared lock', () => {
  it.each([[['apply', '--auto-approve']], [['state', 'unlock']], [['state', 'unlock', '--yes']]])(
    'shows no secret in trueup %j',
    async (words) => {
      const store = await serveS3(['states']);
      open.push(store);
      const { url } = await platform();
      const state = `state: { backend: s3, endpoint: "${store.url}", bucket: states, region: eu-central-1 }\n`;
      const folder = project(state + head(url) + cache);
      const about = {
        env: {
          ...env,
          TRUEUP_STATE_KEY: newStateKey().text(),
          AWS_ACCESS_KEY_ID: 'ci',
          AWS_SECRET_ACCESS_KEY: secretOf('ci'),
        },
      };
      expect((await trueup(['apply', '--auto-approve', '-C', folder], about)).code).toBe(0);
      const [name = '', object] = [...store.objects].find(([one]) => one.endsWith('lease.json')) ?? [];
      if (object === undefined) throw new Error('there is no lease');
      const holder = {
        id: 'x',
        owner: `ci ${secret}`,
        machine: 'elsewhere',
        pid: 1,
        purpose: `apply ${btoa(secret)}`,
        since: '2026-01-01T00:00:00Z',
        beat: 1,
        lastsMs: 60_000,
      };
      store.objects.set(name, {
        ...object,
        text: JSON.stringify({ ...(JSON.parse(object.text) as object), holder }),
        at: Date.now(),
      });
      const { out, err } = await trueup([...words, '-C', folder], about);
      expect(out + err).toContain(`ci ${redacted}`);
      expect(out + err).not.toContain(secret);
      expect(out + err).not.toContain(btoa(secret).slice(0, -2));
    },
  );
});

describe('an output of the manifest that the platform fills with a secret', () => {
  it.each([[['output']], [['output', '--format', 'json']], [['output', 'host']], [['output', 'host', '--raw']]])(
    'does not show in trueup %j',
    async (words) => {
      const { emulator, url } = await platform();
      const folder = project(`${head(url)}${cache}outputs: { host: "\${ref:production.redis.cache.host}:6379" }\n`);
      expect((await trueup(['apply', '--auto-approve', '-C', folder], { env })).code).toBe(0);
      for (const row of Object.values(emulator.world.tables.redis)) row['appName'] = `cache-${btoa(secret)}`;
      const { code, out, err } = await trueup([...words, '-C', folder], { env });
      expect(out + err).not.toContain(btoa(secret).slice(0, -2));
      // A script would take (sensitive) for the value.
      expect([code, out.includes(redacted)]).toEqual(words.includes('host') ? [1, false] : [0, true]);
      const shown = await trueup(['output', 'host', '--show-secrets', '-C', folder], { env });
      expect(shown.out).toBe(`cache-${btoa(secret)}:6379\n`);
    },
  );
});
