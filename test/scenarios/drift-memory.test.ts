import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { sleep } from '../../src/api/sleep.ts';
import type { Send } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { moveInState, removeFromState } from '../../src/operate/edit-state.ts';
import type { Drift } from '../../src/drift/drift-run.ts';
import { acceptDrift, findDrift } from '../../src/drift/drift-run.ts';
import { importObject } from '../../src/workflow/import-object.ts';
import { driftAcceptDocument, driftDocument } from '../../src/drift/drift-document.ts';
import { renderDrift, renderDriftAccept } from '../../src/render/drift-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { kinds } from '../../src/resources/index.ts';
import { project, trueup } from '../cli/process.ts';
import { addPerson } from '../emulator/people.ts';
import { driftOf, edit } from '../support/drifting.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What the memory of drift survives, what is never in it, and that it has the same bytes whatever is shuffled. */

const permissions = { adoption: true, dataLoss: true };
const day = (text: string) => ({ now: Date.parse(`${text}T12:00:00Z`) });

const cache = (key: string, more = '', environment = 'production') => `${head}${more}environments:
  ${environment}:
    redis:
      ${key}: { name: cache, dockerImage: "redis:7", databasePassword: "correct-horse-battery" }
`;

const fileOf = (made: Bench) => readFileSync(join(made.folder, 'drift.yaml'), 'utf8');

describe('the memory hides no later value', () => {
  test.each([
    ['without a digest', ''],
    ['with a digest of another key', ', digest: 99.k5YbBEWzZ7D6U2x4LhBZ6GJz4rMCp-CgqtUFtSnn3BQ'],
    ['with a digest of no key', ', digest: k5YbBEWzZ7D6U2x4LhBZ6GJz4rMCp-CgqtUFtSnn3BQ'],
  ])('by an entry %s', async (_what, digest) => {
    const made = bench();
    const { state } = await made.apply(cache('cache'), permissions);
    const redisId = state.resources['production.redis.cache']?.id ?? '';
    const entry = `{ field: dockerImage, kind: redis, object: ${redisId}, is: drifted, since: 2026-01-01${digest} }`;
    for (const dockerImage of ['redis:8', 'redis:9']) {
      await edit(made, 'redis.update', { redisId, dockerImage });
      writeFileSync(join(made.folder, 'drift.yaml'), `trueup-drift: 1\nfindings: [${entry}]\n`);
      expect(await driftOf(made, cache('cache'), day('2026-03-01'))).toMatchObject({ exitCode: 2 });
      expect(await driftOf(made, cache('cache'), day('2026-03-02'))).toMatchObject({ exitCode: 8 });
    }
    await made.apply(cache('cache'), permissions);
    expect((await made.plan(cache('cache'))).actions.every(({ action }) => action === 'no-op')).toBe(true);
  });

  it('of an object that the manifest replaces, which drift accept takes, too', async () => {
    const made = bench();
    const main = (user: string) => `${head}environments:
  production:
    postgres:
      main: { dockerImage: "postgres:16", databaseName: shop, databaseUser: ${user}, databasePassword: "correct-horse" }
`;
    const { state } = await made.apply(main('shop'), permissions);
    const postgresId = state.resources['production.postgres.main']?.id ?? '';
    const found = () => driftOf(made, main('other'), day('2026-03-01'));
    for (const dockerImage of ['postgres:17', 'postgres:18']) {
      await edit(made, 'postgres.update', { postgresId, dockerImage });
      const { exitCode, findings } = await found();
      expect(exitCode).toBe(2);
      expect(findings).toMatchObject([
        { summary: 'replace' },
        { is: 'drifted', path: 'dockerImage', platform: { value: dockerImage } },
      ]);
      expect(await found()).toMatchObject({ exitCode: 8 });
    }
    const request = { subject: 'production.postgres.main', until: '2026-12-31', because: 'a reason', by: 'ops' };
    const about = { folder: { folder: made.folder, file: 'trueup.yaml' }, ...day('2026-03-01'), request };
    const { accepted } = await acceptDrift(await made.manifest(main('other')), made.world(), about);
    expect(accepted).toMatchObject([{ path: 'dockerImage' }]);
    await made.apply(main('other'), permissions);
    expect((await made.plan(main('other'))).actions.every(({ action }) => action === 'no-op')).toBe(true);
  });
});

