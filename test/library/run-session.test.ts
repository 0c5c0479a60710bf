import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import {
  driftDocument,
  driftPlan,
  manifestDocument,
  type ManifestOptions,
  open,
  planDocument,
  planFile,
  platformAt,
  resultDocument,
  session,
  stateAt,
  validate,
} from '../../src/index.ts';
import { driftViews, planViews, resultViews } from '../../src/exports/views.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import { stopOf } from '../../src/state/conformance/states.ts';
import { passing } from '../support/deploying.ts';
import { edit } from '../support/drifting.ts';

/** What a program needs that runs many projects, for long, beside others. */

const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';
const redis = (name: string, image: string) =>
  `    redis:\n      ${name}: { dockerImage: "${image}", databasePassword: a }\n`;
const manifestOf = (image: string, name = 'main') => `${head}environments:\n  production:\n${redis(name, image)}`;
const application = (image: string) =>
  `${head}environments:\n  production:\n    application:\n      web: { source: { type: docker, image: "${image}" } }\n`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-controller-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A platform that lives as long as the test, and a state beside it. */
function emulated(deployDelayMs = 0) {
  const emulator = createEmulator({ apiKey: 'a-key', deployDelayMs });
  const store = memoryStore();
  const state = stateAt({ openStore: () => ({ ...store, close: () => store.close() }) });
  const platform = platformAt({ url: 'http://emulator', apiKey: 'a-key', send: emulator.send });
  const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
  return { emulator, store, places: { platform, state }, posts };
}

const env = {};
const permissions = { adoption: true };

describe('the lock of a project', () => {
  const openHere = (folder: string, options: ManifestOptions) => {
    const { send } = createEmulator({ apiKey: 'a-key' });
    return open(folder, { env, platform: platformAt({ url: 'http://emulator', apiKey: 'a-key', send }), ...options });
  };

  test('lasts as long as it is told, and who is refused learns who has it', async () => {
    const folder = folderWith({ 'trueup.yaml': manifestOf('redis:7') });
    const lease = { lastsMs: 9_000 };
    const [holder, other] = [await openHere(folder, { lease }), await openHere(folder, { lease })];
    const stop = await holder.session({ purpose: 'a long piece of work' }, () => stopOf(other.apply()));
    expect(stop.failure).toBe('locked');
    expect(stop.holder).toMatchObject({
      purpose: 'a long piece of work',
      owner: expect.stringContaining(`${process.pid}`),
    });
    expect(stop.holder?.expiresInMs ?? 0).toBeLessThanOrEqual(9_000);
    expect(resultDocument(await other.apply({ permissions })).ending).toBe('done');
    expect(planDocument(await other.plan()).hasChanges).toBe(false);
    await Promise.all([holder.close(), other.close()]);
  });

  test('is no longer waited for once a signal or the end of the project says so', async () => {
    const folder = folderWith({ 'trueup.yaml': manifestOf('redis:7') });
    const [holder, other] = [await openHere(folder, {}), await openHere(folder, {})];
    const lockTimeoutMs = 3_600_000;
    await holder.session({ purpose: 'a long piece of work' }, async () => {
      const ending = new AbortController();
      const waiting = stopOf(other.apply({ lockTimeoutMs, signal: ending.signal }));
      const following = stopOf(other.follow({ lockTimeoutMs }));
      const working = stopOf(other.session({ purpose: 'other work', lockTimeoutMs }, async () => undefined));
      await new Promise((resolve) => setImmediate(resolve));
      ending.abort();
      expect(await waiting).toMatchObject({ failure: 'locked', holder: { purpose: 'a long piece of work' } });
      await other.close();
      for (const stop of [await following, await working]) expect(stop.failure).toBe('locked');
    });
    await holder.close();
  });

  test.each([
    [{ lastsMs: 0 }, 'lease: lastsMs is no time in milliseconds'],
    [{ inFlightMs: Infinity }, 'lease: inFlightMs is no time in milliseconds'],
    [{ lastsMs: Number.MAX_SAFE_INTEGER }, 'lease: lastsMs is no time in milliseconds'],
    [{ lastsMs: 1_000, beatMs: 800 }, 'lease: beatMs is more than half of lastsMs'],
  ])('is refused with %j', async (lease, message) => {
    const refused = await stopOf(openHere(folderWith({ 'trueup.yaml': manifestOf('redis:7') }), { lease }));
    expect([refused.failure, refused.message]).toEqual(['usage', message]);
  });
});

