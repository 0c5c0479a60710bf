import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../src/library/open-project-folder.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { project, trueup } from '../cli/process.ts';
import { listeners } from '../support/listeners.ts';
import type { S3Server } from '../support/s3-server.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { keyText } from '../support/state-key.ts';

/** A manifest of a stranger names the platform that gets the API key, or the location of the state and its credentials. */

const key = { TRUEUP_API_KEY: 'canary-api-key' };
const ci = { ...key, CI: 'true' };
const aws = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: secretOf('key'), TRUEUP_STATE_KEY: keyText };

const listen = listeners();
let platform: Awaited<ReturnType<typeof serve>>;
let store: S3Server;
beforeAll(async () => {
  platform = await serve(createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY }));
  store = await serveS3(['states', 'others']);
});
afterAll(async () => {
  await platform.close();
  await store.close();
});

/** Cases of a test for commands, with their titles. */
const each = (commands: readonly (readonly string[])[]) => commands.map((words) => [words.join(' '), words] as const);

const manifest = (lines: string) => project(`trueup: 1\nproject: prj_1\n${lines}\nenvironments: { production: {} }\n`);
const at = (url: string, more = '') => manifest(`platform: { url: "${url}" }\n${more}`);
const bucket = (more = '', endpoint = store.url) =>
  `state: { backend: s3, endpoint: "${endpoint}", bucket: states${more} }`;

/** Every command that talks to the platform or to the state. */
const connecting: readonly (readonly string[])[] = [
  ['plan'],
  ['plan', '--destroy'],
  ['apply', '--auto-approve'],
  ['destroy', '--auto-approve'],
  ['import', 'production', 'env_prj_1'],
  ['status'],
  ['output'],
  ['run', 'deploy', 'production.compose.a'],
  ['logs', 'production.postgres.a'],
  ['state', 'rebuild', '--yes'],
];

const onlyState: readonly (readonly string[])[] = [
  ['state', 'list'],
  ['state', 'show', 'production'],
  ['state', 'unlock', '--yes'],
  ['state', 'key'],
  ['state', 'key', '--migrate'],
  ['state', 'accept-older', '--yes'],
];

describe('S9: where CI is set, the environment chooses the platform', () => {
  it.each(each([...connecting, ['call', 'compose.one', 'composeId=x']]))(
    'S9: %s asks no platform that only the manifest names',
    async (_title, words) => {
      const evil = await listen();
      const run = await trueup([...words, '-C', at(`https://${evil.host}`)], { env: ci });
      expect(run).toMatchObject({ code: 1, out: '' });
      expect(run.err).toContain(
        `error[unpinned]\nthe manifest cannot choose the platform https://${evil.host}, because CI is set`,
      );
      expect(run.err).toContain('Set TRUEUP_URL to the address of your platform');
      expect(run.err).toContain('--no-pinned');
      expect(evil.connections).toBe(0);
    },
  );

  it.each(each([...connecting, ['call', 'compose.one', 'composeId=x']]))(
    'S9: %s asks no other platform than that of TRUEUP_URL',
    async (_title, words) => {
      const evil = await listen();
      const run = await trueup([...words, '-C', at(`https://${evil.host}`)], {
        env: { ...ci, TRUEUP_URL: platform.url },
      });
      expect(run).toMatchObject({ code: 1, out: '' });
      expect(run.err).toContain('and TRUEUP_URL another one');
      expect(evil.connections).toBe(0);
    },
  );

  it('S9: asks no source of secrets before', async () => {
    const folder = project(
      'trueup: 1\nproject: prj_1\nplatform: { url: "https://platform.example.com" }\n' +
        'secrets: [{ command: [touch, "ran-{name}"] }]\n' +
        'environments: { production: { description: "${secret:A}" } }\n',
    );
    const run = await trueup(['plan', '--allow-secret-commands', '-C', folder], { env: ci });
    expect(run.err).toContain('error[unpinned]');
    expect(existsSync(join(folder, 'ran-A'))).toBe(false);
  });

  it('S9: allows the platform of TRUEUP_URL, this machine, and the emulator', async () => {
    const pinned = { ...ci, TRUEUP_URL: platform.url };
    expect((await trueup(['plan', '-C', at(platform.url)], { env: pinned })).code).toBe(0);
    expect((await trueup(['plan', '-C', at(platform.url)], { env: ci })).code).toBe(0);
    expect((await trueup(['plan', '-C', manifest('platform: emulator')], { env: ci })).code).toBe(0);
  });

  it('S9: a manifest may name no platform: then TRUEUP_URL decides', async () => {
    const folder = manifest('');
    const pinned = { ...ci, TRUEUP_URL: platform.url };
    expect((await trueup(['apply', '--auto-approve', '--adopt', '-C', folder], { env: pinned })).code).toBe(0);
    expect((await trueup(['plan', '-C', folder], { env: pinned })).out).toContain('No changes');
    expect((await trueup(['status', '-C', folder], { env: pinned })).code).toBe(0);
    expect((await trueup(['plan', '-C', folder], { env: { ...key, TRUEUP_URL: platform.url } })).code).toBe(0);
    for (const env of [{}, { TRUEUP_URL: '' }, { TRUEUP_URL: 'https://u:p@host' }]) {
      const run = await trueup(['plan', '-C', folder], { env: { ...ci, ...env } });
      expect(run).toMatchObject({ code: 3, out: '' });
      expect(run.err).toContain('platform is missing');
      expect(run.err).toContain('or set TRUEUP_URL');
    }
  });

  it.each([[['validate']], [['schema']], [['completion', 'bash']], [['call', '--list']], [['--version']]])(
    'S9: needs no address for %s',
    async (words) => {
      const folder = at(
        'https://platform.example.com',
        'state: { backend: s3, endpoint: "https://s3.example.com", bucket: b }',
      );
      expect((await trueup([...words, '-C', folder], { env: { CI: 'true' } })).code).toBe(0);
    },
  );
});