describe('the memory survives', () => {
  /** A hot fix that was accepted in March. */
  async function accepted() {
    const made = bench();
    const { state } = await made.apply(cache('cache'), permissions);
    const redisId = state.resources['production.redis.cache']?.id ?? '';
    const fix = (dockerImage: string) => edit(made, 'redis.update', { redisId, dockerImage });
    await fix('redis:8');
    const first = await driftOf(made, cache('cache'), day('2026-03-01'));
    const request = { subject: 'production.redis.cache', until: '2026-12-31', because: 'a reason', by: 'ops' };
    const about = { folder: { folder: made.folder, file: 'trueup.yaml' }, ...day('2026-03-01'), request };
    await acceptDrift(await made.manifest(cache('cache')), made.world(), about);
    return { made, redisId, fix, id: first.findings[0]?.id };
  }

  const known = (address: string, id: string | undefined) => ({
    exitCode: 8,
    resolved: [],
    findings: expect.arrayContaining([
      expect.objectContaining({
        is: 'drifted',
        status: 'accepted',
        since: '2026-03-01',
        path: 'dockerImage',
        address,
        id,
      }),
    ]) as unknown,
  });

  it('a rename of the block with moved:, before it is applied, and after', async () => {
    const { made, id, fix } = await accepted();
    const moved = 'moved: [{ from: production.redis.cache, to: production.redis.main }]\n';
    expect(await driftOf(made, cache('main', moved), day('2026-03-02'))).toMatchObject(
      known('production.redis.main', id),
    );
    expect(fileOf(made)).toContain('address: production.redis.main');
    await made.apply(cache('main', moved), permissions);
    // The apply repaired it; the same hot fix is still accepted.
    expect((await driftOf(made, cache('main'), day('2026-03-03'))).resolved).toMatchObject([{ field: 'dockerImage' }]);
    await fix('redis:8');
    expect((await driftOf(made, cache('main'), day('2026-03-04'))).findings).toMatchObject([
      { status: 'accepted', since: '2026-03-04', id },
    ]);
    await made.apply(cache('main'), permissions);
    expect((await made.plan(cache('main'))).actions.every(({ action }) => action === 'no-op')).toBe(true);
  });

  it('a block that is removed, and comes back before an apply: nothing was resolved, and nothing flaps', async () => {
    const { made, id } = await accepted();
    for (const date of ['2026-03-02', '2026-03-03', '2026-03-04']) {
      const without = await driftOf(made, `${head}environments: { production: {} }\n`, day(date));
      expect(without).toMatchObject({ resolved: [], findings: [{ is: 'not yet applied', summary: 'delete' }] });
      const found = await driftOf(made, cache('cache'), day(date));
      expect(found).toMatchObject(known('production.redis.cache', id));
      expect(found.findings[0]?.flapping).toBe(undefined);
    }
  });

  it('a field that createOnly leaves to others: it is not compared, and not resolved', async () => {
    const { made, id } = await accepted();
    const left = cache('cache').replace('name: cache,', 'name: cache, createOnly: [dockerImage],');
    expect(await driftOf(made, left, day('2026-03-02'))).toMatchObject({ exitCode: 0, findings: [], resolved: [] });
    expect(await driftOf(made, cache('cache'), day('2026-03-03'))).toMatchObject(known('production.redis.cache', id));
  });

  it('a rename in the state', async () => {
    const { made, id } = await accepted();
    const state = await made.store.read();
    if (state === undefined) throw new Error('no state');
    const move = { from: 'production.redis.cache', to: 'production.redis.main' };
    made.store.state = { ...moveInState(state, move, kinds).state, serial: state.serial + 1 };
    expect(await driftOf(made, cache('main'), day('2026-03-02'))).toMatchObject(known('production.redis.main', id));
  });

  it('a rename of the object on the platform', async () => {
    const { made, id, redisId } = await accepted();
    await edit(made, 'redis.update', { redisId, name: 'renamed by hand' });
    const found = await driftOf(made, cache('cache'), day('2026-03-02'));
    expect(found.findings).toMatchObject([
      { path: 'dockerImage', status: 'accepted', id },
      { path: 'name', status: 'new' },
    ]);
  });

  it('a move of the object to another environment on the platform', async () => {
    const { made, id, redisId } = await accepted();
    const two = `${cache('cache')}  staging: {}\n`;
    const { state } = await made.apply(two, permissions);
    await edit(made, 'redis.update', { redisId, dockerImage: 'redis:8' });
    const targetEnvironmentId = state.resources['staging']?.id ?? '';
    await edit(made, 'redis.move', { redisId, targetEnvironmentId });
    const found = await driftOf(made, two, day('2026-03-02'));
    expect(found.findings).toMatchObject([
      { is: 'drifted', status: 'new', summary: 'moved below staging' },
      { path: 'dockerImage', status: 'accepted', id },
    ]);
  });

  it('a renamed block without moved: that is imported: the same hot fix is accepted when it is drift again', async () => {
    const { made, redisId, fix, id } = await accepted();
    const state = await made.store.read();
    if (state === undefined) throw new Error('no state');
    const { state: without } = removeFromState(state, ['production.redis.cache']);
    made.store.state = { ...without, serial: state.serial + 1 };
    const text = cache('main');
    await importObject(await made.manifest(text), made.world(), 'production.redis.main', redisId);
    // Nothing was applied there yet: the difference is no drift.
    const imported = await driftOf(made, text, day('2026-03-02'));
    expect(imported.findings.every(({ is }) => is === 'not yet applied')).toBe(true);
    await made.apply(text, permissions);
    await fix('redis:8');
    expect((await driftOf(made, text, day('2026-04-20'))).findings).toMatchObject([{ status: 'accepted', id }]);
    await fix('redis:9');
    expect((await driftOf(made, text, day('2026-04-21'))).findings).toMatchObject([{ status: 'new', id }]);
  });
});

