import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { documentOf, finish, project, start, trueup } from '../cli/process.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import type { S3Server } from '../support/s3-server.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { bench } from '../support/world.ts';
import { stopOf } from '../../src/state/conformance/states.ts';
import { keyText } from '../support/state-key.ts';

/** Where the state is, by the manifest, and the commands about its lock and its loss. */

const key = { TRUEUP_API_KEY: 'right-key' };
let platform: Awaited<ReturnType<typeof serve>>;
const emulator = createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY });
beforeAll(async () => {
  platform = await serve(emulator);
});
afterAll(() => platform.close());

const manifest = (state: string, service = 'main') => `trueup: 1
platform: { url: "${platform.url}" }
project: prj_1
${state}
environments:
  production:
    redis:
      ${service}: { dockerImage: "redis:8", databasePassword: password-1, deploy: never }
`;

/** The life of a manifest with a state somewhere: from the first apply to the end. */
async function live(state: string, service: string, env: Record<string, string>): Promise<void> {
  const folder = project(manifest(state, service));
  const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env: { ...key, ...env } });
  const address = `production.redis.${service}`;
  expect((await run('state', 'list')).err).toContain('There is no state yet');
  const applied = await run('apply', '--auto-approve', '--adopt');
  expect([applied.code, applied.err]).toEqual([0, expect.anything()]);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  expect((await run('state', 'list')).out).toContain(`${address} `);
  expect((await run('state', 'show', address)).out).toContain('databasePassword: (digest)');
  expect((await run('status', address)).out).toContain(address);
  // Nothing of it is beside the manifest: another machine sees the same.
  expect(existsSync(join(folder, '.trueup'))).toBe(false);
  const other = project(manifest(state, service));
  expect((await trueup(['plan', '--detailed-exitcode', '-C', other], { env: { ...key, ...env } })).code).toBe(0);
  const destroyed = await run('destroy', '--auto-approve', '--allow-data-loss');
  expect([destroyed.code, destroyed.err]).toEqual([0, expect.anything()]);
  expect((await run('state', 'list')).out).toBe('');
}

describe('a manifest with state: { backend: s3 }', () => {
  let store: S3Server;
  beforeAll(async () => {
    store = await serveS3(['states']);
  });
  afterAll(() => store.close());
  const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: secretOf('key'), TRUEUP_STATE_KEY: keyText };

  it('lives in the bucket', async () => {
    await live(`state: { backend: s3, endpoint: "${store.url}", bucket: states }`, 'in-bucket', env);
    expect([...store.objects.keys()].toSorted()).toEqual(['states/prj_1/lease.json', 'states/prj_1/state.json']);
  });

  it('needs the key from the environment, and shows it nowhere', async () => {
    const folder = project(manifest(`state: { backend: s3, endpoint: "${store.url}", bucket: states }`));
    const missing = await trueup(['plan', '-C', folder], { env: { ...key, AWS_ACCESS_KEY_ID: 'key' } });
    expect(missing).toMatchObject({ code: 7, out: '' });
    expect(missing.err).toContain('AWS_SECRET_ACCESS_KEY is not set');
    const wrong = await trueup(['apply', '--auto-approve', '-C', folder], {
      env: {
        ...key,
        AWS_ACCESS_KEY_ID: 'key',
        AWS_SECRET_ACCESS_KEY: 'canary-4711',
        TRUEUP_STATE_KEY: keyText,
        TRUEUP_DEBUG: '1',
      },
    });
    expect(wrong.code).toBe(7);
    expect(wrong.err).toContain('403 SignatureDoesNotMatch');
    expect(wrong.err).not.toContain('canary');
  });
});

