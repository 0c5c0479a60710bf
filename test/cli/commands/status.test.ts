import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEmulatorFile } from '../../../src/project/emulator-file.ts';
import { sought } from '../../../src/state/known-capabilities.ts';
import type { Emulator } from '../../../src/emulator/emulator.ts';
import { executeCommand, statusCommand } from '../asked.ts';
import { processOfTest } from '../../support/process.ts';
import { apiKey, documentIn, places } from '../place.ts';
import { finish, start, trueup } from '../process.ts';

const open = places();

const secrets = { DB: 'canary-7f3a' };
const database = (more = '') =>
  `{ dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}"${more} }`;
const stack = (image: string, more = '') =>
  `{ source: { type: raw, composeFile: "services: { web: { image: '${image}' } }" }, env: { TOKEN: "\${secret:DB}" }${more} }`;
const sections = `environments:
  production:
    postgres: { main: ${database()}, second: ${database(', deploy: never')} }
    redis: { cache: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" } }
    compose:
      shop: ${stack('nginx')}
      bad: ${stack('fail:x', ', deploy: never')}
  staging:
    application: { web: { source: { type: docker, image: nginx }, domains: { web.example.com: { port: 80 } } } }
`;
const status = (addresses: readonly string[] = [], flags: Partial<Parameters<typeof statusCommand>[1]> = {}) =>
  statusCommand(addresses, { interval: '2', ...flags });

/** A platform whose compose stacks were deployed in this way. */
function withDeployments(deployments: readonly object[]) {
  return <T extends Emulator>(emulator: T): T => ({
    ...emulator,
    send: async (request) => {
      const answer = await emulator.send(request);
      if (!request.path.includes('compose.one')) return answer;
      return { ...answer, body: JSON.stringify({ ...(JSON.parse(answer.body) as object), deployments }) };
    },
  });
}

const run = (...words: readonly string[]) => executeCommand(words, { wait: true, yes: true });