describe('a platform of several projects', () => {
  test('takes no more requests at a time than it is told, from all of them together', async () => {
    const emulator = createEmulator({ apiKey: 'a-key' });
    const atATime = { now: 0, most: 0 };
    const send: Send = async (request) => {
      // Those last as long as a deployment, and keep no others waiting.
      if (request.path.endsWith('.deploy')) return emulator.send(request);
      atATime.most = Math.max(atATime.most, ++atATime.now);
      await new Promise((resolve) => setImmediate(resolve));
      return emulator.send(request).finally(() => void atATime.now--);
    };
    const platform = platformAt({ url: 'http://emulator', apiKey: 'a-key', send, connections: 2 });
    const names = ['one', 'two', 'three', 'four'];
    const projects = await Promise.all(
      names.map((name) => {
        const store = memoryStore();
        const state = stateAt({ openStore: () => ({ ...store, close: () => store.close() }) });
        return open(folderWith({ 'trueup.yaml': manifestOf('redis:7', name) }), { env, platform, state });
      }),
    );
    await Promise.all(projects.map(async (project) => project.apply({ permissions })));
    expect(atATime.most).toBe(2);
    for (const project of projects) expect(planDocument(await project.plan()).hasChanges).toBe(false);
    await Promise.all(projects.map((project) => project.close()));
  });

  test('is one thing and the state another: each can be that of the manifest', async () => {
    const { places, posts } = emulated();
    const folder = folderWith({ 'trueup.yaml': manifestOf('redis:7') });
    const elsewhere = await open(folder, { env, platform: places.platform });
    expect(resultDocument(await elsewhere.apply({ permissions })).state?.location).toContain('.trueup');
    const before = posts();
    const here = await open(folder, { env, state: places.state });
    const made = planDocument(await here.plan());
    expect([made.platform, made.summary.create, posts()]).toEqual(['emulator', 1, before]);
    expect(planDocument(await elsewhere.plan())).toMatchObject({ platform: 'http://emulator', hasChanges: false });
    await Promise.all([elsewhere.close(), here.close()]);
  });
});

test.each([
  'https://user:secretpassword@dokploy.example.com',
  'https://secretpassword@dokploy.example.com',
  'https://dokploy.example.com/?token=secretpassword',
  'https://dokploy.example.com/#secretpassword',
  'ftp://dokploy.example.com/secretpassword',
  'secretpassword',
  '',
])('an address that is none of a platform is refused, and not quoted: %s', async (url) => {
  const stop = await stopOf((async () => platformAt({ url, apiKey: 'a-key' }))());
  expect(stop.failure).toBe('usage');
  expect(stop.message).toContain('platformAt: url is no address of a platform');
  expect(JSON.stringify(stop.diagnostics)).not.toContain('secretpassword');
});

describe('a number that a run cannot go by', () => {
  test.each([0, -1, 1.5, Number.NaN, Infinity])('is refused: %d requests at a time', async (connections) => {
    const { places, posts } = emulated();
    const project = await open(folderWith({ 'trueup.yaml': manifestOf('redis:7') }), { env, ...places });
    const refusals = [
      await stopOf((async () => platformAt({ url: 'http://emulator', apiKey: 'a-key', connections }))()),
      await stopOf(project.apply({ permissions, connections })),
    ];
    for (const { failure, message } of refusals) {
      expect(failure).toBe('usage');
      expect(message).toContain(`connections must be a whole number of at least 1, got ${connections}`);
    }
    expect(posts()).toBe(0);
  });

  test.each([
    ['lockTimeoutMs', { lockTimeoutMs: Number.NaN }],
    ['inFlightTimeoutMs', { inFlightTimeoutMs: Infinity }],
    ['deployLimitMs of ai', { deployLimitMs: () => Number.NaN }],
  ])('is refused: %s', async (name, numbers) => {
    const { places, posts } = emulated();
    const project = await open(folderWith({ 'trueup.yaml': manifestOf('redis:7') }), { env, ...places });
    const { failure, message } = await stopOf(project.apply({ permissions, ...numbers }));
    expect(failure).toBe('usage');
    expect(message).toContain(`${name} must be a number of milliseconds`);
    expect(posts()).toBe(0);
  });

  test('is not the longest time: a deployment without a limit is started once, and waited for', async () => {
    const { emulator, places } = emulated(2_000);
    const server = await serve(emulator);
    const platform = platformAt({ url: server.url, apiKey: 'a-key' });
    const project = await open(folderWith({ 'trueup.yaml': manifestOf('redis:7') }), { env, ...places, platform });
    const applied = resultDocument(await project.apply({ permissions, deployLimitMs: () => Infinity }));
    expect(applied.ending).toBe('done');
    expect(emulator.log.filter(({ operation }) => operation === 'redis.deploy')).toHaveLength(1);
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    await project.close();
    await server.close();
  });
});

