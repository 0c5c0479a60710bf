import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import {
  actionsOf,
  answered,
  answering,
  applyLater,
  failed,
  idOf,
  operationOf,
  plansNothing,
  results,
  rowsIn,
  said,
  worldOver,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What somebody changes of what a plan takes away, between the plan and its apply: it is looked at right before. */

const web = 'production.application.web';
const main = 'production.postgres.main';
const app = (more = '') => `    application:\n      web: { source: { type: docker, image: nginx }${more} }\n`;
const both = production(`${app(', env: { A: "1" }, mounts: { /a: { type: volume, volumeName: a } }')}${database()}`);
const without = production(database());

/** Plans one manifest after another, lets somebody change something, and applies without any permission but data loss. */
async function after(from: string, to: string, change: (made: Bench) => Promise<unknown>, dataLoss = true) {
  const made = bench();
  await made.apply(from);
  const planned = await made.plan(to);
  await change(made);
  made.requests('POST');
  const permissions = { dataLoss, adoption: false };
  const result = await applyPlan(planned, made.world(), { permissions, connections: 4, clock: made.clock });
  const rest = async () => {
    await made.apply(to, { dataLoss: true });
    await plansNothing(made, to);
  };
  return { made, result, sent: made.requests('POST'), rest };
}

const saved = (made: Bench, env: string) =>
  made.emulator.act('application.saveEnvironment', {
    applicationId: idOf(made, web),
    env,
    buildArgs: null,
    buildSecrets: null,
    createEnvFile: false,
  });

const mounted = (made: Bench) =>
  made.emulator.act('mounts.create', {
    type: 'volume',
    volumeName: 'data',
    mountPath: '/data',
    serviceId: idOf(made, web),
    serviceType: 'application',
  });

describe('a deletion is not sent when meanwhile a person', () => {
  test.each<[string, (made: Bench) => Promise<unknown>, string]>([
    ['changed a field that was settled', (made) => saved(made, 'A=1\nHOTFIX=1\n'), `env of ${web} was changed`],
    ['put something below it', mounted, `1 of mounts was added below ${web}`],
    [
      'changed something that goes along',
      (made) =>
        made.emulator.act('mounts.update', {
          mountId: rowsIn(made, 'mount').find(({ mountPath }) => mountPath === '/a')?.mountId,
          volumeName: 'b',
        }),
      `volumeName of ${web}.mounts["/a"] was changed`,
    ],
  ])('%s', async (_title, change, message) => {
    const { result, sent, made, rest } = await after(both, without, change);
    expect(results(result)[web]).toBe('failed');
    expect(said(result)).toContain(`${message} on the platform since the plan was made; nothing was sent`);
    expect(sent).toEqual([]);
    expect(made.store.state?.resources[web]?.pending).toBeUndefined();
    await rest();
  });
});

describe('a replacement does not begin when meanwhile a person', () => {
  const text = (name: string) => production(database('env: { A: "1" }', 'main', name));
  test.each<[string, string, Row, string]>([
    ['changed a field', 'postgres.update', { dockerImage: 'postgres:17.6' }, 'dockerImage'],
    ['added a variable', 'postgres.saveEnvironment', { env: 'A=1\nHOTFIX=1\n' }, 'env'],
  ])('%s', async (_title, operation, change, path) => {
    const { result, sent, rest } = await after(text('shop'), text('other'), (made) =>
      made.emulator.act(operation, { postgresId: idOf(made, main), ...change }),
    );
    expect(results(result)[main]).toBe('failed');
    expect(said(result)).toContain(`${path} of ${main} was changed on the platform since the plan was made`);
    expect(sent).toEqual([]);
    await rest();
  });
});

test('a move is not sent when a person moved the object elsewhere meanwhile', async () => {
  const none = '    compose: {}\n';
  const text = (a: string, b: string, moved = '') =>
    `${head}${moved}environments:\n  production:\n${a}  staging:\n${b}  third:\n${none}`;
  const next = text(none, database(), 'moved: [{ from: production.postgres.main, to: staging.postgres.main }]\n');
  const { result, sent, rest } = await after(text(database(), none), next, (made) =>
    made.emulator.act('postgres.move', { postgresId: idOf(made, main), targetEnvironmentId: idOf(made, 'third') }),
  );
  expect(results(result)['staging.postgres.main']).toBe('failed');
  expect(said(result)).toContain('staging.postgres.main was moved on the platform since the plan was made');
  expect(sent).toEqual([]);
  await rest();
});

test('an environment is not deleted when a service was created in it meanwhile', async () => {
  const two = `${production(stack())}  staging:\n    compose: {}\n`;
  const { made, result, sent, rest } = await after(two, production(stack()), (platform) =>
    platform.emulator.act('redis.create', {
      name: 'cache',
      databasePassword: 'password-1',
      dockerImage: 'redis:8',
      environmentId: idOf(platform, 'staging'),
    }),
  );
  expect(results(result).staging).toBe('failed');
  expect(said(result)).toContain('1 of redis was added below staging');
  expect(sent).toEqual([]);
  const [redisId] = Object.keys(made.emulator.world.tables.redis);
  await made.emulator.act('redis.remove', { redisId });
  await rest();
});

test('an object that is deleted with its children is read once', async () => {
  const made = bench();
  await made.apply(
    `${production(stack())}  staging:\n${app(', mounts: { /a: { type: bind, hostPath: /a } }')}${database()}`,
  );
  made.requests('GET');
  await made.plan(production(stack()));
  const toPlan = made.requests('GET').length;
  const result = await made.apply(production(stack()), { dataLoss: true });
  expect(said(result)).toBe('');
  // Each of the three once before; after that, the list that lacks the environment proves that all three are gone.
  const reads = made.requests('GET').slice(toPlan);
  expect(reads.toSorted()).toEqual(['application.one', 'environment.byProjectId', 'environment.one', 'postgres.one']);
  await plansNothing(made, production(stack()));
});

test('the object of a deletion is read again before the deletion is sent again', async () => {
  const made = bench();
  await made.apply(both);
  let count = 0;
  const world = worldOver(made, async (request) => {
    if (operationOf(request) !== 'application.delete' || ++count > 1) return made.emulator.send(request);
    await mounted(made);
    return failed('bad gateway', 502, {});
  });
  const planned = await made.plan(without);
  const permissions = { dataLoss: true, adoption: false };
  const result = await applyPlan(planned, world, { permissions, connections: 4, clock: made.clock });
  expect(said(result)).toContain(
    `1 of mounts was added below ${web} on the platform since the plan was made; nothing more`,
  );
  expect(count).toBe(1);
  await made.apply(without, { dataLoss: true });
  await plansNothing(made, without);
});

test('an object that is gone already does not stop the deletion', async () => {
  const made = bench();
  await made.apply(both);
  const planned = await made.plan(without);
  await made.emulator.act('mounts.remove', {
    mountId: rowsIn(made, 'mount').find(({ mountPath }) => mountPath === '/a')?.mountId,
  });
  const result = await applyLater(made, planned);
  expect(said(result)).toBe('');
  await plansNothing(made, without);
});

test('its children are not deleted either, when they would go first', async () => {
  const backup = 'backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: nightly/ } }';
  const from = production(`${stack()}${database(`env: { A: "1" }, ${backup}`)}`);
  const { result, sent, rest } = await after(from, production(stack()), (made) =>
    made.emulator.act('postgres.saveEnvironment', { postgresId: idOf(made, main), env: 'A=1\nHOTFIX=1\n' }),
  );
  expect(said(result)).toContain(`env of ${main} was changed on the platform since the plan was made`);
  expect(sent).toEqual([]);
  await rest();
});

test('two objects whose deletions the platform answers with 404 stay in the state while their list shows one', async () => {
  const cache = (name: string) => `      ${name}: { databasePassword: secret-1 }\n`;
  const kept = production(cache('kept').replace(/^/, '    redis:\n'));
  const all = kept + cache('one') + cache('two');
  const made = bench();
  await made.apply(all);
  const [one, two] = ['one', 'two'].map((name) => idOf(made, `production.redis.${name}`));
  await made.emulator.act('redis.remove', { redisId: two });
  const planned = await made.plan(kept);
  // A platform that looks in another place for what it deletes.
  const send = answering(made, (operation) =>
    operation === 'redis.remove' ? failed('Redis not found', 404, { code: 'NOT_FOUND' }) : undefined,
  );
  expect(actionsOf(planned)).toEqual(['delete production.redis.one', 'forget production.redis.two']);
  const permissions = { dataLoss: true, adoption: false };
  const result = await applyPlan(planned, worldOver(made, send), { permissions, connections: 4, clock: made.clock });
  expect(results(result)).toMatchObject({ 'production.redis.one': 'failed', 'production.redis.two': 'done' });
  expect(said(result)).toContain('production.redis.one was to be deleted and is still there');
  expect(idOf(made, 'production.redis.one')).toBe(one);
  await made.apply(kept, { dataLoss: true });
  expect(rowsIn(made, 'redis')).toHaveLength(1);
  await plansNothing(made, kept);
});

test.each([
  ['refuses', failed('no space left', 500, { code: 'INTERNAL_SERVER_ERROR' })],
  ['does not find', failed('Postgres not found', 404, { code: 'NOT_FOUND' })],
  ['says to do, and does not', answered('true')],
])('a database whose deletion the platform %s has one message, and what goes along has none', async (_, answer) => {
  const backups = ['nightly', 'weekly'].map(
    (name) => `${name}: { schedule: "0 3 * * *", destinationId: dst_1, prefix: ${name}/ }`,
  );
  const made = bench();
  await made.apply(production(`${stack()}${database(`backups: { ${backups.join(', ')} }`)}`));
  const planned = await made.plan(production(stack()));
  const send = answering(made, (operation) => (operation === 'postgres.remove' ? answer : undefined));
  const permissions = { dataLoss: true, adoption: false };
  const result = await applyPlan(planned, worldOver(made, send), { permissions, connections: 4, clock: made.clock });
  const along = ['nightly', 'weekly'].map((name) => `${main}.backups.${name}`);
  expect(results(result)).toMatchObject(Object.fromEntries([main, ...along].map((address) => [address, 'failed'])));
  const messages = result.outcomes.map(({ action, diagnostics }) => [action.address, diagnostics.length] as const);
  expect(messages.filter(([, count]) => count > 0)).toEqual([[main, 1]]);
  await made.apply(production(stack()), { dataLoss: true });
  expect(rowsIn(made, 'backup')).toEqual([]);
  await plansNothing(made, production(stack()));
});
