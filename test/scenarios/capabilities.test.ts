import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { beyondDocument, isOperation, contracts } from '../../src/api/contract.ts';
import { versionOperation } from '../../src/api/platform-version.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { platformVersion } from '../../src/observe/discover.ts';
import { idOf } from '../../src/secrets/digest.ts';
import { planFile } from '../../src/plan/plan-facts.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { planAgain } from '../../src/workflow/reviewed.ts';
import { documentOf, publishing } from '../support/publishing.ts';
import type { Told } from '../support/publishing.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What a run finds out of its platform, and what it asks for that. */

const everything = { dataLoss: true, adoption: true };
const text = (more = '') =>
  `${head}environments:\n  staging:\n    application:\n      web: { source: { type: docker, image: nginx }${more} }\n`;

/** A platform, with runs on it that begin anew each time. */
function platform(told: Told, made: Bench = bench()) {
  const { world, reads } = publishing(made, told);
  const planned = async (manifest = text()) => plan(await made.manifest(manifest), world());
  const applied = async (manifest = text()) => {
    const over = world();
    const result = await applyPlan(await plan(await made.manifest(manifest), over), over, {
      permissions: everything,
      connections: 4,
      clock: made.clock,
    });
    expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
    return result;
  };
  return { made, world, reads, planned, applied, remembered: () => made.store.state?.platform };
}

async function refusal(attempt: Promise<unknown>) {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
  return error.diagnostics;
}

const full = { version: 'v1.0.0' };

describe('a platform that publishes what it serves', () => {
  test('is asked for its version and its document once; a steady run reads the version only', async () => {
    const run = platform({ ...full });
    await run.planned(text(', replicas: 2'));
    expect(run.reads()).toEqual(['getDokployVersion', 'getOpenApiDocument']);
    await run.applied(text(', replicas: 2'));
    run.reads();
    expect(run.remembered()).toMatchObject({ version: 'v1.0.0' });
    expect(run.remembered()?.operations).toContain('application.update');
    const again = await run.planned(text(', replicas: 2'));
    expect(run.reads()).toEqual(['getDokployVersion']);
    expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    expect(again.diagnostics).toEqual([]);
  });

  test('counts for operations with path and method of the declarations only', async () => {
    const document = JSON.parse(documentOf(contracts.standard)) as { paths: Record<string, object> };
    document.paths['/application.update'] = { get: {} };
    document.paths['/application.deploy'] = { post: {} };
    document.paths['/application.unheard'] = { post: {} };
    const run = platform({ ...full, document: JSON.stringify(document) });
    await run.applied();
    expect(run.remembered()?.operations).toEqual(['application.deploy']);
    expect(await refusal(run.planned(text(', replicas: 2')))).toMatchObject([{ code: 'unsupported' }]);
  });

  test('that is upgraded is read again, also in the middle of a plan', async () => {
    const told: Told = { ...full, document: documentOf(contracts.standard) };
    const run = platform(told);
    await run.applied();
    expect(run.remembered()?.operations).toEqual([]);
    run.reads();
    Object.assign(told, { version: 'v2.0.0', document: documentOf() });
    const upgraded = await run.planned();
    expect(run.reads()).toEqual(['getDokployVersion', 'getDokployVersion', 'getOpenApiDocument']);
    expect(upgraded.base.platform).toMatchObject({ version: 'v2.0.0' });
    await run.applied();
    expect(run.remembered()).toMatchObject({ version: 'v2.0.0' });
    run.reads();
    await run.planned();
    expect(run.reads()).toEqual(['getDokployVersion']);
  });

  test('that can more since is asked again when the manifest needs that', async () => {
    const told: Told = { ...full, document: documentOf(contracts.standard) };
    const run = platform(told);
    await run.applied();
    Object.assign(told, { version: 'v2.0.0', document: documentOf() });
    await run.applied(text(', replicas: 2'));
    expect(Object.values(run.made.emulator.world.tables.application)).toMatchObject([{ replicas: 2 }]);
  });
});