const noPostgres = whyNoPostgres();
describe.skipIf(noPostgres !== undefined)(noPostgres ?? 'a manifest with state: { backend: postgres }', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('lives in the database', async () => {
    const env = { TRUEUP_STATE_URL: server.url(), TRUEUP_STATE_KEY: keyText };
    await live('state: { backend: postgres, schema: states }', 'in-database', env);
    const { err } = await trueup(['state', 'list', '-C', project(manifest('state: { backend: postgres }'))], { env });
    expect(err).toContain('There is no state yet'); // it is in the other schema
  });

  it.each(['state', 'journal', 'lease'])('goes on by the printed remedies when its table %s is gone', async (table) => {
    const folder = project(manifest(`state: { backend: postgres, schema: without_${table} }`, `without-${table}`));
    const env = { ...key, TRUEUP_STATE_URL: server.url(), TRUEUP_STATE_KEY: keyText };
    const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env });
    expect((await run('apply', '--auto-approve', '--adopt')).code).toBe(0);
    const admin = new pg.Client({ connectionString: server.url() });
    await admin.connect();
    await admin.query(`drop table without_${table}.${table}`);
    await admin.end();
    const planned = await run('plan');
    expect(planned.code).toBe(table === 'state' ? 7 : 0);
    if (table === 'state') {
      expect(planned.err).toContain('is not there, and version');
      expect(planned.err).toContain('trueup state rebuild');
      expect((await run('state', 'rebuild', '--yes')).code).toBe(0);
    }
    expect((await run('apply', '--auto-approve')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  it('needs the address from the environment, and shows its password nowhere', async () => {
    const folder = project(manifest('state: { backend: postgres }'));
    const missing = await trueup(['plan', '-C', folder], { env: key });
    expect(missing).toMatchObject({ code: 7, out: '' });
    expect(missing.err).toContain('TRUEUP_STATE_URL is not set');
    const url = server.url().replace(':p%40ss', ':canary%40ss');
    const env = { ...key, TRUEUP_STATE_URL: url, TRUEUP_STATE_KEY: keyText, TRUEUP_DEBUG: '1' };
    const wrong = await trueup(['apply', '--auto-approve', '-C', folder], { env });
    expect(wrong.code).toBe(7);
    expect(wrong.err).toContain('password authentication failed');
    expect(wrong.err).not.toContain('canary');
  });
});

describe('a manifest with a wrong state:', () => {
  it.each([
    ['{ backend: consul }', 'state.backend must be local, postgres or s3'],
    ['{ schema: x }', 'state.backend must be local, postgres or s3'],
    ['local', 'state must be a map such as { backend: local }'],
    ['{ backend: local, schema: x }', 'state has no key schema'],
    ['{ backend: postgres, url: "postgres://u:p@h/d" }', 'state has no key url'],
    ['{ backend: postgres, schema: "a;drop" }', 'state.schema "a;drop" must be lower case letters'],
    ['{ backend: s3, bucket: b }', 'state.endpoint must be '],
    ['{ backend: s3, endpoint: "https://k:s@host", bucket: b }', 'state.endpoint must have no user'],
    ['{ backend: s3, endpoint: "https://host", bucket: "a/b" }', 'state.bucket "a/b" must be letters'],
    ['{ backend: s3, endpoint: "https://host", bucket: b, prefix: "../x" }', 'state.prefix "../x" must be letters'],
    ['{ backend: s3, endpoint: "https://host", bucket: b, accessKeyId: k }', 'state has no key accessKeyId'],
    ['{ backend: postgres, name: "${env:HOME}" }', 'state must not hold ${env:…}'],
  ])('%s gets one clear error', async (state, words) => {
    const { diagnostics } = await stopOf(() => bench().manifest(manifest(`state: ${state}`)));
    expect(diagnostics).toMatchObject([{ position: { file: 'trueup.yaml', line: 4 } }]);
    expect(diagnostics[0]?.message).toContain(words);
  });
});

describe('state unlock', () => {
  it('reports that the lock is free', async () => {
    const { code, err } = await trueup(['state', 'unlock', '-C', project({})]);
    expect([code, err]).toEqual([0, 'The state is not locked.\n']);
  });

  it('asks, removes the lock of another run, and names its holder', async () => {
    const folder = project(manifest(''));
    const store = localStore(join(folder, '.trueup'));
    const lease = await store.lock({ purpose: 'apply' });
    const at = ['-C', folder];
    const refused = await trueup(['apply', '--auto-approve', ...at], { env: key });
    expect(refused.code).toBe(5);
    expect(refused.err).toContain('trueup state unlock');
    const asked = await trueup(['state', 'unlock', ...at]);
    expect(asked.code).toBe(1);
    expect(asked.err).toMatch(
      /cannot ask for approval: .*\n.*remove the lock: .+ pid \d+ holds the lock of the state .+, for apply/s,
    );
    const taken = await trueup(['state', 'unlock', '--yes', '--format', 'json', ...at]);
    expect(documentOf(taken)).toEqual({
      format: 'trueup/unlock',
      version: 1,
      removed: { owner: expect.stringContaining(`pid ${process.pid}`), purpose: 'apply', since: expect.any(String) },
    });
    expect([taken.code, taken.err]).toEqual([
      0,
      expect.stringMatching(`^Removed the lock of .+ pid ${process.pid}\\.\\n$`),
    ]);
    const again = await trueup(['state', 'unlock', '--yes', '--format', 'json', ...at]);
    expect(again.err).toContain('The state is not locked');
    expect(documentOf(again)).toEqual({ format: 'trueup/unlock', version: 1, removed: null });
    await lease.release();
  });
});

describe('--lock-timeout', () => {
  it('waits until the lock is free', async () => {
    const folder = project(manifest('', 'waited'));
    const store = localStore(join(folder, '.trueup'));
    const lease = await store.lock({ purpose: 'apply' });
    const running = start(['apply', '--auto-approve', '--adopt', '--lock-timeout', '600', '-C', folder], { env: key });
    const finished = finish(running);
    await new Promise((done) => void setTimeout(done, 2_000));
    expect(running.exitCode).toBe(null);
    await lease.release();
    expect((await finished).code).toBe(0);
    const wrong = await trueup(['plan', '--lock-timeout', 'soon', '-C', folder], { env: key });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('--lock-timeout must be 0 to')]);
  });
});