describe('drift without secrets', () => {
  const canaries = [
    'canary-token-1',
    'canary-password-2',
    'canary-hot-fix-3',
    'canary-in-compose-4',
    'canary-new-key-5',
  ];
  const [token = '', password = '', hotFix = '', inCompose = '', newKey = ''] = canaries;
  const text = `${head}environments:
  production:
    compose:
      shop:
        env: { REGION: eu-1, TOKEN: "\${secret:TOKEN}" }
        source:
          type: raw
          composeFile: |
            services:
              web: { image: nginx, environment: { KEY: "\${secret:IN_COMPOSE}" } }
    redis:
      cache: { dockerImage: "redis:7", databasePassword: "\${secret:PASSWORD}" }
`;

  async function applied() {
    const made = bench();
    Object.assign(made.secrets, { TOKEN: token, PASSWORD: password, IN_COMPOSE: inCompose });
    const { state } = await made.apply(text, permissions);
    const idOf = (address: string) => state.resources[address]?.id ?? '';
    /** Another machine, which has never heard of a secret. */
    const elsewhere = bench({ emulator: made.emulator, clock: made.clock });
    elsewhere.store.state = structuredClone(made.store.state);
    return { made, elsewhere, idOf };
  }

  const shownOf = async (made: Bench, drift: Drift) => {
    const about = { platform: undefined, project: { id: 'prj_1' }, state: { location: 'memory' } };
    const view = {
      drift,
      counts: { reads: 0, writes: 0 },
      about,
      isFull: true,
      command: ({ words }: { readonly words: readonly string[] }) => words.join(' '),
    };
    const memory = existsSync(join(made.folder, 'drift.yaml')) ? fileOf(made) : '';
    const document = driftDocument(view);
    return [JSON.stringify(document), renderDrift(document, 'trueup apply', plainStyle), memory].join('\n');
  };

  it('finds nothing after an apply', async () => {
    const { elsewhere } = await applied();
    expect(await driftOf(elsewhere, text)).toMatchObject({ exitCode: 0, findings: [], diagnostics: [] });
  });

  it('finds hot fixes of secret values, and shows and keeps none of them', async () => {
    const { made, elsewhere, idOf } = await applied();
    const composeId = idOf('production.compose.shop');
    await edit(made, 'compose.update', { composeId, env: `REGION=eu-1\nTOKEN=${hotFix}\nNEW_TOKEN=${newKey}` });
    await edit(made, 'redis.update', { redisId: idOf('production.redis.cache'), databasePassword: hotFix });
    await edit(made, 'compose.update', {
      composeId,
      composeFile: `services:\n  web: { image: nginx, environment: { KEY: "${hotFix}" } }\n`,
    });
    for (const one of [elsewhere, made]) {
      const found = await driftOf(one, text);
      expect(found.findings.map(({ path, is }) => `${is} ${path ?? ''}`)).toEqual(
        expect.arrayContaining(['drifted env.TOKEN', 'drifted source.composeFile']),
      );
      const request = {
        subject: 'production.compose.shop',
        fields: ['env.TOKEN'],
        until: new Date(one.clock.wall() + 86_400_000).toISOString().slice(0, 10),
        because: one.redact(`because of ${token}`),
        by: 'ops',
      };
      const about = { folder: { folder: one.folder, file: 'trueup.yaml' }, now: one.clock.wall() };
      if (one === made) {
        const done = await acceptDrift(await one.manifest(text), one.world(), { ...about, request });
        expect(renderDriftAccept(driftAcceptDocument(done), plainStyle)).not.toContain(token);
      }
      const shown = await shownOf(one, await driftOf(one, text));
      for (const canary of canaries) expect(shown).not.toContain(canary);
      expect(fileOf(one)).toMatch(/digest: \d+\.[\w-]{43}/);
    }
  });

  it('shows no secret that is the name of an unmanaged object', async () => {
    const { made, idOf } = await applied();
    const name = `copy of ${token}`;
    const input = { name, appName: 'copy', databasePassword: newKey, environmentId: idOf('production') };
    await edit(made, 'redis.create', input);
    const found = await driftOf(made, text);
    expect(found.findings).toMatchObject([{ is: 'unmanaged' }]);
    expect(await shownOf(made, found)).not.toContain(token);
  });
});