describe('a state of a program', () => {
  test('is refused with a schema that would be more than a name in a statement', async () => {
    const pool = { connect: () => Promise.reject(new Error('nothing connects')) };
    const at = (schema: string) => async () => stateAt({ pool, schema, name: 'shop', key: 'AAAA' });
    for (const schema of ['', 'Shop', 'shop.state; drop schema shop cascade; --'])
      expect(await stopOf(at(schema)())).toMatchObject({
        failure: 'usage',
        message: 'stateAt: schema is no name of a schema',
      });
  });
});

describe('the document of a manifest', () => {
  const files = {
    'trueup.yaml': `${head}variables: { image: { default: "redis:7" } }\nenvironments:\n  production:\n${redis('main', '${var:image}')}    compose:\n      shop: { source: { type: raw, composeFile: "\${file:shop.yaml}" } }\n`,
    'shop.yaml': 'services: { web: { image: "nginx:1" } }\n',
    'other.yaml': 'nobody: reads\n',
  };
  const documentOf = async (some: Partial<typeof files>, options: ManifestOptions = {}) =>
    manifestDocument((await validate(folderWith({ ...files, ...some }), { env, ...options })).manifest);

  test('has its blocks, its files, and a digest that changes with what it wants', async () => {
    const first = await documentOf({});
    expect(first).toMatchObject({
      addresses: ['production', 'production.redis.main', 'production.compose.shop'],
      files: ['shop.yaml', 'trueup.yaml'],
    });
    expect(first.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await documentOf({ 'other.yaml': 'another: text\n' })).toEqual(first);
    expect(await documentOf({}, { variables: { image: 'redis:7' } })).toEqual(first);
    const others = [
      await documentOf({}, { variables: { image: 'redis:8' } }),
      await documentOf({ 'shop.yaml': 'services: { web: { image: "nginx:2" } }\n' }),
      await documentOf({ 'trueup.yaml': files['trueup.yaml'].replace('redis:7', 'redis:8') }),
    ];
    expect(new Set([first, ...others].map(({ digest }) => digest)).size).toBe(4);
  });

  test('has another digest with another environment that it reads, and as another preview', async () => {
    const reading = { 'trueup.yaml': manifestOf('redis:${env:TAG}') };
    const ofTag = (TAG: string, more = {}) => documentOf(reading, { env: { TAG, ...more } });
    expect(await ofTag('7', { OTHER: 'nobody reads' })).toEqual(await ofTag('7'));
    const encoded = { 'trueup.yaml': manifestOf('redis:${env:TAG|urlencode}') };
    const [seven, eight] = [
      await documentOf(encoded, { env: { TAG: '7' } }),
      await documentOf(encoded, { env: { TAG: '8' } }),
    ];
    expect(seven.digest).not.toBe(eight.digest);
    const text = `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironment: pr\npreview: { for: 3d }\nredis:\n  main: { dockerImage: "redis:7", databasePassword: a }\n`;
    const ofPreview = (preview: string) => documentOf({ 'trueup.yaml': text }, { preview });
    const all = [await ofTag('7'), await ofTag('8'), await ofPreview('1'), await ofPreview('2')];
    expect(new Set(all.map(({ digest }) => digest)).size).toBe(4);
  });
});

