import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { Plan, PlatformOptions } from '../../src/index.ts';
import {
  driftDocument,
  manifestDocument,
  open,
  plan,
  planDocument,
  planFile,
  planText,
  platformAt,
  resultDocument,
  resultText,
  session,
  stateAt,
  Stop,
  validate,
} from '../../src/index.ts';
import * as documents from '../../src/render/document-schemas.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import { edit } from '../support/drifting.ts';
import { stopOf } from '../../src/state/conformance/states.ts';

/** Trueup as a library: what users of the package can do, by its own words. */

const secret = 'canary-of-the-library';
const env = { TRUEUP_SECRET_DB: secret };
const database = (image: string) =>
  `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      main: { dockerImage: "${image}", databasePassword: "\${secret:DB}" }\n`;

function folderWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-library-'));
  writeFileSync(join(folder, 'trueup.yaml'), text);
  return folder;
}

/** A platform of its own, whose state lives as long as the test. */
function emulated() {
  const emulator = createEmulator({ apiKey: 'a-key' });
  const store = memoryStore();
  const openStore = () => ({ ...store, close: () => store.close() });
  const platform = platformAt({ url: 'http://emulator', apiKey: 'a-key', send: emulator.send });
  const places = { platform, state: stateAt({ openStore }) };
  const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
  return { emulator, places, posts, store };
}

const adoption = { adoption: true };