describe('a key that may only read', () => {
  it('is enough for drift', async () => {
    const world = seedWorld();
    const reading = addPerson(world, 'reader', { accessedProjects: ['prj_1'] });
    const emulator = createEmulator({ world });
    const made = bench({ emulator, clock: bench().clock });
    const { state } = await made.apply(cache('cache'), permissions);
    const redisId = state.resources['production.redis.cache']?.id ?? '';
    await edit(made, 'redis.update', { redisId, dockerImage: 'redis:8' });
    const lists = {
      accessedEnvironments: [state.resources['production']?.id ?? ''],
      accessedServices: [redisId],
    };
    const reader = Object.values(emulator.world.tables.member).find(({ userId }) => userId === 'reader');
    Object.assign(reader ?? {}, lists);
    const send: Send = (request) =>
      emulator.send({ ...request, headers: { ...request.headers, 'x-api-key': reading } });
    const client = createClient({ send, url: 'emulator:', apiKey: 'the-reading-key', redact: made.redact });
    await expect(client.call('redis.update', { redisId, dockerImage: 'redis:9' })).rejects.toMatchObject({
      status: 401,
    });
    const folder = { folder: made.folder, file: 'trueup.yaml' };
    const manifest = await made.manifest(cache('cache'));
    const found = await findDrift(manifest, { ...made.world(), client }, { folder, now: made.clock.wall() });
    expect(found).toMatchObject({ exitCode: 2, findings: [{ path: 'dockerImage', status: 'new' }] });
  });
});

describe('the same bytes', () => {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
  const textOf = (order: readonly string[], isTurned: boolean) => {
    const lines = (name: string) => {
      const fields = [`dockerImage: "redis:7"`, `databasePassword: "correct-horse-${name}"`, `env: { A: "1", B: "2" }`];
      return `      ${name}: { ${(isTurned ? fields.toReversed() : fields).join(', ')} }\n`;
    };
    return `${head}environments:\n  production:\n    redis:\n${order.map(lines).join('')}`;
  };

  /** A platform that answers in another order than it was asked. */
  const unsteady = (send: Send): Send => {
    let count = 0;
    return async (request) => {
      count += 1;
      await sleep((count * 7) % 5);
      return send(request);
    };
  };

  test('in the memory and the findings, for shuffled YAML, other file names, and 1 or 16 connections', async () => {
    const made = bench();
    const { state } = await made.apply(textOf(names, false), permissions);
    for (const name of names) {
      const redisId = state.resources[`production.redis.${name}`]?.id ?? '';
      if (name === 'zeta') await edit(made, 'redis.remove', { redisId });
      else await edit(made, 'redis.update', { redisId, dockerImage: 'redis:8', env: 'B=3\nA=9' });
    }
    const environmentId = state.resources['production']?.id ?? '';
    for (const name of ['stray', 'another']) {
      await edit(made, 'redis.create', { name, appName: name, databasePassword: 'x-correct-horse', environmentId });
    }
    const results = new Set<string>();
    const orders = [names, names.toReversed(), ['gamma', 'zeta', 'alpha', 'epsilon', 'beta', 'delta']];
    for (const [at, order] of orders.entries()) {
      for (const connections of [1, 16]) {
        const text = textOf(order, at % 2 === 1);
        const [first = '', second = ''] = text.split('environments:');
        const manifest = await made.manifest(
          at === 2
            ? { 'trueup.yaml': `${first}include: [some.yaml]\n`, 'some.yaml': `environments:${second}` }
            : { 'trueup.yaml': text },
        );
        const send = unsteady(made.emulator.send);
        const client = createClient({
          send,
          url: 'emulator:',
          apiKey: 'emulator-key',
          redact: made.redact,
          connections,
        });
        const folder = mkdtempSync(join(tmpdir(), 'trueup-drift-'));
        const about = { folder: { folder, file: 'trueup.yaml' }, ...day('2026-03-01') };
        const { findings } = await findDrift(manifest, { ...made.world(), client }, about);
        const bare = findings.map(({ position: _position, digest: _digest, ...finding }) => finding);
        results.add(`${JSON.stringify(bare)}\n${readFileSync(join(folder, 'drift.yaml'), 'utf8')}`);
      }
    }
    expect(results.size).toBe(1);
    expect([...results][0]?.match(/object:/g)).toHaveLength(18);
  });
});