describe('an apply of a program', () => {
  test('ends when its signal says so, and the next one does the rest', async () => {
    const { places, posts } = emulated();
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const blocks = names.map((name) => `      ${name}: { dockerImage: "redis:7", databasePassword: a }\n`).join('');
    const text = `${head}environments:\n  production:\n    redis:\n${blocks}`;
    const project = await open(folderWith({ 'trueup.yaml': text }), { env, ...places });
    const over = new AbortController();
    over.abort();
    const unsent = await stopOf(project.apply({ permissions, signal: over.signal }));
    expect([unsent.failure, posts()]).toEqual(['refused', 0]);
    const ending = new AbortController();
    const onEvent = ({ event, action }: { event: string; action: string }) =>
      void (event === 'done' && action === 'create' && ending.abort());
    const part = resultDocument(await project.apply({ permissions, connections: 1, signal: ending.signal, onEvent }));
    expect(part).toMatchObject({ ending: 'partly', interrupted: true });
    expect(part.outcomes.map(({ result }) => result)).toContain('skipped');
    expect(resultDocument(await project.apply({ permissions, inFlightTimeoutMs: 1 })).ending).toBe('done');
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    await project.close();
  });

  describe('that does not wait for its deployments', () => {
    afterEach(() => void vi.useRealTimers());

    /** A project whose first deployment goes on without being watched, and the same with an edit. */
    const begun = async () => {
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
        now: Date.UTC(2030, 0, 1),
      });
      const made = emulated(120_000);
      const folder = folderWith({ 'trueup.yaml': application('web:1') });
      const project = await open(folder, { env, ...made.places });
      expect(await passing(project.follow())).toBeUndefined();
      const first = resultDocument(await passing(project.apply({ permissions, waits: false })));
      expect(first.outcomes.find(({ action }) => action === 'deploy')?.diagnostics).toMatchObject([
        { code: 'ordered' },
      ]);
      writeFileSync(join(folder, 'trueup.yaml'), application('web:2'));
      const edited = await open(folder, { env, ...made.places });
      const pending = () => made.store.state?.deployments['production.application.web']?.pending;
      expect(pending()).toBeDefined();
      return { ...made, project, edited, pending };
    };

    test('leaves them to a second run, which sends nothing', async () => {
      const { project, posts, pending } = await begun();
      const before = posts();
      const followed = await passing(project.follow());
      expect(followed && resultDocument(followed)).toMatchObject({ ending: 'done', requests: { writes: 0 } });
      expect([posts(), pending()]).toEqual([before, undefined]);
      expect(planDocument(await passing(project.plan())).hasChanges).toBe(false);
      expect(await passing(project.follow())).toBeUndefined();
      await project.close();
    });

    test('leaves what the manifest says meanwhile to an apply', async () => {
      const { edited, posts, pending, store } = await begun();
      const before = posts();
      const known = store.state?.resources;
      const followed = await passing(edited.follow());
      expect(followed && resultDocument(followed)).toMatchObject({ ending: 'done', requests: { writes: 0 } });
      expect([posts(), pending()]).toEqual([before, undefined]);
      expect(store.state?.resources).toEqual(known);
      expect(planDocument(await passing(edited.plan())).summary).toMatchObject({ update: 1, deploy: 1 });
      expect(resultDocument(await passing(edited.apply())).ending).toBe('done');
      expect(planDocument(await passing(edited.plan())).hasChanges).toBe(false);
      await edited.close();
    });

    test('lets a second run say that one failed, and the next apply deploys again', async () => {
      const { project, posts, emulator, store } = await begun();
      const applicationId = store.state?.resources['production.application.web']?.id ?? '';
      await edit({ emulator, apiKey: 'a-key' }, 'application.killBuild', { applicationId });
      const before = posts();
      const followed = await passing(project.follow());
      expect(followed && resultDocument(followed)).toMatchObject({ ending: 'failed', requests: { writes: 0 } });
      expect(posts()).toBe(before);
      expect(resultDocument(await passing(project.apply({ permissions }))).ending).toBe('done');
      expect(planDocument(await passing(project.plan())).hasChanges).toBe(false);
      await project.close();
    });
  });
});

