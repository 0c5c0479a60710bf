import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { extendedContracts } from '../../../src/api/contract.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { callCommand } from '../asked.ts';
import { execute, recordingTerminal } from '../../support/commands.ts';
import { documentOf, program, project, trueup } from '../process.ts';
import { inShell, lacks, quote } from '../shell.ts';

const emulator = createEmulator({ profile: 'standard', apiKey: 'right-key' });
const folder = project({});
let server: Awaited<ReturnType<typeof serve>>;
let env: Record<string, string> = {};

beforeAll(async () => {
  server = await serve(emulator);
  env = { TRUEUP_URL: server.url, TRUEUP_API_KEY: 'right-key' };
});
afterAll(() => server.close());
beforeEach(() => void emulator.log.splice(0));

/** Calls in a folder without a manifest. */
const call = (...args: string[]) => trueup(['call', ...args], { env, cwd: folder });
const callWith = (input: string, ...args: string[]) => trueup(['call', ...args], { env, cwd: folder, input });
const sent = () => emulator.log.map(({ operation, input }) => ({ operation, input }));

async function makePostgres(): Promise<string> {
  const row = await emulator.act('postgres.create', {
    name: 'main',
    environmentId: 'env_prj_1',
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: 'canary-7f3a',
  });
  return (row as { postgresId: string }).postgresId;
}

async function makeCompose(more: Record<string, unknown> = {}): Promise<string> {
  const row = await emulator.act('compose.create', { name: 'shop', environmentId: 'env_prj_1' });
  const { composeId } = row as { composeId: string };
  await emulator.act('compose.update', { composeId, ...more });
  return composeId;
}

describe('the answer', () => {
  it('is printed as it came, for jq, without its secrets', async () => {
    const postgresId = await makePostgres();
    const hidden = await call('postgres.one', `postgresId=${postgresId}`);
    expect(hidden).toMatchObject({ code: 0, err: '1 secret redacted; --show-secrets shows it.\n' });
    expect(JSON.parse(hidden.out)).toMatchObject({ postgresId, databaseUser: 'shop', databasePassword: '(sensitive)' });
    const shown = await call('postgres.one', `postgresId=${postgresId}`, '--show-secrets', '--format', 'json');
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(shown.out)).toMatchObject({ databasePassword: 'canary-7f3a' });
  });

  it('redacts nested secrets, and credentials in addresses', async () => {
    const composeId = await makeCompose({
      sourceType: 'github',
      githubId: 'hub_1',
      customGitUrl: 'https://bot:canary-git@git.example.com/a.git',
      env: 'A=canary-env',
      composeFile: 'services: {} # canary-file',
    });
    const { out } = await call('compose.one', `composeId=${composeId}`);
    expect(JSON.parse(out)).toMatchObject({
      env: '(sensitive)',
      composeFile: '(sensitive)',
      customGitUrl: 'https://(sensitive)@git.example.com/a.git',
      hubgit: { hubgitClientSecret: '(sensitive)', hubgitPrivateKey: '(sensitive)' },
    });
    expect(out).not.toMatch(/canary|github-client-secret|github-private-key|github-webhook-secret/);
  });

  it('is JSON also where a number or a name has a secret of the run', async () => {
    const postgresId = await makePostgres();
    Object.assign(emulator.world.tables.postgres[postgresId] ?? {}, {
      externalPort: 4711_0815,
      labels: { '"quoted"': 1 },
    });
    const asked = ['call', 'postgres.one', `postgresId=${postgresId}`];
    const secrets = { TRUEUP_SECRET_PIN: '47110815', TRUEUP_SECRET_NAME: '"quoted"' };
    const { code, out } = await trueup(asked, { env: { ...env, ...secrets }, cwd: folder });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ externalPort: '(sensitive)', labels: { '(sensitive)': 1 } });
    expect(out).not.toMatch(/47110815|quoted/);
  });

  it('is null when there is none, and a JSON string when it is text', async () => {
    expect((await call('compose.update', 'composeId=nobody')).out).toBe('null\n');
    const composeId = await makeCompose();
    const command = await call('compose.getDefaultCommand', `composeId=${composeId}`);
    expect(JSON.parse(command.out)).toContain('docker');
  });

  it('redacts the whole text of a compose file', async () => {
    const composeId = await makeCompose({ sourceType: 'raw', composeFile: 'services: { web: { image: canary } }' });
    expect((await call('compose.randomizeCompose', `composeId=${composeId}`)).out).toBe('"(sensitive)"\n');
  });

  it('is YAML on a terminal, without control characters', async () => {
    const composeId = await makeCompose({ name: 'a\u001B[2J\u202Eb', description: 'one\ntwo' });
    vi.stubEnv('TRUEUP_URL', server.url);
    vi.stubEnv('TRUEUP_API_KEY', 'right-key');
    const { printed, terminal } = recordingTerminal({ width: 80, isInteractive: true });
    const command = callCommand(['compose.one', `composeId=${composeId}`], { timeout: '30' });
    const ending = await execute(command, { folder, terminal });
    vi.unstubAllEnvs();
    expect(ending).toBe('done');
    expect(printed.out).toContain('\ndescription: |-\n  one\n  two\n');
    for (const sign of ['\u001B', '\u202E']) expect(printed.out).not.toContain(sign);
  });
});

