import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Settings } from '../../src/manifest/settings.ts';
import { applyMoves } from '../../src/plan/moved-addresses.ts';
import { session } from '../../src/workflow/session.ts';
import type { State } from '../../src/state/state.ts';
import { declared, here, inputOf, kindNamed, recordOf, resourceOf } from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';

/** moved: keeps an object when its address changes. */

const body = 'dockerImage: redis:8, databasePassword: correct-horse-1';
const compose = `{ source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, domains: { x.example.com: { serviceName: web } } }`;
const manifest = (environments: string, moved = '') => `${head}${moved}environments:\n${environments}`;
const move = (from: string, to: string) => `moved: [{ from: ${JSON.stringify(from)}, to: ${JSON.stringify(to)} }]\n`;

type Made = ReturnType<typeof bench>;

const before = manifest(`  production: { redis: { old: { ${body} } } }\n  staging: {}\n`);

async function actionsOf(made: Made, text: string): Promise<string[]> {
  const plan = await made.plan(text);
  return plan.actions
    .filter((action) => action.action !== 'no-op')
    .map((action) => `${action.action} ${action.address}`);
}

/** Applies the text and gives the requests it took; then it plans nothing, and nothing again without moved:. */
async function requestsFor(made: Made, text: string): Promise<string[]> {
  made.requests('POST');
  await made.apply(text);
  const requests = made.requests('POST');
  expect(await actionsOf(made, text)).toEqual([]);
  expect(await actionsOf(made, text.replace(/^moved: .*\n/m, ''))).toEqual([]);
  return requests;
}

async function refused(made: Made, text: string): Promise<string> {
  made.requests('POST');
  const error = await made.apply(text).catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was not refused');
  expect(error.diagnostics.map((item) => item.code)).toEqual(['bad-move']);
  expect(error.diagnostics[0]?.remedy ?? '').not.toBe('');
  expect(error.diagnostics[0]?.position).toMatchObject({ file: 'trueup.yaml', line: 4 });
  expect(made.requests('POST')).toEqual([]);
  return error.message;
}

describe('a new key', () => {
  const after = manifest(
    `  production: { redis: { new: { ${body} } } }\n  staging: {}\n`,
    move('production.redis.old', 'production.redis.new'),
  );

  test('changes the name and nothing else', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const [id] = Object.keys(made.emulator.world.tables.redis);
    expect(await actionsOf(made, after)).toEqual(['update production.redis.new']);
    expect(await requestsFor(made, after)).toEqual(['redis.update']);
    expect(made.emulator.world.tables.redis[id ?? '']).toMatchObject({ name: 'new' });
    expect(Object.keys(made.store.state?.resources ?? {}).toSorted()).toEqual([
      'production',
      'production.redis.new',
      'staging',
    ]);
  });

  test('of an object whose name is written sends nothing', async () => {
    const made = bench();
    await made.apply(before.replace('dockerImage', 'name: fix, dockerImage'), { adoption: true });
    expect(await requestsFor(made, after.replace('dockerImage', 'name: fix, dockerImage'))).toEqual([]);
  });

  test('that has to be quoted is written as the address is', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const text = manifest(
      `  production: { redis: { "a.b": { ${body} } } }\n  staging: {}\n`,
      move('production.redis.old', 'production.redis["a.b"]'),
    );
    expect(await actionsOf(made, text)).toEqual(['update production.redis["a.b"]']);
  });

  test('without moved: is a deletion and a creation, and the plan says what to write', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const text = after.replace(/^moved: .*\n/m, '');
    const plan = await made.plan(text);
    expect((await actionsOf(made, text)).toSorted()).toEqual([
      'create production.redis.new',
      'delete production.redis.old',
      'deploy production.redis.new (deploy)',
    ]);
    expect(plan.diagnostics.map((item) => `${item.code} ${item.remedy ?? ''}`)).toEqual([
      expect.stringContaining(
        'renamed If that is one object under a new name, write moved: [{ from: "production.redis.old", to: "production.redis.new" }]',
      ),
      expect.stringMatching(/^other-manifest .* say so under moved:/),
    ]);
  });

  test('takes along what stands below', async () => {
    const made = bench();
    await made.apply(manifest(`  production: { compose: { old: ${compose} } }\n`), { adoption: true });
    const [id] = Object.keys(made.emulator.world.tables.domain);
    const text = manifest(
      `  production: { compose: { new: ${compose} } }\n`,
      move('production.compose.old', 'production.compose.new'),
    );
    expect(await requestsFor(made, text)).toEqual(['compose.update']);
    expect(Object.keys(made.emulator.world.tables.domain)).toEqual([id]);
    expect(made.store.state?.resources['production.compose.new.domains["x.example.com"]']?.parent).toBe(
      'production.compose.new',
    );
  });
});