describe('a deployment that a program follows', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
      now: Date.UTC(2030, 0, 1),
    });
  });
  afterEach(() => void vi.useRealTimers());

  const web = (image: string, more = '') =>
    `{ application: { web: { source: { type: docker, image: "${image}" }${more} } } }`;
  const environments = (production: string, staging = '{}', top = '') =>
    `${head}${top}environments:\n  production: ${production}\n  staging: ${staging}\n`;

  /** A folder whose manifest changes between runs; each opens it anew. */
  const changing = () => {
    const made = emulated(30_000);
    const folder = folderWith({});
    const opened = async (text: string) => {
      writeFileSync(join(folder, 'trueup.yaml'), text);
      return open(folder, { env, ...made.places });
    };
    const apply = async (text: string, waits = false) =>
      resultDocument(await passing((await opened(text)).apply({ permissions, waits })));
    const follow = async (text: string) => {
      const before = made.posts();
      const result = await passing((await opened(text)).follow());
      expect(made.posts()).toBe(before);
      return result && resultDocument(result);
    };
    const send = (operation: 'application.killBuild' | 'application.delete') => {
      const applicationId = made.store.state?.resources['production.application.web']?.id ?? '';
      return edit({ emulator: made.emulator, apiKey: 'a-key' }, operation, { applicationId });
    };
    const planned = async (text: string) => planDocument(await passing((await opened(text)).plan()));
    return { ...made, apply, follow, send, planned };
  };

  test('is followed also where nothing may be deployed since', async () => {
    const { apply, follow, planned } = changing();
    const never = environments(web('web:1', ', deploy: never'));
    await apply(environments(web('web:1')));
    await apply(never);
    expect(await follow(never)).toMatchObject({ ending: 'done', outcomes: [{ action: 'deploy', result: 'done' }] });
    expect(await follow(never)).toBeUndefined();
    expect((await planned(never)).hasChanges).toBe(false);
  });

  test('is followed by the address that its service gets', async () => {
    const { apply, follow, store } = changing();
    const moved = 'moved:\n  - { from: production.application.web, to: staging.application.web }\n';
    await apply(environments(web('web:1')));
    expect(await follow(environments('{}', web('web:1'), moved))).toMatchObject({ ending: 'done' });
    expect(Object.values(store.state?.deployments ?? {}).map(({ pending }) => pending)).toEqual([undefined]);
  });

  test('is none once its service is gone from the platform', async () => {
    const { apply, follow, send, planned } = changing();
    const text = environments(web('web:1'));
    await apply(text);
    await send('application.delete');
    expect(await follow(text)).toBeUndefined();
    expect((await apply(text, true)).ending).toBe('done');
    expect((await planned(text)).hasChanges).toBe(false);
  });

  test('that fails is not taken back, and the state says what failed, whatever the manifest says since', async () => {
    const { apply, follow, send, planned, store } = changing();
    const restoring = (image: string) => environments(web(image, ', deploy: { onFailure: restore }'));
    await apply(restoring('web:1'), true);
    await apply(restoring('web:2'));
    const known = () => store.state?.deployments['production.application.web'];
    const inputs = known()?.pending?.inputs;
    await send('application.killBuild');
    expect(await follow(restoring('web:3'))).toMatchObject({ ending: 'failed' });
    expect([known()?.failed, known()?.stale?.saved?.inputs]).toEqual([undefined, inputs]);
    expect((await apply(restoring('web:2'), true)).ending).toBe('done');
    expect((await planned(restoring('web:2'))).hasChanges).toBe(false);
  });
});

describe('drift of a program', () => {
  test('has the plan that puts it right, which can be kept and applied later', async () => {
    const { places, emulator, posts } = emulated();
    const project = await open(folderWith({ 'trueup.yaml': manifestOf('redis:7') }), { env, ...places });
    const { outcomes } = resultDocument(await project.apply({ permissions }));
    const redisId = outcomes.find(({ kind }) => kind === 'redis')?.id ?? '';
    await edit({ emulator, apiKey: 'a-key' }, 'redis.update', { redisId, dockerImage: 'redis:7.4' });
    const found = await project.drift();
    expect(driftDocument(found).summary.new).toBe(1);
    const kept = planFile(driftPlan(found));
    expect(resultDocument(await project.apply({ plan: kept })).ending).toBe('done');
    expect(driftDocument(await project.drift()).summary).toMatchObject({ new: 0, resolved: 1 });
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    const before = posts();
    expect(resultDocument(await project.apply({ plan: kept })).ending).toBe('done');
    expect(posts()).toBe(before);
    await project.close();
  });
});

