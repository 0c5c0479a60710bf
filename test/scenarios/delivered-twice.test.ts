import { describe, expect, test } from 'vitest';
import { turn } from '../../src/api/sleep.ts';
import type { Send, WireRequest } from '../../src/api/wire.ts';
import { driftOf } from '../support/drifting.ts';
import { answered, applyOver, notesOf, operationOf, results, said } from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Creates that something between Trueup and the platform delivers twice. */

const twice = (made: Bench, operation: string): Send => {
  let isTwice = false;
  return async (request) => {
    if (operationOf(request) === operation && !isTwice) {
      isTwice = true;
      await made.emulator.send(request);
    }
    return made.emulator.send(request);
  };
};

const redis = production('    redis:\n      cache: { dockerImage: "redis:8", databasePassword: password-1 }\n');
const backup =
  '    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }\\nvolumes: { data: {} }" }, volumeBackups: { data: { serviceName: web, volumeName: data, cronExpression: "0 3 * * *", destinationId: dst_1, prefix: x } } }\n';

describe.each([
  ['environment.create', `${head}environments:\n  production: {}\n  staging: {}\n`, 'staging'],
  ['compose.create', production(stack()), 'production.compose.shop'],
  ['redis.create', redis, 'production.redis.cache'],
  [
    'domain.create',
    production(stack('domains: { one.example.com: { serviceName: web } }')),
    'production.compose.shop.domains["one.example.com"]',
  ],
  [
    'mounts.create',
    production(database('mounts: { /etc/a: { type: file, filePath: a, content: one } }')),
    'production.postgres.main.mounts["/etc/a"]',
  ],
  ['volumeBackups.create', production(backup), 'production.compose.shop.volumeBackups.data'],
])('%s that is delivered twice', (operation, text, address) => {
  test('makes a duplicate that the run reports at once, and each plan after it', async () => {
    const made = bench();
    const { outcomes, state } = await applyOver(made, text, twice(made, operation));
    const own = state.resources[address]?.id ?? '';
    const reported = outcomes.flatMap(({ diagnostics }) => diagnostics).filter(({ code }) => code === 'duplicate');
    expect(reported).toMatchObject([
      { severity: 'warning', address, message: expect.stringContaining(`${address} (${own}) has a duplicate: `) },
    ]);
    const [, id] = /has a duplicate: ([^;]+);/.exec(reported[0]?.message ?? '') ?? [];
    for (let plan = 1; plan <= 2; plan += 1) {
      const planned = await made.plan(text);
      expect(notesOf(planned).filter(({ code }) => code === 'duplicate')).toMatchObject([
        { address, message: expect.stringContaining(`may have a duplicate: ${id}`) },
      ]);
      expect(planned.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    }
    const creates = made.emulator.log.filter((request) => request.operation === operation);
    expect(creates).toHaveLength(2);
  });
});

/** Delivers a request once more, some time after the run that sent it. */
async function deliveredLater(
  made: Bench,
  text: string,
  operation: string,
  wait = () => made.clock.sleep(1_000),
): Promise<string[]> {
  let late: WireRequest | undefined;
  const { outcomes } = await applyOver(made, text, async (request) => {
    if (operationOf(request) === operation) late ??= request;
    return made.emulator.send(request);
  });
  expect(outcomes.flatMap(({ diagnostics }) => diagnostics).filter(({ code }) => code === 'duplicate')).toEqual([]);
  if (late === undefined) throw new Error(`${operation} was not sent`);
  const [group = ''] = operation.split('.');
  const table = (
    group in made.emulator.world.tables ? group : group.slice(0, -1)
  ) as keyof typeof made.emulator.world.tables;
  const ids = () => Object.keys(made.emulator.world.tables[table]);
  const before = ids();
  await wait();
  expect(await made.emulator.send(late)).toMatchObject({ status: 200 });
  return ids().filter((id) => !before.includes(id));
}

const key = (name: string) =>
  JSON.stringify(`-----BEGIN OPENSSH PRIVATE KEY-----\n${name}\n-----END OPENSSH PRIVATE KEY-----\n`);

describe.each([
  ['environment.create', `${head}environments:\n  production: {}\n  staging: {}\n`, 'staging'],
  ['compose.create', production(stack()), 'production.compose.shop'],
  ['redis.create', redis, 'production.redis.cache'],
  [
    'domain.create',
    production(stack('domains: { one.example.com: { serviceName: web } }')),
    'production.compose.shop.domains["one.example.com"]',
  ],
  [
    'mounts.create',
    production(database('mounts: { /etc/a: { type: file, filePath: a, content: one } }')),
    'production.postgres.main.mounts["/etc/a"]',
  ],
  [
    'backup.create',
    production(database('backups: { b: { schedule: "0 3 * * *", destinationId: dst_1, prefix: x, database: shop } }')),
    'production.postgres.main.backups.b',
  ],
  ['volumeBackups.create', production(backup), 'production.compose.shop.volumeBackups.data'],
  [
    'sshKey.create',
    `${head}sshKeys: { deploy: { publicKey: ssh-ed25519 AAAA deploy, privateKey: ${key('one')} } }\n`,
    'sshKeys.deploy',
  ],
  [
    'ai.create',
    `${head}ai: { helper: { apiUrl: 'https://models.example.com/v1', apiKey: key-4, model: small } }\n`,
    'ai.helper',
  ],
])('%s that is delivered once more after the run', (operation, text, address) => {
  test('makes a duplicate that each plan and drift name', async () => {
    const made = bench();
    const [duplicate = '', ...others] = await deliveredLater(made, text, operation);
    expect(others).toEqual([]);
    const own = made.store.state?.resources[address]?.id ?? '';
    for (let plan = 1; plan <= 2; plan += 1) {
      const planned = await made.plan(text);
      expect(notesOf(planned).filter(({ code }) => code === 'duplicate')).toMatchObject([
        { address, message: expect.stringContaining(`${address} (${own}) may have a duplicate: ${duplicate}; `) },
      ]);
      expect(planned.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    }
    const { findings } = await driftOf(made, text);
    expect(findings.filter(({ is }) => is === 'duplicate')).toMatchObject([{ objectId: duplicate, address }]);
    expect(findings.filter(({ is }) => is === 'unmanaged')).toEqual([]);
  });
});

test('an object with the same key that another user creates on another day is no duplicate', async () => {
  const clock = selfMovingClock();
  const made = bench({ clock });
  const day = () => clock.leap(clock.sleep(86_400_000));
  expect(await deliveredLater(made, production(stack()), 'compose.create', day)).toHaveLength(1);
  expect(notesOf(await made.plan(production(stack())))).toEqual([]);
});

test('a duplicate that the next manifest manages is none', async () => {
  const made = bench();
  const [id] = await deliveredLater(made, production(stack()), 'compose.create');
  const both = production(
    stack() + stack(`name: shop, id: ${id}`).replace('    compose:\n', '').replace('shop:', 'other:'),
  );
  expect(notesOf(await made.plan(both)).filter(({ code }) => code === 'duplicate')).toEqual([]);
});

test('what a service was made from is kept beside the duplicate of it', async () => {
  const made = bench();
  const send = twice(made, 'compose.create');
  const slowly: Send = async (request) => {
    if (request.method === 'GET') for (let n = 0; n < 5; n++) await turn();
    return send(request);
  };
  const { state } = await applyOver(made, production(stack('deploy: never')), slowly);
  expect(state.resources['production.compose.shop']).toMatchObject({ duplicates: [{}] });
  expect(state.deployments['production.compose.shop']).toMatchObject({
    stale: { saved: { inputs: expect.any(String) as string } },
  });
});

test('a backup.create that is delivered twice names both objects, because its answer has no id', async () => {
  const made = bench();
  const text = production(
    database('backups: { b: { schedule: "0 3 * * *", destinationId: dst_1, prefix: x, database: shop } }'),
  );
  const backup = 'production.postgres.main.backups.b';
  const result = await applyOver(made, text, twice(made, 'backup.create'));
  const ids = Object.keys(made.emulator.world.tables.backup);
  expect(ids).toHaveLength(2);
  expect(results(result)[backup]).toBe('failed');
  expect(said(result)).toBe(`the same was created twice at the same time: one of ${ids.join(', ')} is ${backup}`);
  const planned = await made.plan(text).catch((error: unknown) => error);
  for (const id of ids) expect(JSON.stringify(planned)).toContain(id);
});

test('two objects of one run that are alike are no duplicates', async () => {
  const made = bench();
  const text = production(stack() + database() + database('', 'other').replace('    postgres:\n', ''));
  const { outcomes } = await applyOver(made, text, made.emulator.send);
  expect(outcomes.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  expect(notesOf(await made.plan(text))).toEqual([]);
});

test.each([401, 429])(
  'a create that is answered with %s after the work, and sent again, is reported',
  async (status) => {
    const made = bench();
    const text = production(stack());
    let isOver = false;
    const { outcomes } = await applyOver(made, text, async (request) => {
      const answer = await made.emulator.send(request);
      if (isOver || operationOf(request) !== 'compose.create') return answer;
      isOver = true;
      return { ...answered('{"message":"later"}', status), headers: { 'retry-after': '0' } };
    });
    const reported = outcomes.flatMap(({ diagnostics }) => diagnostics).filter(({ code }) => code === 'duplicate');
    expect(reported).toMatchObject([{ address: 'production.compose.shop' }]);
    expect(notesOf(await made.plan(text)).map(({ code }) => code)).toEqual(['duplicate']);
  },
);

test('an answer without lists, when Trueup looks for duplicates, does not fail the run', async () => {
  const made = bench();
  let isCreated = false;
  const { outcomes, state } = await applyOver(made, production(stack()), (request) => {
    isCreated ||= operationOf(request) === 'compose.create';
    if (isCreated && operationOf(request) === 'environment.one')
      return Promise.resolve(answered('{"environmentId":"?"}'));
    return made.emulator.send(request);
  });
  expect(outcomes.map(({ result }) => result)).toEqual(outcomes.map(() => 'done'));
  expect(state.resources['production.compose.shop']?.id).toBeTypeOf('string');
});