describe('S9: where CI is set, the environment chooses the location of the state', () => {
  const commands = [...connecting, ...onlyState];

  it.each(each(commands))('S9: %s asks no bucket that only the manifest names', async (_title, words) => {
    const evil = await listen();
    const folder = at(platform.url, bucket('', `https://${evil.host}`));
    const run = await trueup([...words, '-C', folder], { env: { ...ci, ...aws } });
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain(
      'error[unpinned]\nthe manifest cannot choose the location of the state, because CI is set',
    );
    expect(run.err).toContain('Set TRUEUP_STATE_URL to s3://bucket/prefix?endpoint=https://…&region=…');
    expect(evil.connections).toBe(0);
  });

  it.each([
    ['another endpoint', (evil: string) => bucket('', `https://${evil}`), 'state.endpoint: the manifest names'],
    [
      'another bucket',
      () => bucket().replace('states', 'others'),
      'state.bucket: the manifest names others, and TRUEUP_STATE_URL states',
    ],
    [
      'another prefix',
      () => bucket(', prefix: other'),
      'state.prefix: the manifest names other, and TRUEUP_STATE_URL prj_1',
    ],
    [
      'another region',
      () => bucket(', region: mars'),
      'state.region: the manifest names mars, and TRUEUP_STATE_URL us-east-1',
    ],
    [
      'a database',
      () => 'state: { backend: postgres }',
      'the manifest names a state in PostgreSQL, and TRUEUP_STATE_URL another one',
    ],
    ['a folder', () => 'state: { backend: local }', 'the manifest names a state in the folder of the manifest'],
  ])('S9: refuses %s than that of TRUEUP_STATE_URL', async (_what, state, words) => {
    const evil = await listen();
    const env = { ...ci, ...aws, TRUEUP_STATE_URL: `s3://states?endpoint=${store.url}` };
    for (const command of commands) {
      const before = store.log.length;
      const run = await trueup([...command, '-C', at(platform.url, state(evil.host))], { env });
      expect(run, command.join(' ')).toMatchObject({ code: 1, out: '' });
      expect(run.err).toContain('error[hostile-setting]');
      expect(run.err).toContain(words);
      expect(evil.connections + store.log.length - before).toBe(0);
    }
  });

  it('S9: uses the bucket of TRUEUP_STATE_URL, when the manifest names it or none', async () => {
    for (const [name, state] of [
      ['named', bucket(', prefix: named/')],
      ['unnamed', ''],
    ]) {
      const env = { ...ci, ...aws, TRUEUP_STATE_URL: `s3://states/${name}?endpoint=${store.url}&region=eu-central-1` };
      const folder = at(platform.url, state);
      const apply = await trueup(['apply', '--auto-approve', '--adopt', '-C', folder], { env });
      expect(apply).toMatchObject({ code: 0 });
      expect([...store.objects.keys()]).toContain(`states/${name}/state.json`);
      expect((await trueup(['plan', '--detailed-exitcode', '-C', folder], { env })).out).toContain('No changes');
      expect((await trueup(['state', 'list', '-C', folder], { env })).out).toContain('production');
    }
  });

  it.each(each(onlyState))('S9: %s reads no other bucket than that of TRUEUP_STATE_URL', async (_title, words) => {
    const inUrl = { ...ci, ...aws, TRUEUP_STATE_URL: `s3://states?endpoint=${store.url}` };
    const inManifest = bucket(', prefix: "shop/../../others/shop"');
    const rest = `platform: { url: "${platform.url}" }\nenvironments: { production: {} }\n`;
    for (const [folder, env] of [
      [project(`trueup: 1\nproject: ../others/shop\n${rest}`), inUrl],
      [project(`trueup: 1\nproject: shop\n${inManifest}\n${rest}`), { ...key, ...aws }],
    ] as const) {
      const before = store.log.length;
      const run = await trueup([...words, '-C', folder], { env });
      expect(store.log.slice(before).map(({ name }) => name)).toEqual([]);
      expect(run).toMatchObject({ code: 7, out: '' });
      expect(run.err).toContain('its prefix has a part "." or "..", which leads to another object');
    }
  });

  it('S9: allows a state in the folder of the manifest, and a bucket on this machine', async () => {
    for (const state of ['', 'state: { backend: local }', bucket(', prefix: loopback')]) {
      expect((await trueup(['plan', '-C', at(platform.url, state)], { env: { ...ci, ...aws } })).code).toBe(0);
    }
  });

  it('S9: leaves no state in the folder behind unseen', async () => {
    const folder = at(platform.url);
    mkdirSync(join(folder, '.trueup'));
    writeFileSync(join(folder, '.trueup/state.json'), '{}');
    const env = { ...ci, ...aws, TRUEUP_STATE_URL: `s3://states/two?endpoint=${store.url}` };
    const { code, err } = await trueup(['plan', '-C', folder], { env });
    expect(code).toBe(7);
    expect(err).toContain('there are two states');
  });

  it.each(each(onlyState))('S5: %s shows no state of another project by its name', async (_title, words) => {
    const database = await listen();
    const env = { ...ci, TRUEUP_STATE_KEY: keyText, TRUEUP_STATE_URL: `postgres://u:p@${database.loopback}/db` };
    for (const [state, words_] of [
      ['name: other', 'state.name: the manifest names other, and TRUEUP_STATE_URL prj_1'],
      ['schema: other', 'state.schema: the manifest names other, and TRUEUP_STATE_URL trueup'],
    ]) {
      const folder = at(platform.url, `state: { backend: postgres, ${state} }`);
      const run = await trueup([...words, '-C', folder], { env });
      expect(run).toMatchObject({ code: 1, out: '' });
      expect(run.err).toContain(words_);
      expect(run.err).toMatch(/TRUEUP_STATE_URL \(with (name|schema)=…\)/);
    }
    expect(database.connections).toBe(0);
  });

  it('S5: state list refuses the state of another project', async () => {
    const folder = at(platform.url);
    expect((await trueup(['apply', '--auto-approve', '--adopt', '-C', folder], { env: key })).code).toBe(0);
    writeFileSync(
      join(folder, 'trueup.yaml'),
      'trueup: 1\nproject: prj_2\nplatform: emulator\nenvironments: { production: {} }\n',
    );
    for (const words of [['list'], ['show', 'production']]) {
      const run = await trueup(['state', ...words, '-C', folder], { env: {} });
      expect(run).toMatchObject({ code: 7, out: '' });
      expect(run.err).toContain('belongs to project prj_1, and the manifest names prj_2');
    }
  });
});