describe('a memory beside the state', () => {
  it.each(['findings: [', 'trueup-drift: 2\n', '- a\n'])('that is %j is refused', async (content) => {
    const made = bench();
    const text = `${cache('cache')}drift: { memory: state }\n`;
    await made.apply(text, permissions);
    await made.store.documents.put('drift.yaml', content);
    await expect(driftOf(made, text)).rejects.toMatchObject({ failure: 'manifest' });
  });
});

describe('a file with the name of a memory is no manifest, whatever it holds', () => {
  const blocks = 'environments: { production: { redis: { cache: { dockerImage: "redis:7" } } } }\n';
  const names = ['drift.yaml', 'drift.x.yaml', 'drift.a.b.yaml', 'drift..yaml', 'sub/drift.x.yaml'];

  it.each(names)('a pattern of include: leaves %s out', async (name) => {
    const made = bench();
    const text = `${head}include: ["${name.includes('/') ? 'sub/*' : '*'}.yaml", others.yaml]\n`;
    const files = {
      'trueup.yaml': text,
      [name]: blocks,
      'others.yaml': 'variables: {}\n',
      'sub/more.yaml': 'variables: {}\n',
    };
    await expect(made.manifest(files)).resolves.toMatchObject({ resources: [] });
  });

  it.each(names)('%s cannot be included, read by ${file:} or be the manifest', async (name) => {
    const about = `${name} has the name of a memory of trueup drift, which is no part of a manifest`;
    const folder = project({
      'trueup.yaml': `${head}include: [${name}]\n`,
      'reads.yaml': `${head}environments: { production: { env: "\${file:${name}}" } }\n`,
      [name]: `${head}${blocks}`,
    });
    for (const file of ['trueup.yaml', 'reads.yaml', ...(name.includes('/') ? [] : [name])]) {
      const { code, err } = await trueup(['validate', '-C', folder, '-f', file]);
      expect([file, code]).toEqual([file, 3]);
      expect(err).toContain(about);
    }
  });

  it('nor can it be read through a link', async () => {
    const folder = project({
      'trueup.yaml': `${head}environments: { production: { env: "\${file:notes.txt}" } }\n`,
      'drift.x.yaml': 'A=b\n',
    });
    symlinkSync('drift.x.yaml', join(folder, 'notes.txt'));
    const { code, err } = await trueup(['validate', '-C', folder]);
    expect(code).toBe(3);
    expect(err).toContain('notes.txt has the name of a memory of trueup drift');
  });

  it.each(['drift.d/a.yaml', 'drifting.yaml', 'drift-notes.yaml', 'drift.yml'])(
    '%s is an ordinary file',
    async (name) => {
      const made = bench();
      const files = { 'trueup.yaml': `${head}include: [${name}]\n`, [name]: blocks };
      const { resources } = await made.manifest(files);
      expect(resources.map(({ address }) => address)).toContain('production.redis.cache');
    },
  );
});

describe('a pinned run', () => {
  it('includes files by a pattern that matches a memory which git does not track', async () => {
    const folder = project({
      'trueup.yaml': `${head}include: ["*.yaml"]\n`,
      'more.yaml': 'variables: {}\n',
    });
    const git = (...words: readonly string[]) => execFileSync('git', ['-C', folder, ...words], { stdio: 'ignore' });
    git('init');
    git('add', '.');
    writeFileSync(join(folder, 'drift.yaml'), 'trueup-drift: 1\nfindings: []\n');
    expect(await trueup(['validate', '--pinned', '-C', folder])).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'drifting.yaml'), 'environments: {}\n');
    const refused = await trueup(['validate', '--pinned', '-C', folder]);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('drifting.yaml is not tracked') as string });
  });
});