describe('status', () => {
  it('U18: shows every service, whether it runs and its last deployment, from as few GETs as there can be', async () => {
    const place = await open(sections, { secrets });
    await place.run(run('deploy', 'production.compose.bad'));
    place.requests();
    const { exit, out, err } = await place.run(status());
    expect({ exit, err }).toEqual({ exit: 'done', err: '' });
    expect(out.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')).toBe(
      `ADDRESS                     STATUS   LAST DEPLOYMENT
production.compose.bad      error    error TIME Manual deployment
production.compose.shop     running  done TIME Trueup
production.postgres.main    running  -
production.postgres.second  idle     -
production.redis.cache      running  -
staging.application.web     running  done TIME Trueup
`,
    );
    expect(place.requests().toSorted()).toEqual([
      'GET application.one',
      'GET compose.one',
      'GET compose.one',
      'GET environment.byProjectId',
    ]);
  });

  it('shows the newest deployment, wherever it stands in the list', async () => {
    const deployments = [
      { deploymentId: 'dep_1', createdAt: '2026-01-01T00:00:00.000Z', title: 'first', status: 'done' },
      { deploymentId: 'dep_3', createdAt: '2026-03-03T00:00:00.000Z', title: 'third', status: 'running' },
      { deploymentId: 'dep_2', createdAt: '2026-02-02T00:00:00.000Z', title: 'second', status: 'error' },
    ];
    const place = await open(sections, { secrets, around: withDeployments(deployments) });
    const shown = await place.run(status(['production.compose.shop']), { format: 'json' });
    expect(documentIn(shown)).toMatchObject({
      services: [{ deployment: { id: 'dep_3', title: 'third', status: 'running' } }],
    });
  });

  it('covers the services at and below an address, and reports when there are none', async () => {
    const place = await open(sections, { secrets });
    const names = async (...addresses: string[]) => {
      const document = documentIn(await place.run(status(addresses), { format: 'json' })) as {
        services: { address: string }[];
      };
      return document.services.map(({ address }) => address);
    };
    expect(await names('staging')).toEqual(['staging.application.web']);
    expect(await names('production["redis"].cache', 'staging')).toEqual([
      'production.redis.cache',
      'staging.application.web',
    ]);
    place.requests();
    for (const [address, told] of [
      ['production.postgres.mian', 'Did you mean production.postgres.main?'],
      ['staging.application.web.domains["web.example.com"]', 'It belongs to staging.application.web.'],
    ] as const) {
      expect((await place.run(status([address]))).err).toContain(told);
    }
    expect(place.requests()).toEqual([]);
  });

  it('reports a deleted service as missing, and a moved one with its status', async () => {
    const place = await open(sections, { secrets });
    const [main, second] = ['main', 'second'].map((name) => place.idOf(`production.postgres.${name}`));
    await place.emulator.act('postgres.remove', { postgresId: main });
    await place.emulator.act('compose.delete', {
      composeId: place.idOf('production.compose.bad'),
      deleteVolumes: false,
    });
    const other = (await place.emulator.act('environment.create', { name: 'other', projectId: 'prj_1' })) as {
      environmentId: string;
    };
    await place.emulator.act('postgres.move', { postgresId: second, targetEnvironmentId: other.environmentId });
    const shown = await place.run(status(['production']), { format: 'json' });
    expect(documentIn(shown)).toMatchObject({
      services: [
        { address: 'production.compose.bad', found: false, status: null },
        { address: 'production.compose.shop', found: true, status: 'done' },
        { address: 'production.postgres.main', found: false, status: null },
        { address: 'production.postgres.second', found: true, status: 'idle' },
        { address: 'production.redis.cache', found: true, status: 'done' },
      ],
    });
    expect((await place.run(status(['production.compose.bad']))).out).toContain('production.compose.bad  missing');
  });

  it('shows the version that the state remembers, and services of a kind that the platform does not serve as such', async () => {
    const place = await open(sections, { secrets });
    const platform = { version: 'v0.26.1', operations: [], sought: sought() };
    await place.rewriteState(
      (resources) => {
        const { 'production.redis.cache': cache, ...others } = resources;
        if (cache === undefined) throw new Error('it was applied');
        return { ...others, 'production.mongo.cache': { ...cache, kind: 'mongo' } };
      },
      { platform },
    );
    const { out } = await place.run(status(['production.mongo', 'production.postgres.main']));
    expect(out).toBe(
      `ADDRESS                   STATUS      LAST DEPLOYMENT
production.mongo.cache    not served  -
production.postgres.main  running     -
platform v0.26.1 (by the state)
`,
    );
    expect(place.requests()).toEqual(['GET environment.byProjectId']);
    expect(documentIn(await place.run(status(['production.mongo']), { format: 'json' }))).toMatchObject({
      platformVersion: 'v0.26.1',
      services: [{ found: false, served: false, status: null }],
    });
  });

  it('refuses to show a service that is in another project', async () => {
    const place = await open(sections, { secrets });
    const postgresId = place.idOf('production.postgres.second');
    await place.emulator.act('postgres.move', { postgresId, targetEnvironmentId: 'env_prj_2' });
    const { exit, out, err } = await place.run(status());
    expect({ exit, out }).toEqual({ exit: 'stopped', out: '' });
    expect(err).toContain(
      `[foreign-object] production.postgres.second production.postgres.second (${postgresId}) is not in project prj_1: ` +
        'the platform shows it below environment env_prj_2, project prj_2 -> Find out who changed the state',
    );
  });

  it('redacts secrets of the service in a build error', async () => {
    const failed = {
      deploymentId: 'dep_1',
      createdAt: '2026-01-01T00:00:00.000Z',
      title: 'use canary-7f3a',
      status: 'error',
      errorMessage: 'token canary-7f3a is wrong \u001B[2J',
    };
    const place = await open(sections, { secrets, around: withDeployments([failed]) });
    for (const format of ['text', 'json']) {
      const { out } = await place.run(status(), { format });
      expect(out).toContain('token (sensitive) is wrong');
      expect(out).toContain('use (sensitive)');
      expect(out).not.toContain('canary');
      expect(out).not.toContain('\u001B');
    }
  });

  it('is a document of the published form, and empty without a state', async () => {
    const place = await open(sections, { secrets });
    const json = await trueup(['status', '--format', 'json'], { cwd: place.folder, env: { TRUEUP_API_KEY: apiKey } });
    expect(json).toMatchObject({ code: 0, err: '' });
    expect(documentIn({ ...json, exit: '' })).toMatchObject({
      format: 'trueup/status',
      requests: { reads: 4, writes: 0 },
    });
    const nothing = await trueup(['status', '-f', 'other.yaml'], { cwd: place.folder });
    expect(nothing.code).toBe(3);
  });
});