describe('the views of documents', () => {
  test('are those of the command line, also of a document that was kept as text', async () => {
    const { places, emulator } = emulated();
    const project = await open(folderWith({ 'trueup.yaml': manifestOf('redis:7') }), { env, ...places });
    const kept = <T>(document: T): T => JSON.parse(JSON.stringify(document)) as T; // as a database gives it
    const plan = kept(planDocument(await project.plan()));
    const result = kept(resultDocument(await project.apply({ permissions })));
    const redisId = result.outcomes.find(({ kind }) => kind === 'redis')?.id ?? '';
    await edit({ emulator, apiKey: 'a-key' }, 'redis.update', { redisId, dockerImage: 'redis:7.4' });
    const drift = kept(driftDocument(await project.drift()));
    await project.close();
    const shown = [
      ...Object.values(planViews).map((view) => view(plan)),
      ...Object.values(resultViews).map((view) => view(result)),
      ...Object.values(driftViews).map((view) => view(drift)),
    ];
    for (const text of shown) expect(text).toContain('production.redis.main');
    expect(planViews.html(plan)).toMatch(/^<!doctype html>/i);
    expect(JSON.parse(driftViews.sarif(drift))).toMatchObject({ version: '2.1.0' });
    expect(driftViews.junit(drift)).toMatch(/^<\?xml/);
    const site = { key: 'shop', folder: 'infra/', file: 'trueup.yaml' };
    expect(planViews.markdown(plan, site)).toContain('shop');
  });

  test('hold no command that a runner of a pipeline executes', async () => {
    const file =
      'services:\\n  w:\\n    image: nginx:1\\n    command: |\\n      echo\\n      ::error::x\\n      ##[error]x\\n';
    const compose = (text: string) =>
      `${head}environments:\n  production:\n    compose: { c: { source: { type: raw, composeFile: "${text}" } } }\n`;
    const { emulator, places } = emulated();
    const folder = folderWith({ 'trueup.yaml': compose(file) });
    const project = await open(folder, { env, ...places });
    const plan = planDocument(await project.plan());
    const result = resultDocument(await project.apply({ permissions }));
    expect(planDocument(await project.plan()).hasChanges).toBe(false);
    const composeId = result.outcomes.find(({ kind }) => kind === 'compose')?.id ?? '';
    const composeFile = 'services:\n  w:\n    image: nginx:2\n    command: |\n      ::warning::y\n      ##[warning]y\n';
    await edit({ emulator, apiKey: 'a-key' }, 'compose.update', { composeId, composeFile });
    const drift = driftDocument(await project.drift());
    await project.close();
    expect(planViews.markdown(plan)).toContain('u0023#[error]x');
    const shown = [
      ...Object.values(planViews).map((view) => view(plan)),
      ...Object.values(resultViews).map((view) => view(result)),
      ...Object.values(driftViews).map((view) => view(drift)),
    ];
    for (const text of shown) expect(text).not.toMatch(/^\s*::[a-z]|##\[/im);
  });
});

describe('a session of a program', () => {
  test('refuses a plan of another session also where both have the same places', async () => {
    const { places } = emulated();
    const { manifest } = await validate(folderWith({ 'trueup.yaml': manifestOf('redis:7') }), { env });
    const other = await session(manifest, places, { purpose: 'one' }, (opened) => opened.plan());
    const stop = await stopOf(session(manifest, places, { purpose: 'two' }, (opened) => opened.apply(other)));
    expect(stop.diagnostics[0]?.code).toBe('plan-outdated');
  });

  test('applies one of two plans, and the other one is made again: the state keeps both', async () => {
    const { places, store } = emulated();
    const text = `${head}environments:\n  production:\n${redis('a', 'redis:8')}      b: { dockerImage: redis:8, databasePassword: b }\n`;
    const { manifest } = await validate(folderWith({ 'trueup.yaml': text }), { env });
    const [a, b] = ['production.redis.a', 'production.redis.b'] as const;
    await session(manifest, places, { purpose: 'in two steps' }, async (opened) => {
      const plans = [await opened.plan({ target: [a] }), await opened.plan({ target: [b] })] as const;
      await opened.apply(plans[0], permissions);
      const stop = await stopOf(opened.apply(plans[1], permissions));
      expect(stop.diagnostics[0]?.code).toBe('plan-outdated');
      await opened.apply(await opened.plan({ target: [b] }), permissions);
    });
    expect(Object.keys(store.state?.resources ?? {})).toEqual(expect.arrayContaining([a, b]));
  });
});