describe('a project', () => {
  test('has the exit code of a command when a run writes on the platform and cannot save its state', async () => {
    const { places: usual, store } = emulated();
    let isFull = false;
    const write: typeof store.write = (next) =>
      isFull ? Promise.reject(stop('state', 'state-unusable', 'the disk is full')) : store.write(next);
    const openStore = () => ({ ...store, write, close: () => store.close() });
    const places = { ...usual, state: stateAt({ openStore }) };
    const folder = folderWith(database('redis:7'));
    await (await open(folder, { env, ...places })).apply({ permissions: adoption });
    writeFileSync(join(folder, 'trueup.yaml'), database('redis:7.4'));
    const project = await open(folder, { env, ...places });
    isFull = true;
    // How long the next run waits for what this one may still have sent.
    const soon = { inFlightTimeoutMs: 1 };
    expect(resultDocument(await project.apply(soon))).toMatchObject({ ending: 'partly', exitCode: 6 });
    isFull = false;
    await project.apply(soon);
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
  });

  test('is planned and applied as the command line does it, and then plans nothing', async () => {
    const project = await open(folderWith(database('redis:7')), { env });
    const first = await project.plan();
    expect(documents.planDocument.parse(planDocument(first))).toMatchObject({
      hasChanges: true,
      summary: { create: 1 },
    });
    expect(planText(first)).toContain('production.redis.main');
    const result = await project.apply({ plan: first, permissions: adoption });
    expect(documents.resultDocument.parse(resultDocument(result))).toMatchObject({ ending: 'done', exitCode: 0 });
    expect(resultText(result)).toContain('reads');
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    const gone = await project.apply({ destroys: true, permissions: { dataLoss: true } });
    expect(resultDocument(gone).ending).toBe('done');
    await project.close();
  });

  test('asks addresses after deployments, unless it is told not to', async () => {
    const asked: string[] = [];
    const site = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.statusCode = 503;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo; // it listens on TCP
    const state = memoryStore();
    const emulator = await serve(createEmulator({ apiKey: 'a-key' }));
    const openStore = () => ({ ...state, close: () => state.close() });
    const places = { platform: platformAt({ url: emulator.url, apiKey: 'a-key' }), state: stateAt({ openStore }) };
    const probe = `{ path: /health, port: ${port}, within: 1s }`;
    const textOf = (image: string) =>
      `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments:\n  production:\n    application:\n      web: { source: { type: docker, image: "${image}" }, domains: { localhost: { port: 80, probe: ${probe} } } }\n`;
    const folder = folderWith(textOf('web:1'));
    const project = await open(folder, { env, ...places });
    const failed = await project.apply({ permissions: adoption });
    expect(resultDocument(failed)).toMatchObject({ ending: 'partly', exitCode: 6 });
    expect(new Set(asked)).toEqual(new Set(['/health']));
    const before = asked.length;
    expect(resultDocument(await project.apply({ asks: false })).ending).toBe('done');
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    writeFileSync(join(folder, 'trueup.yaml'), textOf('web:2'));
    const edited = await open(folder, { env, ...places });
    const reviewed = planFile(await edited.plan());
    expect(resultDocument(await edited.apply({ plan: reviewed, asks: false })).ending).toBe('done');
    expect(planDocument(await edited.plan()).hasChanges).toBe(false);
    expect(asked).toHaveLength(before);
    await project.close();
    await emulator.close();
    site.close();
  });

  test('says what drifted, remembers it, and sends no POST for that', async () => {
    const { places, emulator, posts } = emulated();
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    const result = await project.apply({ permissions: adoption });
    const redisId = resultDocument(result).outcomes.find(({ kind }) => kind === 'redis')?.id ?? '';
    await edit({ emulator, apiKey: 'a-key' }, 'redis.update', {
      redisId,
      dockerImage: 'redis:8',
      databasePassword: 'canary-by-hand',
    });
    const before = posts();
    const found = documents.driftDocument.parse(driftDocument(await project.drift({ remembers: false })));
    expect(found).toMatchObject({ exitCode: 2, memory: { isUpdated: false }, summary: { new: 2 } });
    expect(JSON.stringify(found)).not.toMatch(/canary/);
    expect(driftDocument(await project.drift()).exitCode).toBe(2);
    expect(driftDocument(await project.drift()).exitCode).toBe(8);
    expect(posts()).toBe(before);
    expect(resultDocument(await project.apply({ permissions: { dataLoss: true } })).ending).toBe('done');
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    expect(driftDocument(await project.drift())).toMatchObject({ exitCode: 0, summary: { resolved: 2 } });
    await project.close();
    await expect(project.drift()).rejects.toThrow('the project is closed');
  });

  test('is planned and applied in part, and anew', async () => {
    const { places, posts } = emulated();
    const text = database('redis:7').replace(
      '      main:',
      '      other: { dockerImage: "redis:7", databasePassword: b }\n      main:',
    );
    const project = await open(folderWith(text), { env, ...places });
    const part = await project.plan({ target: ['production.redis.main'] });
    expect(documents.planDocument.parse(planDocument(part))).toMatchObject({
      summary: { create: 1 },
      narrowed: { targets: ['production.redis.main'], leftOut: [{ address: 'production.redis.other' }, {}] },
    });
    expect(resultDocument(await project.apply({ plan: planFile(part), permissions: adoption })).ending).toBe('done');
    expect(planDocument(await project.plan({ exclude: ['production.redis.other'] })).hasChanges).toBe(false);
    expect(planDocument(await project.plan()).summary).toMatchObject({ create: 1 });
    const anew = { replace: ['production.redis.main'], target: ['production.redis.main'] };
    const result = await project.apply({ ...anew, permissions: { dataLoss: true } });
    expect(resultDocument(result).outcomes.map(({ action }) => action)).toContain('replace');
    await project.apply({ permissions: adoption });
    const before = posts();
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    await expect(project.plan({ target: ['production.redis.mian'] })).rejects.toThrow(
      'neither the manifest nor the state',
    );
    expect(posts()).toBe(before);
    await project.close();
  });

  test('deletes everything only for who asks for that, also with a plan of it', async () => {
    const { places, posts } = emulated();
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    await project.apply({ permissions: adoption });
    const before = posts();
    const all = planFile(await project.plan({ destroys: true }));
    const permissions = { dataLoss: true };
    const stop = await stopOf(project.apply({ plan: all, permissions }));
    expect(stop.diagnostics).toMatchObject([
      { code: 'plan-file', message: 'the plan in the file deletes everything; nothing was sent' },
    ]);
    expect(posts()).toBe(before);
    const result = await project.apply({ plan: all, destroys: true, permissions });
    expect(resultDocument(result).ending).toBe('done');
    expect(planDocument(await project.plan({ destroys: true })).hasChanges).toBe(false);
    await project.close();
  });

  test('makes and applies a new plan when it gets none', async () => {
    const { places, posts } = emulated();
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    const result = await project.apply({ permissions: adoption });
    expect([resultDocument(result).ending, posts() > 0]).toEqual(['done', true]);
  });

  test('needs the permissions that the command line needs', async () => {
    const { places, posts, emulator } = emulated();
    const row = { name: 'main', environmentId: 'env_prj_1', databasePassword: 'by-hand', dockerImage: 'redis:7' };
    await emulator.act('redis.create', row);
    const before = posts();
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    const stop = await stopOf(project.apply());
    expect(stop.diagnostics.map(({ code }) => code)).toContain('consent');
    expect(posts()).toBe(before);
  });

  test('refuses a plan when the platform is not as it was, and sends nothing', async () => {
    const { places, posts, emulator } = emulated();
    const folder = folderWith(database('redis:7'));
    const project = await open(folder, { env, ...places });
    await project.apply({ permissions: adoption });
    writeFileSync(join(folder, 'trueup.yaml'), database('redis:8'));
    const edited = await open(folder, { env, ...places });
    const shown = await edited.plan();
    const [row] = Object.values(emulator.world.tables.redis);
    await emulator.act('redis.update', { redisId: row?.redisId, dockerImage: 'redis:6' });
    const before = posts();
    const stop = await stopOf(edited.apply({ plan: shown }));
    expect([stop.failure, stop.diagnostics[0]?.code, posts()]).toEqual(['refused', 'plan-outdated', before]);
  });

  test('applies the text of a plan file', async () => {
    const { places } = emulated();
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    const text = planFile(await project.plan());
    expect(text).not.toContain(secret);
    expect(resultDocument(await project.apply({ plan: text, permissions: adoption })).ending).toBe('done');
    expect((await stopOf(project.apply({ plan: '{}' }))).diagnostics[0]?.code).toBe('plan-file');
  });

  test('does nothing any more once it is closed', async () => {
    const { places } = emulated();
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    await project.close();
    expect((await stopOf(project.plan())).failure).toBe('usage');
    expect((await stopOf(project.apply())).failure).toBe('usage');
  });

  test('ends a plan that pauses before a second read when it is closed', async () => {
    const { places, emulator, store } = emulated();
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    await project.apply({ permissions: adoption });
    const redisId = (await store.read())?.resources['production.redis.main']?.id;
    await emulator.act('redis.remove', { redisId });
    const isReading = () => emulator.log.some(({ operation }) => operation === 'redis.one');
    emulator.log.length = 0;
    const planning = stopOf(project.plan());
    while (!isReading()) await new Promise((resolve) => setImmediate(resolve));
    await project.close();
    expect((await planning).message).toContain('before Trueup could look for production.redis.main a second time');
    expect(emulator.log.filter(({ operation }) => operation === 'redis.one')).toHaveLength(1);
  });

  test('takes secrets, the API key and the only platform that it may talk to from the environment that it is given', async () => {
    const manifest = database('redis:7').replace('platform: emulator', 'platform: { url: "https://one.example" }');
    const project = await open(folderWith(manifest), { env });
    expect((await stopOf(project.plan())).failure).toBe('authentication');
    const other = { ...env, TRUEUP_API_KEY: 'a-key', TRUEUP_URL: 'https://other.example' };
    const strange = await open(folderWith(manifest), { env: other });
    expect((await stopOf(strange.plan())).message).toContain('TRUEUP_URL');
  });

  test('is not opened when its manifest is not valid', async () => {
    const folder = folderWith(database('redis:7').replace('dockerImage', 'dockerImgae'));
    expect((await stopOf(open(folder, { env }))).failure).toBe('manifest');
    expect((await stopOf(validate(folder, { env }))).failure).toBe('manifest');
    expect(manifestDocument((await validate(folderWith(database('redis:7')), { env })).manifest).addresses).toEqual([
      'production',
      'production.redis.main',
    ]);
  });
});