describe('status --watch', () => {
  it('adds a line for each change to a pipe, until it is interrupted', async () => {
    const place = await open(sections, { secrets, deployDelayMs: 100 });
    const child = start(['status', 'production', '--watch', '--interval', '1'], {
      cwd: place.folder,
      env: { TRUEUP_API_KEY: apiKey },
    });
    const ended = finish(child);
    await until(child, /production\.redis\.cache: running; last deployment -\n/);
    await place.emulator.act('compose.deploy', { composeId: place.idOf('production.compose.shop') });
    await until(child, /production\.compose\.shop: running; last deployment done .*Manual deployment/);
    child.kill('SIGINT');
    const { code, out, err } = await ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines.slice(0, 5).map((line) => line.split(':')[0])).toEqual([
      'production.compose.bad',
      'production.compose.shop',
      'production.postgres.main',
      'production.postgres.second',
      'production.redis.cache',
    ]);
    for (const line of lines.slice(5)) expect(line).toMatch(/^production\.compose\.shop: (running|done); /);
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it('redraws a terminal', async () => {
    const signals = processOfTest({ cwd: '/' });
    const around = <T extends Emulator>(emulator: T): T => ({
      ...emulator,
      send: (request) => {
        if (request.path.includes('environment.byProjectId')) setImmediate(() => signals.emit('SIGINT'));
        return emulator.send(request);
      },
    });
    const place = await open(sections, { secrets });
    const watched = await open(sections, { secrets, around });
    expect((await place.run(status(), { width: 80 })).out).toMatch(/^ADDRESS/);
    const { exit, out } = await watched.run(status([], { watch: true }), { width: 80, signals });
    expect(exit).toBe('done');
    expect(out.startsWith('\u001B[H\u001B[2JADDRESS')).toBe(true);
    expect(signals.listenerCount('SIGINT')).toBe(0);
  });

  it('continues while another run has the emulator', async () => {
    const place = await open(sections, { secrets });
    const text = readFileSync(join(place.folder, 'trueup.yaml'), 'utf8');
    writeFileSync(join(place.folder, 'trueup.yaml'), text.replace(/^platform: .*$/m, 'platform: emulator'));
    const other = await openEmulatorFile(join(place.folder, '.trueup/emulator.json'), 'apply');
    expect((await place.run(status())).exit).toBe('stopped');
    const signals = processOfTest({ cwd: '/' });
    // Whoever listens has begun the first look.
    signals.once('newListener', () => setImmediate(() => signals.emit('SIGINT')));
    const watched = await place.run(status([], { watch: true }), { signals });
    await other.close();
    expect(watched).toMatchObject({ exit: 'done', out: '' });
    expect(watched.err).toContain('error[locked]');
  });

  it('is no JSON document, and its interval is a duration', async () => {
    const place = await open(sections, { secrets });
    expect((await place.run(status([], { watch: true }), { format: 'json' })).err).toContain(
      '--format json prints one document',
    );
    expect((await place.run(status([], { interval: '0' }))).err).toContain(
      '--interval must be 1 to 3600 seconds, or a duration',
    );
    expect(place.requests()).toEqual([]);
  });
});

/** Waits until a program has printed something. */
function until(child: ReturnType<typeof start>, pattern: RegExp): Promise<void> {
  let seen = '';
  return new Promise((resolve) => {
    const look = (text: Buffer | string) => {
      seen += text.toString();
      if (!pattern.test(seen)) return;
      child.stdout.off('data', look);
      resolve();
    };
    child.stdout.on('data', look);
  });
}
