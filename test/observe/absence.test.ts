import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { isRow } from '../../src/formats/json.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { stopOf } from '../../src/state/conformance/states.ts';
import {
  actionsOf,
  answered,
  applyOver,
  connection,
  failed,
  idOf,
  operationOf,
  rowsIn,
  worldOver,
} from '../support/faults.ts';
import { composeBody, production } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What the state knows is believed to be gone only when two reads agree. */

const notFound = failed('Not found', 404, { code: 'NOT_FOUND' });

/** A platform that answers the first requests of an operation by something else. */
function wrongly(made: Bench, operation: string, times: number, wrong: (body: string) => string | undefined): Send {
  let left = times;
  return async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) !== operation || left === 0) return answer;
    left -= 1;
    const body = wrong(answer.body);
    return body === undefined ? notFound : answered(body);
  };
}

/** The body of an answer without the rows of some ids, wherever they stand. */
function without(ids: readonly string[]): (body: string) => string {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value
        .filter((item) => !isRow(item) || !Object.values(item).some((id) => ids.includes(String(id))))
        .map(strip);
    return isRow(value) ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, strip(item)])) : value;
  };
  return (body) => JSON.stringify(strip(JSON.parse(body)));
}

async function planOver(made: Bench, text: string, send: Send) {
  return plan(await made.manifest(text), worldOver(made, send));
}

const stores = production(
  '    mariadb:\n      main: { dockerImage: "mariadb:11", databaseName: shop, databaseUser: u, databasePassword: password-1, databaseRootPassword: password-2 }\n' +
    '    redis:\n      cache: { databasePassword: password-3 }\n',
);
const described = `${head}environments:\n  production: { env: { REGION: eu } }\n  staging: { env: { REGION: eu } }\n`;

describe('a single 404 for a listed object', () => {
  test.each([
    ['mariadb.one', stores],
    ['redis.one', stores],
    ['environment.one', described],
  ])('from %s: Trueup reads the object again, and plans no change', async (operation, text) => {
    const made = bench();
    await made.apply(text, { adoption: true });
    const planned = await planOver(
      made,
      text,
      wrongly(made, operation, 1, () => undefined),
    );
    expect(actionsOf(planned)).toEqual([]);
  });

  test('repeated on the second read, stops the plan and names the object', async () => {
    const made = bench();
    await made.apply(stores);
    const stopped = await planOver(
      made,
      stores,
      wrongly(made, 'redis.one', 100, () => undefined),
    ).catch((error: unknown) => error);
    expect(stopped).toBeInstanceOf(Stop);
    const [said] = (stopped as Stop).diagnostics;
    expect(said).toMatchObject({ code: 'hidden', address: 'production.redis.cache' });
    expect(said?.message).toContain(
      `(${idOf(made, 'production.redis.cache')}), and redis.one answers that it does not exist`,
    );
  });

  test('that the plan would adopt: Trueup reads it again, and plans no create', async () => {
    const made = bench();
    await made.emulator.act('redis.create', {
      name: 'cache',
      databasePassword: 'password-3',
      environmentId: 'env_prj_1',
    });
    const text = production('    redis:\n      cache: { databasePassword: password-3 }\n');
    const planned = await planOver(
      made,
      text,
      wrongly(made, 'redis.one', 1, () => undefined),
    );
    expect(actionsOf(planned)).toContain('adopt production.redis.cache');
  });
});

const certificate = '-----BEGIN CERTIFICATE-----\\nb25l\\n-----END CERTIFICATE-----\\n';
const organization = `${head}certificates:
  one: { certificateData: "${certificate}", privateKey: key-1 }
  two: { certificateData: "${certificate}", privateKey: key-2 }
ai:
  one: { apiUrl: 'https://models.example.com/v1', apiKey: key-4, model: small }
  two: { apiUrl: 'https://models.example.com/v1', apiKey: key-4, model: small }
`;
const leafs = production(
  `    compose:\n      shop: { ${composeBody}, domains: { a.example.com: { serviceName: web, port: 80 }, b.example.com: { serviceName: web, port: 80 } }, files: { a.conf: { content: a }, b.conf: { content: b } } }\n`,
);

const routed = production(
  '    application:\n      web: { source: { type: docker, image: nginx }, domains: { a.example.com: { port: 80 } } }\n',
);

describe('a list that lacks a row once', () => {
  test.each([
    ['certificates.all', organization, 'certificates.two'],
    ['ai.getAll', organization, 'ai.two'],
    ['compose.one', leafs, 'production.compose.shop.domains["b.example.com"]'],
    ['compose.one', leafs, 'production.compose.shop.files["b.conf"]'],
    ['application.one', routed, 'production.application.web.domains["a.example.com"]'],
  ])('%s: Trueup neither creates the object again nor removes it from the state', async (operation, text, address) => {
    const made = bench();
    await made.apply(text, { adoption: true });
    const hidden = without([idOf(made, address)]);
    expect(actionsOf(await planOver(made, text, wrongly(made, operation, 1, hidden)))).toEqual([]);
    const nothing = text.startsWith(`${head}certificates`)
      ? `${head}certificates: {}\n`
      : production('    compose: {}\n');
    const removal = await planOver(made, nothing, wrongly(made, operation, 1, hidden));
    expect(actionsOf(removal)).toContain(`delete ${address}`);
  });
});