describe('an environment', () => {
  const services = `redis: { main: { ${body} } }, compose: { shop: ${compose} }`;

  test('gets another name, and everything in it stays', async () => {
    const made = bench();
    await made.apply(manifest(`  production: {}\n  staging: { ${services} }\n`), { adoption: true });
    const ids = [Object.keys(made.emulator.world.tables.redis), Object.keys(made.emulator.world.tables.domain)];
    const text = manifest(`  production: {}\n  preview: { ${services} }\n`, move('staging', 'preview'));
    expect(await requestsFor(made, text)).toEqual(['environment.update']);
    expect([Object.keys(made.emulator.world.tables.redis), Object.keys(made.emulator.world.tables.domain)]).toEqual(
      ids,
    );
    expect(Object.keys(made.store.state?.resources ?? {}).toSorted()).toEqual([
      'preview',
      'preview.compose.shop',
      'preview.compose.shop.domains["x.example.com"]',
      'preview.redis.main',
      'production',
    ]);
    expect(made.store.state?.resources['preview.redis.main']).toMatchObject({
      parent: 'preview',
      dependsOn: ['preview'],
    });
  });

  test('with a name that begins like another one does not take that along', async () => {
    const made = bench();
    await made.apply(
      manifest(`  production: {}\n  stage: { ${services} }\n  stage2: { redis: { main: { ${body} } } }\n`),
      { adoption: true },
    );
    const text = manifest(
      `  production: {}\n  preview: { ${services} }\n  stage2: { redis: { main: { ${body} } } }\n`,
      move('stage', 'preview'),
    );
    expect(await requestsFor(made, text)).toEqual(['environment.update']);
  });

  test('gives a service to another one, by a move on the platform', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const [id] = Object.keys(made.emulator.world.tables.redis);
    const text = manifest(
      `  production: {}\n  staging: { redis: { old: { ${body} } } }\n`,
      move('production.redis.old', 'staging.redis.old'),
    );
    expect(await actionsOf(made, text)).toEqual(['move staging.redis.old']);
    expect(await requestsFor(made, text)).toEqual(['redis.move']);
    expect(Object.keys(made.emulator.world.tables.redis)).toEqual([id]);
    expect(made.store.state?.resources['staging.redis.old']?.parent).toBe('staging');
  });

  test('gives a service with another key to another one', async () => {
    const made = bench();
    await made.apply(before, { adoption: true });
    const text = manifest(
      `  production: {}\n  staging: { redis: { new: { ${body} } } }\n`,
      move('production.redis.old', 'staging.redis.new'),
    );
    expect(await requestsFor(made, text)).toEqual(['redis.move', 'redis.update']);
  });
});