describe('a lost state', () => {
  it('is rebuilt from the objects of the platform, with reads only', async () => {
    const folder = project(manifest('', 'lost'));
    const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env: key });
    expect((await run('apply', '--auto-approve', '--adopt')).code).toBe(0);
    const file = join(folder, '.trueup/state.json');
    const idsIn = (text: string) =>
      Object.entries((JSON.parse(text) as { resources: Record<string, { id: string }> }).resources).map(
        ([address, { id }]) => [address, id],
      );
    const before = idsIn(readFileSync(file, 'utf8'));
    expect((await run('state', 'rebuild', '--yes')).err).toContain('there is a state in');
    rmSync(file);
    expect((await run('plan')).err).toContain('error[state-older]');
    const asked = await run('state', 'rebuild');
    expect([asked.code, asked.err]).toEqual([1, expect.stringContaining('cannot ask for approval')]);
    expect(existsSync(file)).toBe(false);
    emulator.log.splice(0);
    const rebuilt = await run('state', 'rebuild', '--yes', '--format', 'json');
    const list = await run('state', 'list', '--format', 'json');
    expect(documentOf(rebuilt)).toEqual(documentOf(list));
    expect([rebuilt.code, rebuilt.err]).toEqual([0, expect.stringContaining('The state has 2 objects.')]);
    expect(emulator.log.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(idsIn(readFileSync(file, 'utf8'))).toEqual(before);
    // Nothing needs consent any more, and nothing is made a second time.
    const applied = await run('apply', '--auto-approve');
    expect(applied.code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    expect(idsIn(readFileSync(file, 'utf8'))).toEqual(before);
  });

  it.skipIf(process.platform === 'win32')('is not waited for when it is a pipe', async () => {
    const folder = project(manifest('', 'piped'));
    mkdirSync(join(folder, '.trueup'));
    execFileSync('mkfifo', [join(folder, '.trueup/state.json')]);
    const refused = await trueup(['plan', '-C', folder], { env: key });
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('(ENOTFILE: it is a pipe or a device)')]);
  });

  it('is not rebuilt over a damaged one', async () => {
    const folder = project(manifest('', 'damaged'));
    const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env: key });
    expect((await run('apply', '--auto-approve', '--adopt')).code).toBe(0);
    writeFileSync(join(folder, '.trueup/state.json'), '{');
    const refused = await run('state', 'rebuild', '--yes');
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('journal beside it away')]);
    expect(readdirSync(join(folder, '.trueup')).toSorted()).toEqual(['.gitignore', 'key', 'lease', 'state.json']);
  });

  it.each(['journal', 'key'])(
    'is rebuilt as the error says where the %s is lost and a journal is there',
    async (lost) => {
      const folder = project(manifest('', `lost-${lost}`));
      const at = (name: string) => join(folder, '.trueup', name);
      const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env: key });
      expect((await run('apply', '--auto-approve', '--adopt')).code).toBe(0);
      writeFileSync(at('state.journal'), 'not a record\n');
      if (lost === 'key') rmSync(at('key'));
      const refused = await run('state', 'rebuild', '--yes');
      const remedy =
        'move state.json and the journal beside it away, in a database delete its rows, and make a new one: trueup state rebuild';
      expect([refused.code, refused.err.replaceAll(/\s+/g, ' ')]).toEqual([7, expect.stringContaining(remedy)]);
      rmSync(at('state.json'));
      expect((await run('state', 'rebuild', '--yes')).code).toBe(7);
      rmSync(at('state.journal'));
      expect(await run('state', 'rebuild', '--yes')).toMatchObject({ code: 0 });
      expect((await run('apply', '--auto-approve')).code).toBe(0);
      expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    },
  );
});