describe('the input', () => {
  it('is converted to the types of the operation', async () => {
    const postgresId = await makePostgres();
    const words = [
      `postgresId=${postgresId}`,
      'name=42',
      'replicas=2',
      'detachDokployNetwork=true',
      'args=["-c","a=b"]',
      'externalPort=null',
      'description:=null',
      'memoryLimit=',
      'labelsSwarm={"a":"1"}',
    ];
    expect(await call('postgres.update', ...words)).toMatchObject({ code: 0, out: 'true\n' });
    const input = {
      postgresId,
      name: '42',
      replicas: 2,
      detachDokployNetwork: true,
      args: ['-c', 'a=b'],
      externalPort: null,
      description: null,
      memoryLimit: '',
      labelsSwarm: { a: '1' },
    };
    // The manifest names no profile, and a member has another word in each: who acts shows which.
    expect(sent()).toEqual([
      { operation: 'user.get', input: {} },
      { operation: 'postgres.update', input },
    ]);
    await call('postgres.search', 'limit=5');
    expect(sent()[2]).toEqual({ operation: 'postgres.search', input: { limit: 5 } });
  });

  it('comes from files, standard input and --input, also together', async () => {
    const postgresId = await makePostgres();
    writeFileSync(join(folder, 'env.txt'), 'A=1\nB=2\n');
    writeFileSync(join(folder, 'input.json'), JSON.stringify({ postgresId, name: 'from-file' }));
    expect(
      await callWith('one line\n', 'postgres.update', '--input', '@input.json', 'env=@env.txt', 'description=@-'),
    ).toMatchObject({ code: 0 });
    expect(
      await callWith(JSON.stringify({ postgresId, name: 'piped' }), 'postgres.update', '--input', '-'),
    ).toMatchObject({ code: 0 });
    expect(sent().map(({ input }) => input)).toEqual([
      { postgresId, name: 'from-file', env: 'A=1\nB=2\n', description: 'one line' },
      { postgresId, name: 'piped' },
    ]);
  });

  it('has all its mistakes reported at once, one diagnostic each', async () => {
    const run = await call('compose.create', 'nam=x', 'composeType=pod');
    expect(run.err.match(/^error\[.*\]$/gm)?.toSorted()).toEqual([
      'error[missing-key]',
      'error[missing-key]',
      'error[unknown-key]',
      'error[wrong-type]',
    ]);
  });

  it('shows in no message when it may be a secret', async () => {
    const runs = await Promise.all([
      call('postgres.changePassword', 'postgresId=a', 'canary-7f3a'),
      call('postgres.changePassword', 'postgresId=a', '--password=canary-7f3a'),
      call('postgres.changePassword', 'postgresId=a', 'password=canary-7f3a "'),
      call('backup.create', 'metadata={canary-7f3a'),
      call('redis.create', '--input', '{"databasePassword": "canary-7f3a}'),
      call('redis.create', '--input', '{"databasePassword:canary-7f3a": "x"}'),
      call('redis.create', 'databasePassword:canary-7f3a=x'),
      call('redis.create', 'databasePassword:canary-7f3a=x', 'databasePassword:canary-7f3a=x'),
      call('redis.create', 'databasePassword:canary-7f3a:={'),
    ]);
    for (const { code, out, err } of runs) {
      expect(code).toBe(1);
      expect(out + err).not.toContain('canary');
    }
  });
});