describe('a platform that is upgraded while a plan is applied', () => {
  const databases = (image: string) =>
    `${head}environments:\n  production:\n    redis: { a: { dockerImage: "${image}", databasePassword: x }, b: { dockerImage: "${image}", databasePassword: x } }\n`;
  const data = { code: 'NOT_FOUND', httpStatus: 404 };
  const missing = JSON.stringify({ message: 'Not found', code: 'NOT_FOUND', data });

  test('is not asked for its version where a deployment fails', async () => {
    const told: Told = { ...full };
    const run = platform(told);
    const over = run.world();
    const { made } = run;
    const planned = await plan(await made.manifest(text().replace('nginx', '"fail:1"')), over);
    told.version = 'v2.0.0';
    run.reads();
    const { outcomes } = await applyPlan(planned, over, { permissions: everything, connections: 4, clock: made.clock });
    const failed = outcomes.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code));
    expect(failed).toEqual(['deploy-failed']);
    expect(run.reads()).toEqual([]);
  });

  test.each([
    ['that no longer has an operation', 'v2.0.0', ['v1.0.0 to v2.0.0']],
    ['of the same version', 'v1.0.0', []],
    ['that does not tell its version any more', undefined, []],
  ])('(one %s): the error says so, after one read', async (_title, version, versions) => {
    const told: Told = { ...full };
    const run = platform(told);
    await run.applied(databases('redis:7'));
    const { made } = run;
    const over = run.world();
    const later = await plan(await made.manifest(databases('redis:8')), over);
    const { send } = made.emulator;
    made.emulator.send = async (request) => {
      told.version = version;
      const answer = await send(request);
      return request.path.startsWith('/api/redis.update') ? { ...answer, status: 404, body: missing } : answer;
    };
    run.reads();
    const { outcomes } = await applyPlan(later, over, { permissions: everything, connections: 4, clock: made.clock });
    expect(outcomes.filter(({ result }) => result === 'failed')).toHaveLength(2);
    const upgrades = outcomes.flatMap(({ diagnostics }) => diagnostics.filter(({ code }) => code === 'upgraded'));
    expect(upgrades.map(({ message }) => message)).toEqual(
      versions.map((which) => `the platform was upgraded from ${which} meanwhile: the plan was made for v1.0.0`),
    );
    expect(run.reads()).toEqual(['getDokployVersion']);
    Object.assign(made.emulator, { send });
    told.version = 'v2.0.0';
    await run.applied(databases('redis:8'));
    expect((await run.planned(databases('redis:8'))).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });
});