describe('a plan', () => {
  test('shows no rows and no secrets when it is printed, serialised or walked', async () => {
    const { places, emulator } = emulated();
    await emulator.act('redis.create', {
      name: 'main',
      environmentId: 'env_prj_1',
      databasePassword: 'canary-of-the-row',
      dockerImage: 'redis:7',
    });
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    const made = await project.plan();
    const result = await project.apply({ plan: made, permissions: adoption });
    for (const value of [project.manifest, places.platform, places.state, made, result]) {
      expect([inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value)]).toEqual(['{}', '{}']);
      expect(Reflect.ownKeys(value)).toEqual([]);
    }
    const shown = [planDocument(made), planText(made), planFile(made), resultDocument(result), resultText(result)];
    const text = shown.map((item) => JSON.stringify(item)).join('\n');
    expect(text).toContain('production.redis.main');
    expect(text).not.toContain('canary');
  });

  test('is no other value', () => {
    expect(() => planDocument({} as Plan)).toThrow(TypeError);
  });
});

describe('a platform of another profile', () => {
  /** A platform with the words of Dokploy, and the paths of the requests to it. */
  function dokploy(more: Partial<PlatformOptions> = {}) {
    const emulator = createEmulator({ apiKey: 'a-key', profile: 'dokploy' });
    const state = memoryStore();
    const paths: string[] = [];
    const send: PlatformOptions['send'] = (request) => {
      paths.push(request.path);
      return emulator.send(request);
    };
    const openStore = () => ({ ...state, close: () => state.close() });
    const places = {
      platform: platformAt({ url: 'http://emulator', apiKey: 'a-key', send, ...more }),
      state: stateAt({ openStore }),
    };
    const begun = async () => {
      let count = 0;
      const { manifest } = await validate(folderWith(database('redis:7')), { env });
      await session(manifest, places, { purpose: 'a test' }, async (open) => {
        count += 1;
        const made = await open.plan();
        if (planDocument(made).hasChanges) await open.apply(made, adoption);
      });
      return count;
    };
    return { places, state, begun, batches: () => paths.splice(0).filter((path) => path.includes('/trpc/')).length };
  }

  test('is recognised, and the work begins once', async () => {
    const { places, state, begun } = dokploy();
    expect(await begun()).toBe(1);
    expect(state.state).toMatchObject({ resources: { 'production.redis.main': {} } });
    const project = await open(folderWith(database('redis:7')), { env, ...places });
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    expect(resultDocument(await project.apply()).ending).toBe('done');
    expect(driftDocument(await project.drift()).exitCode).toBe(0);
    await project.close();
  });

  test('can be named, and a contradiction is an error', async () => {
    const { places, begun } = dokploy({ profile: 'dokploy' });
    expect(await begun()).toBe(1);
    const named = database('redis:7').replace('emulator', '{ emulator: true, profile: standard }');
    const opposed = await open(folderWith(named), { env, ...places });
    expect((await stopOf(opposed.plan())).message).toBe(
      'the manifest says profile: standard, and platformAt says dokploy',
    );
    const wrong = await open(folderWith(database('redis:7')), {
      env,
      ...dokploy({ profile: 'standard' }).places,
    });
    expect((await stopOf(wrong.plan())).message).toBe(
      'platformAt says profile: standard, and the platform answers in the words of dokploy',
    );
  });

  test.each([
    [undefined, true],
    [false, false],
  ])('reads in bulk unless that is switched off (bulk: %j)', async (bulk, isBulk) => {
    const { begun, batches } = dokploy({ profile: 'dokploy', ...(bulk === undefined ? {} : { bulk }) });
    await begun();
    expect(batches() > 0).toBe(isBulk);
  });
});