describe('refused before anything is sent', () => {
  it.each([
    [['compose.on'], 'usage', 'there is no operation compose.on', 'Did you mean compose.one?'],
    [['compose.fly'], 'usage', 'there is no operation compose.fly', 'trueup call --list compose shows'],
    [['nothing'], 'usage', 'there is no operation nothing', 'trueup call --list shows'],
    [['toString'], 'usage', 'there is no operation toString', 'trueup call --list'],
    [[], 'usage', 'the operation is missing', 'trueup call --list'],
    [
      ['compose.one', 'composeId=x', 'composeID=x'],
      'unknown-key',
      'composeID is no member of compose.one',
      'Did you mean composeId?',
    ],
    [['compose.one'], 'missing-key', 'compose.one needs composeId', 'trueup call --list compose.one'],
    [['compose.one', 'composeId='], 'wrong-type', 'composeId is empty', ''],
    [['environment.byProjectId', 'projectId='], 'missing-key', 'needs projectId, and it is empty', ''],
    [['compsoe.one'], 'usage', 'there is no operation compsoe.one', 'Did you mean compose.one?'],
    [['compose.one', 'composeId:=7'], 'wrong-type', 'composeId must be text, got a number', ''],
    [
      ['redis.saveExternalPort', 'redisId=a', 'externalPort=high'],
      'wrong-type',
      'externalPort must be a number, got text',
      '',
    ],
    [
      ['redis.changeStatus', 'redisId=a', 'applicationStatus=on'],
      'wrong-type',
      'applicationStatus must be "idle", "running", "done" or "error", got text',
      '',
    ],
    [
      ['redis.update', 'redisId=a', 'description=null'],
      'wrong-type',
      'description=null is ambiguous',
      'description:=null',
    ],
    [['redis.update', '--input', '{'], 'wrong-type', '--input is not JSON', `Write --input '{"name": "shop"}'.`],
    [['redis.update', 'redisId=a', 'args=a b'], 'wrong-type', 'args is not JSON', `args:='["a", "b"]'`],
    [['redis.update', 'redisId=a', 'redisId=b'], 'defined-twice', 'redisId is given twice', ''],
    [['redis.update', '--input', '[1]'], 'wrong-type', '--input is not a JSON object', ''],
    [['redis.update', '--input', '@none.json'], 'file-unreadable', 'none.json does not exist', ''],
    [['redis.update', 'redisId=@-', 'name=@-'], 'usage', 'standard input can be read only once', ''],
    [['redis.update', 'redisId=a', '__proto__:={"a":1}'], 'unknown-key', '__proto__ is no member', ''],
    [['redis.one', 'redisId=a', '--timeout', 'soon'], 'usage', '--timeout must be 1 to 3600 seconds', ''],
    [['--list', 'composer'], 'usage', 'there is no operation composer', ''],
  ])('%j', async (args, code, message, remedy) => {
    // Nothing listens there: had anything been sent, the message would be another one.
    const nowhere = { TRUEUP_URL: 'http://127.0.0.1:9', TRUEUP_API_KEY: 'right-key' };
    const run = await trueup(['call', ...args, '--format', 'json'], { env: nowhere, cwd: folder });
    expect(run).toMatchObject({ code: 1, err: '' });
    const { diagnostics } = documentOf(run) as { diagnostics: { code: string; message: string; remedy?: string }[] };
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.code).toBe(code);
    expect(diagnostics[0]?.message).toContain(message);
    expect(diagnostics[0]?.remedy ?? '').toContain(remedy);
  });
});