describe('an entry that cannot be followed is an error, and nothing is sent', () => {
  test('also before the first apply, with what was meant', async () => {
    const made = bench();
    const text = manifest(
      `  production: { redis: { cache: { ${body} } } }\n`,
      move('production.redis.old', 'production.redis.cahce'),
    );
    const error = await made.plan(text).catch((reason: unknown) => reason);
    if (!(error instanceof Stop)) throw new Error('it was not refused');
    expect(error.diagnostics[0]?.remedy).toBe('Correct to:, or remove the entry. Did you mean production.redis.cache?');
    expect(await refused(made, text)).toContain('nothing is declared at production.redis.cahce');
    // One that was followed long ago is no news.
    expect((await made.plan(text.replace('cahce', 'cache'))).diagnostics).toEqual([]);
  });

  test.each([
    [
      'to nothing',
      move('production.redis.old', 'production.redis.nowhere'),
      `  production: {}\n  staging: {}\n`,
      'nothing is declared at production.redis.nowhere',
    ],
    [
      'to itself',
      move('production.redis.new', 'production.redis.new'),
      `  production: { redis: { new: { ${body} } } }\n  staging: {}\n`,
      'both are one address',
    ],
    [
      'from what is still declared',
      move('production.redis.old', 'production.redis.new'),
      `  production: { redis: { old: { ${body} }, new: { ${body} } } }\n  staging: {}\n`,
      'production.redis.old is still declared',
    ],
    [
      'to another kind',
      move('production.redis.old', 'production.compose.new'),
      `  production: { compose: { new: ${compose} } }\n  staging: {}\n`,
      'a redis cannot become a compose',
    ],
  ])('%s', async (_title, moved, environments, message) => {
    const made = bench();
    await made.apply(before, { adoption: true });
    expect(await refused(made, manifest(environments, moved))).toMatch(message);
  });

  test('to what is there already', async () => {
    const made = bench();
    await made.apply(manifest(`  production: { redis: { old: { ${body} }, new: { ${body} } } }\n`), { adoption: true });
    const text = manifest(
      `  production: { redis: { new: { ${body} } } }\n`,
      move('production.redis.old', 'production.redis.new'),
    );
    expect(await refused(made, text)).toMatch('another object at production.redis.new already');
  });
});

test('an entry that was applied earlier reports nothing', async () => {
  const made = bench();
  const text = manifest(
    `  production: { redis: { new: { ${body} } } }\n`,
    move('production.redis.old', 'production.redis.new'),
  );
  await made.apply(text, { adoption: true });
  expect(await actionsOf(made, text)).toEqual([]);
});

test('a run that ends in the middle leaves the object at its new address only', async () => {
  const made = bench();
  await made.apply(before, { adoption: true });
  const text = manifest(
    `  production: { redis: { new: { ${body} } } }\n  staging: {}\n`,
    move('production.redis.old', 'production.redis.new'),
  );
  // The run is killed: what it appended stays, and it never writes the state as a whole.
  const store = { ...made.store, write: () => Promise.reject(new Error('killed')) };
  const killed = session(await made.manifest(text), made.platform({ store }), { purpose: 'apply' }, async (run) =>
    run.apply(await run.plan(), { dataLoss: false, adoption: false }),
  );
  await expect(killed).rejects.toThrow('killed');
  expect(Object.keys(made.store.state?.resources ?? {}).filter((address) => address.includes('redis'))).toEqual([
    'production.redis.new',
  ]);
  expect(await actionsOf(made, text)).toEqual([]);
  expect(await actionsOf(made, text.replace(/^moved: .*\n/m, ''))).toEqual([]);
});