describe('a root file of previews', () => {
  const previews = `trueup: 1
platform: emulator
project: prj_1
environment: pr
preview: { most: 1 }
variables: { image: {}, suffix: { default: '-\${preview:id}' } }
redis:
  main: { dockerImage: "\${var:image}", databasePassword: "\${secret:DB}" }
`;

  test('is applied for as many previews as it allows, with the values of files', async () => {
    const folder = folderWith(previews);
    const values = join(folder, 'values.yaml');
    writeFileSync(values, 'image: redis:8\n');
    const opened = (preview: string) => open(folder, { env, preview, valueFiles: [values] });
    const one = await opened('1');
    const first = planDocument(await one.plan());
    expect(first.actions.map(({ address }) => address)).toContain('pr-1.redis.main');
    expect(JSON.stringify(first)).toContain('redis:8');
    expect(resultDocument(await one.apply({ permissions: adoption })).ending).toBe('done');
    expect(planDocument(await one.plan()).hasChanges).toBe(false);
    const two = await opened('2');
    expect((await stopOf(two.apply({ permissions: adoption }))).diagnostics[0]?.code).toBe('too-many-previews');
    const permissions = { ...adoption, dataLoss: true };
    expect(resultDocument(await one.apply({ destroys: true, permissions })).ending).toBe('done');
    expect(resultDocument(await two.apply({ permissions })).ending).toBe('done');
    expect(planDocument(await two.plan()).hasChanges).toBe(false);
    await Promise.all([one.close(), two.close()]);
  });

  test('is opened for one preview only, also on a platform and a state that a program names', async () => {
    const { places, posts } = emulated();
    const refused = await stopOf(open(folderWith(previews), { env, ...places, variables: { image: 'redis:8' } }));
    expect([refused.failure, posts()]).toEqual(['usage', 0]);
    expect(refused.message).toContain('has preview:');
    for (const preview of ['key', '../up']) {
      const { failure, message } = await stopOf(open(folderWith(previews), { env, ...places, preview }));
      expect([failure, message]).toEqual(['usage', expect.stringContaining('preview must be 1 to 20 of a-z')]);
    }
  });

  test('has outputs, and is destroyed whatever is wrong in its blocks', async () => {
    const { places } = emulated();
    const told = `outputs: { site: "https://a\${var:suffix}.example.com", word: "\${secret:DB}" }\n`;
    const folder = folderWith(`${previews}${told}`);
    const named = { env, preview: '1', ...places };
    const project = await open(folder, { ...named, variables: { image: 'redis:8' } });
    expect(resultDocument(await project.apply({ permissions: adoption })).ending).toBe('done');
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    expect(await project.outputs()).toEqual([{ name: 'site', value: 'https://a-1.example.com' }]);
    await project.close();
    writeFileSync(join(folder, 'trueup.yaml'), `${previews}compose: { a: { nothing: true } }\n`);
    expect((await stopOf(open(folder, named))).failure).toBe('manifest');
    const ending = await open(folder, { ...named, destroys: true });
    const destroyed = await ending.apply({ destroys: true, permissions: { ...adoption, dataLoss: true } });
    expect(resultDocument(destroyed).ending).toBe('done');
    expect(planDocument(await ending.plan({ destroys: true })).hasChanges).toBe(false);
    await ending.close();
  });

  test('names the option of a file with values that is not there', async () => {
    const refused = await stopOf(
      open(folderWith(previews), { env, preview: '1', valueFiles: ['/nowhere/values.yaml'] }),
    );
    expect(refused.message).toBe('valueFiles /nowhere/values.yaml: there is no such file');
  });
});

describe('a session of the library', () => {
  test('plans, lets the caller decide, and applies', async () => {
    const { places, posts } = emulated();
    const { manifest } = await validate(folderWith(database('redis:7')), { env });
    const ending = await session(manifest, places, { purpose: 'a test' }, async (open) => {
      const made = await open.plan();
      expect(posts()).toBe(0);
      return planDocument(made).hasChanges ? resultDocument(await open.apply(made, adoption)).ending : 'nothing';
    });
    expect(ending).toBe('done');
    expect(planDocument(await plan(manifest, places)).hasChanges).toBe(false);
  });

  test('refuses a plan that it did not make', async () => {
    const { places, posts } = emulated();
    const { manifest } = await validate(folderWith(database('redis:7')), { env });
    const other = await plan(manifest, places);
    const stop = await stopOf(session(manifest, places, { purpose: 'a test' }, (open) => open.apply(other, adoption)));
    expect([stop instanceof Stop, stop.diagnostics[0]?.code, posts()]).toEqual([true, 'plan-outdated', 0]);
  });
});