describe('S9: a variable that is set and empty is no missing limit', () => {
  it.each([
    ['TRUEUP_URL', ['plan']],
    ['TRUEUP_STATE_URL', ['plan']],
    ['TRUEUP_STATE_URL', ['state', 'list']],
    ['TRUEUP_URL', ['call', 'compose.one', 'composeId=x']],
  ])('S9: %s with %j', async (name, words) => {
    for (const value of ['', ' ']) {
      for (const more of [{}, { CI: 'true' }, { TRUEUP_PINNED: 'false' }]) {
        const evil = await listen();
        const env = { ...key, ...more, [name]: value };
        const run = await trueup([...words, '-C', at(`https://${evil.host}`)], {
          env: name === 'TRUEUP_STATE_URL' ? { ...env, TRUEUP_URL: `https://${evil.host}` } : env,
        });
        expect(run).toMatchObject({ code: 1, out: '' });
        expect(run.err).toContain(`error[unpinned]\n${name} is set, and empty`);
        expect(evil.connections).toBe(0);
      }
    }
  });

  it.each(['TRUEUP_PINNED', 'TRUEUP_ALLOW_HTTP'])('S9: %s', async (name) => {
    const run = await trueup(['plan', '-C', at('http://platform.example.com')], { env: { ...key, [name]: '' } });
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain(`${name} must be true or false, got ""`);
  });

  it.each(each([...connecting, ...onlyState]))('S9: a TRUEUP_PINNED that is wrong refuses %s', async (_name, words) => {
    const folder = at(platform.url);
    for (const more of [{}, { TRUEUP_URL: platform.url }]) {
      const run = await trueup([...words, '-C', folder], { env: { ...key, ...more, TRUEUP_PINNED: 'yes' } });
      expect(run).toMatchObject({ code: 1, out: '' });
      expect(run.err).toContain('TRUEUP_PINNED must be true or false, got "yes"');
    }
  });

  it('S9: TRUEUP_API_KEY', async () => {
    const run = await trueup(['plan', '-C', at('https://platform.example.com')], { env: { TRUEUP_API_KEY: '' } });
    expect(run).toMatchObject({ code: 4, out: '' });
  });
});