describe('the records of the state', () => {
  const { at } = declared(null);
  const moved = (from: string, to: string): Settings['moved'] => [{ from, to, at }];
  const stateOf = (resources: State['resources']) => inputOf({}, resources).state;
  const redis = (address: string, parent?: string) => resourceOf(kindNamed('redis'), address, { parent });
  const below = (parent: string | null) =>
    recordOf('redis', 'redis_1', { parent, dependsOn: parent === null ? [] : [parent] });

  test('are those that were read when nothing is moved', () => {
    const state = stateOf({ 'production.redis.main': below('production') });
    const found = applyMoves(state, moved('production.redis.main', 'production.redis.main'), []);
    expect(found.state).toBe(state);
  });

  test('get the parent of the new address, and what is below them goes along', () => {
    const state = stateOf({
      production: recordOf('environment', 'env_1'),
      'production.redis.old': below('production'),
      'production.redis.old.mounts.data': recordOf('mount', 'mount_1', {
        parent: 'production.redis.old',
        dependsOn: ['production.redis.old', 'production'],
      }),
      'production.redis.other': below('production'),
      top: below(null),
    });
    const found = applyMoves(state, moved('production.redis.old', 'staging.redis["new"]'), [
      redis('staging.redis.new', 'staging'),
    ]);
    expect(found.diagnostics).toEqual([]);
    expect(found.state).toEqual({
      ...state,
      resources: {
        production: recordOf('environment', 'env_1'),
        'staging.redis.new': { ...below('staging'), dependsOn: ['production'], bornAt: 'production.redis.old' },
        'staging.redis.new.mounts.data': recordOf('mount', 'mount_1', {
          parent: 'staging.redis.new',
          dependsOn: ['staging.redis.new', 'production'],
          bornAt: 'production.redis.old.mounts.data',
        }),
        'production.redis.other': below('production'),
        top: below(null),
      },
    });
  });

  test('take what was deployed along', () => {
    const records = { 'production.redis.old': below('production'), 'production.redis.other': below('production') };
    const [old, other] = [{ inputs: 'of the old one' }, { inputs: 'of the other one' }];
    const deployed = { 'production.redis.old': old, 'production.redis.other': other };
    const { state } = inputOf({}, records, deployed);
    const entry = moved('production.redis.old', 'production.redis.new');
    const found = applyMoves(state, entry, [redis('production.redis.new', 'production')]);
    expect(found.state.deployments).toEqual({ 'production.redis.new': old, 'production.redis.other': other });
  });

  test('have no parent at the top', () => {
    const state = stateOf({ 'sshKeys.old': recordOf('sshKey', 'key_1', { parent: 'somewhere' }) });
    const target = resourceOf(kindNamed('sshKey'), 'sshKeys.new');
    const { resources } = applyMoves(state, moved('sshKeys.old', 'sshKeys.new'), [target]).state;
    expect(resources).toEqual({ 'sshKeys.new': recordOf('sshKey', 'key_1', { bornAt: 'sshKeys.old' }) });
  });

  test('stay when an entry is no address, which is quoted as written', () => {
    const found = applyMoves(stateOf({}), moved('not an address', 'nor this'), []);
    expect(found.diagnostics).toMatchObject([
      {
        code: 'bad-move',
        message: 'moved from not an address to nor this: nothing is declared at nor this',
        remedy: 'Correct to:, or remove the entry.',
        position: here,
      },
    ]);
  });

  test('that an entry names and nobody knows are told; what was moved long ago is not', () => {
    const target = redis('production.redis.new', 'production');
    const entry = moved('production.redis.old', 'production.redis.new');
    expect(applyMoves(stateOf({}), entry, [target]).diagnostics).toEqual([
      {
        code: 'stale-move',
        severity: 'warning',
        message: 'moved from production.redis.old to production.redis.new: the state knows neither',
        remedy: 'Correct from:, as `trueup state list` prints it; or remove the entry.',
        position: here,
      },
    ]);
    const state = stateOf({ 'production.redis.new': below('production') });
    expect(applyMoves(state, entry, [target])).toEqual({ state, origins: new Map(), diagnostics: [] });
  });

  test('of a replacement that did not come to its create are dropped: the old object is still the one', () => {
    const key = (id: string | null) => recordOf('sshKey', id);
    const kept = { 'sshKeys.deploy': key('key_1'), 'sshKeys.other': key('key_2'), 'sshKeys.other (old)': key('key_3') };
    const unbegun = stateOf({ ...kept, 'sshKeys.deploy (old)': key('key_1') });
    expect(applyMoves(unbegun, [], []).state).toEqual({ ...unbegun, resources: kept });
    const begun = stateOf({ ...kept, 'sshKeys.lost': key(null), 'sshKeys.lost (old)': key(null) });
    expect(applyMoves(begun, [], []).state).toBe(begun);
  });
});