test('Trueup does not create again an object that it just created and a lagging replica does not show yet', async () => {
  const made = bench();
  await made.apply(stores);
  const late = made.clock.monotonic() + 4_000;
  const ids = [idOf(made, 'production.mariadb.main'), idOf(made, 'production.redis.cache')];
  const behind: Send = async (request) => {
    const answer = await made.emulator.send(request);
    if (request.method !== 'GET' || made.clock.monotonic() >= late) return answer;
    if (ids.some((id) => request.path.includes(id))) return notFound;
    return answered(without(ids)(answer.body));
  };
  expect(actionsOf(await planOver(made, stores, behind))).toEqual([]);
});

test('Trueup reads an object that a person deleted twice, 5 s apart, and then plans its create', async () => {
  const made = bench();
  await made.apply(stores);
  await made.emulator.act('redis.remove', { redisId: idOf(made, 'production.redis.cache') });
  const before = made.clock.monotonic();
  made.requests('GET');
  expect(actionsOf(await made.plan(stores))).toContain('create production.redis.cache');
  expect(made.requests('GET').filter((operation) => operation === 'redis.one')).toHaveLength(2);
  expect(made.clock.monotonic() - before).toBeGreaterThanOrEqual(5_000);
  await made.apply(stores);
  expect(rowsIn(made, 'redis')).toHaveLength(1);
  expect(actionsOf(await made.plan(stores))).toEqual([]);
});

describe('an interruption before the second read', () => {
  const redis = production('    redis:\n      cache: { databasePassword: password-3 }\n');

  /** Interrupts a plan in its first pause; gives the error and how long it paused, in milliseconds. */
  async function interrupted(made: Bench): Promise<{ readonly error: Stop; readonly pausedMs: number }> {
    const interruption = new AbortController();
    const sleep: Bench['clock']['sleep'] = (ms, signal) => {
      interruption.abort();
      return made.clock.sleep(ms, signal);
    };
    const before = made.clock.monotonic();
    const world = { ...made.world(), clock: { ...made.clock, sleep }, signal: interruption.signal };
    made.requests('GET');
    const error = await stopOf(plan(await made.manifest(redis), world));
    return { error, pausedMs: made.clock.monotonic() - before };
  }

  test('ends the pause, and the plan, when an object does not show', async () => {
    const made = bench();
    await made.apply(redis);
    await made.emulator.act('redis.remove', { redisId: idOf(made, 'production.redis.cache') });
    const { error, pausedMs } = await interrupted(made);
    expect(error.diagnostics).toMatchObject([
      {
        code: 'hidden',
        message: 'the run was interrupted before Trueup could look for production.redis.cache a second time',
      },
    ]);
    expect(pausedMs).toBeLessThan(5_000);
    expect(made.requests('GET').filter((operation) => operation === 'redis.one')).toHaveLength(1);
  });

  test('ends the pause, and the plan, when the object of a pending create does not show', async () => {
    const made = bench();
    const interruption = new AbortController();
    const lost: Send = (request) => {
      if (operationOf(request) !== 'redis.create') return made.emulator.send(request);
      interruption.abort();
      return Promise.reject(connection('ETIMEDOUT'));
    };
    await applyOver(made, redis, lost, { signal: interruption.signal });
    const { error, pausedMs } = await interrupted(made);
    expect(error.message).toContain('before Trueup could look for production.redis.cache a second time');
    expect(pausedMs).toBeLessThan(5_000);
  });
});

test('a pending create without its block is looked for a second time in the list that it was sent to', async () => {
  const made = bench();
  const service = (backups: string) =>
    production(
      `    postgres:\n      main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: password-1${backups} }\n`,
    );
  const backup =
    ', volumeBackups: { data: { volumeName: v, cronExpression: "0 3 * * *", prefix: x/, destinationId: dst_1 } }';
  await made.apply(service(''));
  const interruption = new AbortController();
  const losing: Send = async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) === 'volumeBackups.list') return answered('[]');
    if (operationOf(request) !== 'volumeBackups.create') return answer;
    interruption.abort();
    throw connection('ECONNRESET');
  };
  await applyOver(made, service(backup), losing, { signal: interruption.signal });
  const [id = ''] = Object.keys(made.emulator.world.tables.volumeBackup);
  expect(made.store.state?.resources['production.postgres.main.volumeBackups.data']?.id).toBeNull();
  const planned = await planOver(made, service(''), wrongly(made, 'volumeBackups.list', 1, without([id])));
  expect(actionsOf(planned)).toContain('delete production.postgres.main.volumeBackups.data');
});