describe('S9: the user decides whether a run is pinned, and not the manifest', () => {
  const url = 'https://0.0.0.0:1';
  const isPinned = async (words: readonly string[], env: Record<string, string>) =>
    (await trueup(['status', ...words, '-C', at(url)], { env: { ...key, ...env } })).err.includes('error[unpinned]');

  it.each([
    [{ CI: '1' }, [], true],
    [{ CI: 'woodpecker' }, [], true],
    [{ CI: 'false' }, [], false],
    [{ CI: '0' }, [], false],
    [{ CI: '' }, [], false],
    [{}, [], false],
    [{}, ['--pinned'], true],
    [{ CI: 'true' }, ['--no-pinned'], false],
    [{ CI: 'true', TRUEUP_PINNED: 'false' }, [], false],
    [{ CI: 'true', TRUEUP_PINNED: '0' }, [], false],
    [{ TRUEUP_PINNED: 'true' }, [], true],
    [{ TRUEUP_PINNED: 'true' }, ['--no-pinned'], false],
    [{ TRUEUP_PINNED: 'false' }, ['--pinned'], true],
  ])('S9: %j %j', async (env, words, expected) => {
    expect(await isPinned(words, env as Record<string, string>)).toBe(expected);
  });

  it('S9: also for programs that use the library', async () => {
    const evil = await listen();
    const folder = at(`https://${evil.host}`);
    const stopOf = async (options: object) => {
      const opened = await open(folder, { env: ci, ...options });
      return opened.plan().then(
        () => undefined,
        (error: unknown) => (error instanceof Stop ? error.diagnostics[0]?.code : error),
      );
    };
    expect(await stopOf({})).toBe('unpinned');
    expect(evil.connections).toBe(0);
  });
});

describe('S9: nothing travels over plain http to another machine', () => {
  const cases = [
    ['platform.url', () => at('http://192.0.2.1')],
    ['state.endpoint', () => at(platform.url, bucket('', 'http://192.0.2.1:9000'))],
  ] as const;

  it.each(cases)('S9: %s', async (named, folder) => {
    for (const words of [['validate'], ['plan'], ['state', 'list']]) {
      const run = await trueup([...words, '-C', folder()], { env: { ...key, ...aws } });
      expect(run).toMatchObject({ code: 3, out: '' });
      expect(run.err).toContain(`error[hostile-setting]\n${named}:`);
      expect(run.err).toContain('over plain http');
      expect(run.err).toContain('give --allow-http or set TRUEUP_ALLOW_HTTP=true');
    }
  });

  it('S9: TRUEUP_URL and TRUEUP_STATE_URL', async () => {
    const nothing = project({});
    const call = await trueup(['call', 'compose.one', 'composeId=x', '-C', nothing], {
      env: { ...key, TRUEUP_URL: 'http://192.0.2.1' },
    });
    expect(call.err).toContain('TRUEUP_URL: the API key is not sent to 192.0.2.1 over plain http');
    const env = { ...key, ...aws, TRUEUP_STATE_URL: 's3://b?endpoint=http://192.0.2.1' };
    const plan = await trueup(['plan', '-C', at(platform.url)], { env });
    expect(plan.err).toContain('TRUEUP_STATE_URL: the state is not sent to 192.0.2.1 over plain http');
  });

  it('S9: unless the user allows it', async () => {
    const other = await serve(createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY }), { host: '0.0.0.0' });
    const url = other.url.replace('127.0.0.1', '0.0.0.0');
    try {
      const folder = at(url, bucket(', prefix: http', store.url.replace('127.0.0.1', '0.0.0.0')));
      for (const [words, env] of [
        [['--allow-http'], {}],
        [[], { TRUEUP_ALLOW_HTTP: '1' }],
      ] as const) {
        const run = await trueup(['plan', ...words, '-C', folder], { env: { ...key, ...aws, ...env } });
        expect(run).toMatchObject({ code: 0, out: expect.stringContaining('3 reads, 0 writes') as string });
      }
    } finally {
      await other.close();
    }
  });
});