describe('a platform that fails', () => {
  const secrets = { databasePassword: 'canary-7f3a', env: 'A_PASSWORD="canary env"\nB=ok\n' };

  /** Answers every request with a 500 that repeats what was sent. */
  async function echo(work: (url: string) => Promise<void>): Promise<number> {
    let requests = 0;
    const echoing = createServer((request, response) => {
      requests++;
      void text(request).then((body) => {
        const message = `could not write ${body} of ${request.url ?? ''} nor A_PASSWORD=canary env`;
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
      });
    }).listen(0, '127.0.0.1');
    await once(echoing, 'listening');
    await work(`http://127.0.0.1:${(echoing.address() as AddressInfo).port}`);
    echoing.close();
    return requests;
  }

  it('prints no secret that it was given, and is not asked twice to write', async () => {
    const requests = await echo(async (url) => {
      const words = [`databasePassword=${secrets.databasePassword}`, `env=${secrets.env}`];
      for (const format of ['text', 'json']) {
        const { code, out, err } = await trueup(
          ['call', 'redis.update', 'redisId=red_1', '--format', format, ...words],
          { env: { ...env, TRUEUP_URL: url }, cwd: folder },
        );
        expect(code).toBe(1);
        expect(out + err).toContain('could not write');
        expect(out + err).toContain('red_1');
        expect(out + err).toContain('Trueup does not know whether the platform executed it');
        expect(out + err).not.toContain('canary');
        expect(out + err).not.toContain('right-key');
      }
    });
    expect(requests).toBe(2);
  });
});

describe('an operation that ends something', () => {
  it('is not sent without --yes where there is no terminal', async () => {
    const composeId = await makeCompose();
    emulator.log.splice(0);
    const refused = await call('compose.delete', `composeId=${composeId}`, 'deleteVolumes=true');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('error[consent]');
    expect(refused.err).toContain('its volumes with all their data');
    expect(refused.err).toContain('--yes');
    expect(sent()).toEqual([]);
    expect(await call('compose.delete', `composeId=${composeId}`, 'deleteVolumes=true', '--yes')).toMatchObject({
      code: 0,
    });
    expect(sent()).toEqual([{ operation: 'compose.delete', input: { composeId, deleteVolumes: true } }]);
  });

  it.skipIf(lacks('zsh'))('is asked about on a terminal, and only yes sends it', async () => {
    const composeId = await makeCompose();
    emulator.log.splice(0);
    const answered = (answer: string, last: string) =>
      inShell(
        'zsh',
        ['-f', '-c'],
        `zmodload zsh/zpty
        zpty z ${quote(process.execPath)} ${quote(program())} call compose.delete composeId=${composeId} deleteVolumes=false
        zpty -r -m z out '*Only yes is accepted: *' && print -r -- "$out"
        zpty -w z ${answer}
        zpty -r -m z out '*${last}*' && print told`,
        { env, cwd: folder },
      );
    const no = await answered('y', 'Nothing was sent.');
    expect(no).toContain(`compose.delete at ${new URL(server.url).host} with {"composeId":"${composeId}"`);
    expect(no).toMatch(/told\n$/);
    expect(sent()).toEqual([]);
    expect(await answered('yes', 'composeFile')).toMatch(/told\n$/);
    expect(sent()).toHaveLength(1);
  });

  it('depends on the input, too: only a deployment with fresh volumes asks', async () => {
    const composeId = await makeCompose({ sourceType: 'raw', composeFile: 'services: { web: { image: nginx } }' });
    expect(await call('compose.deploy', `composeId=${composeId}`)).toMatchObject({ code: 0 });
    const fresh = await call('compose.deploy', `composeId=${composeId}`, 'freshVolumes=true', '--format', 'json');
    expect(documentOf(fresh)).toMatchObject({ format: 'trueup/error', diagnostics: [{ code: 'consent' }] });
  });
});