describe('resources of the state that the platform does not serve any more', () => {
  const ports = (more: string) =>
    `${head}environments:\n  staging:\n    application:\n      web: { source: { type: docker, image: nginx }${more} }\n`;
  const declared = ports(', ports: { web: { publishedPort: 8080, targetPort: 80 } }');
  const address = 'staging.application.web.ports.web';
  const moved = async () => {
    const made = bench();
    await made.apply(declared, everything);
    expect(made.store.state?.resources).toHaveProperty([address]);
    const later = bench({ emulator: made.emulator, clock: made.clock, documentedOnly: true });
    later.store.state = made.store.state;
    return later;
  };

  test('stay, with a warning; where the manifest declares one, its line is the error', async () => {
    const later = await moved();
    expect(await refusal(later.plan(declared))).toMatchObject([{ code: 'unsupported', address }]);
    await later.apply(ports(''));
    const { actions, diagnostics } = await later.plan(ports(''));
    expect(actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    expect(diagnostics).toMatchObject([
      {
        code: 'not-served',
        severity: 'warning',
        message: `the platform serves no ports (port.one): Trueup neither reads nor deletes ${address}; the state keeps it`,
        remedy: `If the platform has it no longer, run trueup state rm '${address}'.`,
      },
    ]);
    expect(later.store.state?.resources).toHaveProperty([address]);
  });

  test('go with the parent that is deleted', async () => {
    const later = await moved();
    const { outcomes } = await later.destroy(head);
    expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
    expect(later.store.state?.resources).toEqual({});
    const { actions, diagnostics } = await later.plan(head);
    expect([actions, diagnostics]).toEqual([[], []]);
  });
});

describe('a platform that does not', () => {
  test('is asked once: a steady run sends no request more', async () => {
    const run = platform({});
    await run.applied();
    expect(run.reads()).toEqual(['getDokployVersion']);
    expect(run.remembered()).toMatchObject({ version: null, operations: [] });
    const again = await run.planned();
    expect(run.reads()).toEqual([]);
    expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  test('is asked again when the manifest has what is lacking there', async () => {
    const told: Told = {};
    const run = platform(told);
    await run.applied();
    expect(await refusal(run.planned(text(', replicas: 2')))).toMatchObject([{ code: 'unsupported' }]);
    told.version = 'v1.0.0';
    await run.applied(text(', replicas: 2'));
    expect(run.remembered()).toMatchObject({ version: 'v1.0.0' });
  });
});

describe('a document that cannot be read', () => {
  test.each([
    ['a web page', '<!doctype html><html><body>Sign in</body></html>'],
    ['cut off', documentOf().slice(0, 5_000)],
    ['of another API', JSON.stringify({ openapi: '3.1.0', paths: { '/pets': { get: {} } } })],
    ['a list', '[]'],
    ['a text', '"hello"'],
    ['empty', ''],
    ['hostile', '{"paths":{"__proto__":{"get":{}},"/user.get":{"__proto__":{"get":{}}},"constructor":[]}}'],
    ['deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['of a proxy without a route', '404 page not found'],
    ['an empty object', '{}'],
  ])('(%s) is no word of the platform: each run says so and reads it again, until it is one', async (_, document) => {
    const told: Told = { ...full, document };
    const run = platform(told);
    await run.applied();
    expect(run.remembered()).toBeUndefined();
    run.reads();
    const { diagnostics } = await run.planned();
    expect(diagnostics).toMatchObject([{ code: 'no-capabilities', severity: 'warning' }]);
    expect(run.reads()).toEqual(['getDokployVersion', 'getOpenApiDocument']);
    expect(await refusal(run.planned(text(', replicas: 2')))).toMatchObject([
      { code: 'no-capabilities' },
      { message: expect.stringContaining('whether the platform serves application.update is not known') as string },
    ]);
    delete told.document;
    await run.applied(text(', replicas: 2'));
    expect(run.remembered()?.operations).toContain('application.update');
    run.reads();
    const again = await run.planned(text(', replicas: 2'));
    expect(run.reads()).toEqual(['getDokployVersion']);
    expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  test('that an earlier version of Trueup took for an empty one is read again', async () => {
    const run = platform({ ...full });
    await run.applied();
    const { state } = run.made.store;
    if (state?.platform === undefined) throw new Error('it remembers the platform');
    const earlier = idOf(JSON.stringify(beyondDocument));
    run.made.store.state = { ...state, platform: { version: 'v1.0.0', operations: [], sought: earlier } };
    await run.applied(text(', replicas: 2'));
    expect(run.remembered()?.operations).toContain('application.update');
    const again = await run.planned(text(', replicas: 2'));
    expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  test.each([
    [200, '<!doctype html><title>Sign in</title>'],
    [404, '404 page not found'],
    [204, ''],
    [200, '{}'],
  ])('(a page, %d %s) in the place of the version is no word of the platform either', async (status, body) => {
    const run = platform({ ...full });
    const { client, ...over } = run.world();
    let pages = 1;
    const invoke: typeof client.invoke = (operation, input, options) => {
      if (operation !== versionOperation || pages-- <= 0) return client.invoke(operation, input, options);
      const page = createClient({
        send: () => Promise.resolve({ status, headers: {}, body }),
        url: 'http://platform.test',
        apiKey: 'key',
        redact: (one) => one,
      });
      return page.invoke(operation, input, options);
    };
    const made = await plan(await run.made.manifest(text(', replicas: 2')), {
      ...over,
      client: {
        ...client,
        invoke,
        get contract() {
          return client.contract;
        },
      },
    });
    expect(made.base.platform).toMatchObject({ version: 'v1.0.0' });
    expect(made.diagnostics).toEqual([]);
  });

  test('of a version of which nothing is remembered leaves what the state has, and advises to remove nothing', async () => {
    const told: Told = { ...full };
    const run = platform(told);
    await run.applied(text(', ports: { web: { publishedPort: 8080, targetPort: 80 } }'));
    const { state } = run.made.store;
    if (state === undefined) throw new Error('there is no state');
    const { platform: _forgotten, ...rest } = state;
    run.made.store.state = rest;
    told.document = 'no';
    const { actions, diagnostics } = await run.planned(text());
    expect(actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    expect(diagnostics.filter(({ code }) => code === 'not-served')).toEqual([
      {
        code: 'not-served',
        severity: 'warning',
        message:
          'whether the platform serves ports (port.one) is not known: Trueup neither reads nor deletes ' +
          'staging.application.web.ports.web; the state keeps it',
        remedy: 'Run trueup doctor: it shows what the platform answers.',
      },
    ]);
  });

  test('of a new version leaves what the one before served', async () => {
    const told: Told = { ...full };
    const run = platform(told);
    await run.applied(text(', replicas: 2'));
    Object.assign(told, { version: 'v2.0.0', document: 'no' });
    const plan = await run.planned(text(', replicas: 3'));
    expect(plan.diagnostics).toMatchObject([
      {
        code: 'no-capabilities',
        message:
          'the platform (version v2.0.0) gave no OpenAPI document that can be read: Trueup uses the operations that version v1.0.0 served',
      },
    ]);
    expect(plan.actions.flatMap(({ steps }) => steps.map(({ operation }) => operation))).toContain(
      'application.update',
    );
  });

  test.each([[''], ['v 1'], ['<b>'], ['x'.repeat(100)], ['\u001B[31m']])(
    'a version that is none (%j) counts as none',
    async (version) => {
      const run = platform({ version });
      await run.applied();
      expect(run.remembered()).toMatchObject({ version: null });
    },
  );
});

test('what was found with another version of Trueup, or in another profile, is looked for again', async () => {
  const run = platform({ ...full });
  await run.applied();
  const { state } = run.made.store;
  if (state?.platform === undefined) throw new Error('it remembers the platform');
  run.made.store.state = { ...state, platform: { ...state.platform, sought: 'something else', operations: [] } };
  run.reads();
  await run.planned(text(', replicas: 2'));
  expect(run.reads()).toEqual(['getDokployVersion', 'getOpenApiDocument']);
});

test('a platform whose 404 has no details keeps to the document too', async () => {
  const body = JSON.stringify({ message: 'Not found', code: 'NOT_FOUND' });
  const send = () => Promise.resolve({ status: 404, headers: { 'content-type': 'application/json' }, body });
  const client = createClient({ send, url: 'http://platform.test', apiKey: 'key', redact: (text) => text });
  expect(await platformVersion(client)).toBeUndefined();
});

test('a state holds the names of operations beyond the document only', async () => {
  const run = platform({ ...full });
  await run.applied();
  expect(run.remembered()?.operations.filter(isOperation)).toEqual([]);
});

describe('a plan file', () => {
  const reviewing = async (told: Told) => {
    const run = platform(told);
    await run.applied();
    const { made } = run;
    const purpose = { manifest: await made.manifest(text(', replicas: 2')), deploys: true, destroys: false };
    const about = { version: '1.0.0', at: '2030-01-01T00:00:00.000Z', shown: '' };
    const over = run.world();
    const file = planFile(await plan(purpose.manifest, over, purpose), purpose, about, await made.store.key());
    return {
      file,
      again: () => planAgain({ file, name: 'the plan', version: '1.0.0' }, purpose.manifest, run.world()),
    };
  };

  test('names the version of the platform, and is made again with the same one', async () => {
    const { file, again } = await reviewing({ ...full });
    expect(file.platformVersion).toBe('v1.0.0');
    expect((await again()).actions.map(({ action }) => action)).toContain('update');
  });

  test('of another version is refused: the remedy is to plan again', async () => {
    const told: Told = { ...full };
    const { again } = await reviewing(told);
    told.version = 'v2.0.0';
    const [refused, why] = await refusal(again());
    expect(refused).toMatchObject({ code: 'plan-outdated', remedy: expect.stringContaining('Plan again') as string });
    expect(why?.message).toBe('the plan was made with version v1.0.0 of the platform, which has version v2.0.0 now');
  });
});