describe('a new API key', () => {
  const metadata = 'metadata={"organizationId":"org_1"}';

  it('is printed, because the platform shows it once, and has no rate limit by default', async () => {
    const run = await call('user.createApiKey', 'name=ci', metadata);
    expect(run.code).toBe(0);
    expect(run.err).toContain('rateLimitEnabled=false');
    expect(run.err).toContain('only once');
    const answer = JSON.parse(run.out) as { key: string; rateLimitEnabled: boolean };
    expect(answer.rateLimitEnabled).toBe(false);
    const again = await trueup(['call', 'user.haveRootAccess'], {
      env: { ...env, TRUEUP_API_KEY: answer.key },
      cwd: folder,
    });
    expect(again.code).toBe(0);
  });

  it('has the limit that was asked for', async () => {
    const limit = ['rateLimitEnabled=true', 'rateLimitMax=7', 'rateLimitTimeWindow=60000'];
    const run = await call('user.createApiKey', 'name=ci', metadata, ...limit);
    expect(JSON.parse(run.out)).toMatchObject({ rateLimitEnabled: true, rateLimitMax: 7, rateLimitTimeWindow: 60_000 });
    expect(run.err).not.toContain('rateLimitEnabled');
  });
});

describe('the platform', () => {
  const manifest = (platform: string, rest = 'environments: {}\n') =>
    `trueup: 1\nplatform: ${platform}\nproject: prj_1\n${rest}`;
  const at = (dir: string, environment: Record<string, string>) =>
    trueup(['call', 'user.haveRootAccess', '-C', dir], { env: environment });

  it('is that of the manifest, also when the manifest has mistakes elsewhere', async () => {
    const dir = project(manifest(`{ url: "${server.url}" }`, 'environmentz: 7\n'));
    expect(await at(dir, { TRUEUP_API_KEY: 'right-key' })).toMatchObject({ code: 0, out: 'false\n' });
    expect((await at(dir, { TRUEUP_API_KEY: 'wrong-key' })).code).toBe(4);
    expect((await at(dir, {})).code).toBe(4);
  });

  it('is called whatever TRUEUP_PINNED says where TRUEUP_URL names it', async () => {
    const named = { ...env, TRUEUP_PINNED: 'yes' };
    for (const dir of [folder, project(manifest(`{ url: "${server.url}" }`))])
      expect(await at(dir, named)).toMatchObject({ code: 0, out: 'false\n', err: '' });
    const run = await at(project(manifest('{ url: "https://deploy.example.com" }')), { TRUEUP_PINNED: 'yes' });
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('TRUEUP_PINNED must be true or false, got "yes"');
  });

  it('is the embedded emulator of the manifest, which keeps its data', async () => {
    const dir = project(manifest('emulator'));
    const made = await trueup(['call', '-C', dir, 'environment.create', 'name=staging', 'projectId=prj_1']);
    expect(made.code).toBe(0);
    const { environmentId } = JSON.parse(made.out) as { environmentId: string };
    const read = await trueup(['call', '-C', dir, 'environment.one', `environmentId=${environmentId}`]);
    expect(JSON.parse(read.out)).toMatchObject({ name: 'staging' });
  });

  it.each([
    ['nothing names one', undefined, {}, 3, 'set TRUEUP_URL and TRUEUP_API_KEY'],
    ['no key is given', undefined, { TRUEUP_URL: 'https://platform.example.com' }, 4, 'Set TRUEUP_API_KEY'],
    ['the key would travel in clear', undefined, { TRUEUP_URL: 'http://platform.example.com' }, 1, 'plain http'],
    ['TRUEUP_URL is no address', undefined, { TRUEUP_URL: 'https://a:b@platform.example.com' }, 1, 'is no address'],
    ['the manifest would send the key in clear', '{ url: "http://platform.example.com" }', {}, 3, 'plain http'],
    [
      'the manifest names another one',
      '{ url: "https://evil.example.com" }',
      { TRUEUP_URL: 'https://platform.example.com' },
      1,
      'and TRUEUP_URL another one',
    ],
    ['the manifest is not readable', '[', {}, 3, 'error[yaml-syntax]'],
  ])('is not called when %s', async (_what, platform, environment, code, words) => {
    const dir = project(platform === undefined ? {} : manifest(platform));
    const run = await at(dir, { ...(code === 4 ? {} : { TRUEUP_API_KEY: 'right-key' }), ...environment });
    expect(run).toMatchObject({ code, out: '' });
    expect(run.err.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(run.err).not.toContain('right-key');
  });

  it('is not that of TRUEUP_URL when the manifest that was named is missing', async () => {
    const run = await trueup(['call', 'user.haveRootAccess', '-f', 'other.yaml'], { env, cwd: folder });
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(sent()).toEqual([]);
  });
});

describe('--list', () => {
  const standard = project('trueup: 1\nplatform: { emulator: true, profile: standard }\nproject: prj_1\n');

  it('lists all operations, a group, or the members of one, without a platform', async () => {
    const all = await trueup(['call', '--list']);
    expect(all).toMatchObject({ code: 0, err: '' });
    expect(all.out.split('\n')).toHaveLength(extendedContracts.dokploy.operations.size + 1);
    const groups = new Set([...all.out.matchAll(/^\w+ +(\w+)\./gm)].map(([, group]) => group));
    for (const group of ['github', 'gitlab', 'bitbucket', 'gitea', 'stripe', 'project', 'server'])
      expect(groups).toContain(group);
    expect(all.out).toMatch(/^GET {2}postgres\.one +postgresId\*$/m);
    const group = await trueup(['call', '--list', 'sshKey']);
    expect(group.out.split('\n')).toHaveLength(6 + 1);
    // The groups that the API document lacks are served by Dokploy, and called.
    const beyond = await trueup(['call', '--list', 'project']);
    expect([beyond.code, beyond.err]).toEqual([0, '']);
    expect(beyond.out).toMatch(/^POST project\.create +name\*/m);
    expect((await trueup(['call', '--list', 'application'])).out).toMatch(/^POST application\.update /m);
    const one = await trueup(['call', 'postgres.changePassword', '--list']);
    expect(one.out).toMatch(/^POST postgres\.changePassword\n {2}asks first: .*\n {2}postgresId\* +text, not empty\n/);
    expect(one.out).toMatch(/^ {2}password\* +text, not empty; secret$/m);
  });

  it.each([
    { TRUEUP_PINNED: 'yes' },
    { CI: 'true' },
    { TRUEUP_ALLOW_HTTP: 'yes' },
    { TRUEUP_URL: 'https://another.example.com' },
  ])('has the words of the manifest, whether or not %j lets a run use its platform', async (environment) => {
    for (const platform of [
      '{ url: "http://192.0.2.1", profile: standard }',
      '{ emulator: true, profile: standard }',
    ]) {
      const dir = project(`trueup: 1\nplatform: ${platform}\nproject: prj_1\n`);
      for (const words of [['call', '--list'], ['schema', '--openapi'], ['schema']]) {
        const run = await trueup([...words, '-C', dir], { env: environment });
        expect(run).toMatchObject({ code: 0, err: '' });
        expect(run.out).toBe((await trueup([...words, '-C', standard])).out);
      }
    }
  });

  it('is a document with --format json', async () => {
    expect(documentOf(await trueup(['call', '--list', '--format', 'json']))).toMatchObject({
      format: 'trueup/operations',
    });
    expect(documentOf(await trueup(['call', '--list', 'compose.loadServices', '--format', 'json']))).toEqual({
      format: 'trueup/operations',
      version: 1,
      operations: [
        {
          operation: 'compose.loadServices',
          method: 'GET',
          members: [
            { name: 'composeId', required: true, secret: false, takes: 'text, not empty' },
            { name: 'type', required: false, secret: false, takes: 'fetch, cache; "cache" when left out' },
          ],
        },
      ],
    });
  });
});
