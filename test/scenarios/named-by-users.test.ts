import { describe, expect, test } from 'vitest';
import { addPerson } from '../emulator/people.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { driftOf } from '../support/drifting.ts';
import { everything } from '../support/faults.ts';
import { inProduction } from '../support/organization-blocks.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Destinations, servers and keys that users choose by a name, or by an id. */

const bucket = (key: string, more = '') =>
  `destinations:\n  ${key}: { endpoint: "https://s3.test", bucket: b, accessKey: access-key-1, secretAccessKey: secret-key-1${more} }\n`;
const database = (more = '') =>
  inProduction(
    `postgres:\n  main: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: password-1${more} }\n`,
  );
const backedUp = (destination: string) =>
  database(`, backups: { nightly: { schedule: "0 3 * * *", prefix: p/, ${destination} } }`);
const onServer = (server: string) =>
  inProduction(`redis:\n  cache: { dockerImage: "redis:8", databasePassword: password-1, ${server} }\n`);

async function applied(made: Bench, text: string): Promise<void> {
  const result = await made.apply(head + text, everything);
  expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
  made.requests('POST');
  const plan = await made.plan(head + text);
  expect(plan.actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  expect(made.requests('POST')).toEqual([]);
}

const rows = (made: Bench, table: 'backup' | 'redis' | 'destination' | 'server') =>
  Object.values(made.emulator.world.tables[table]) as Record<string, unknown>[];

describe('a destination of a backup', () => {
  test.each([
    ['the key of a block', 'destination: offsite'],
    ['the key of a block, under the name of the API', 'destinationId: offsite'],
  ])('is chosen by %s, and is created before it', async (_, written) => {
    const made = bench();
    await applied(made, bucket('offsite') + backedUp(written));
    const offsite = rows(made, 'destination').find(({ name }) => name === 'offsite');
    expect(rows(made, 'backup')).toMatchObject([{ destinationId: offsite?.destinationId }]);
  });

  test.each([
    ['name', 'destination: destination-2'],
    ['id', 'destination: dst_2'],
    ['id, under the name of the API', 'destinationId: dst_2'],
  ])('is chosen by its %s on the platform', async (_, written) => {
    const made = bench();
    await applied(made, backedUp(written));
    expect(rows(made, 'backup')).toMatchObject([{ destinationId: 'dst_2' }]);
  });

  test('that two objects are called is an error with their ids', async () => {
    const made = bench();
    const record = { provider: null, accessKey: 'a', secretAccessKey: 's', bucket: 'b', region: '', endpoint: 'e' };
    const other = (await made.emulator.act('destination.create', { ...record, name: 'destination-2' })) as Record<
      string,
      string
    >;
    const said = await made.plan(head + backedUp('destination: destination-2')).catch(String);
    expect(said).toContain('destinationId: 2 objects of the platform are called destination-2');
    for (const id of ['dst_2', other['destinationId'] ?? '-']) expect(said).toContain(id);
  });

  test('is shown by its name where the list is read, and by its id where two have the name', async () => {
    const made = bench();
    const text = backedUp('destination: destination-2');
    await applied(made, text);
    const [backup] = rows(made, 'backup');
    if (backup === undefined) throw new Error('there is no backup');
    backup.destinationId = 'dst_1'; // by hand
    const shown = async () => {
      const change = (await made.plan(head + text)).actions.flatMap(({ changes }) => changes)[0];
      return [change?.path, change?.before, change?.after];
    };
    const named = (value: string) => ({ is: 'value', value });
    expect(await shown()).toEqual(['destinationId', named('destination-1'), named('destination-2')]);
    expect(await driftOf(made, head + text)).toMatchObject({
      findings: [{ applied: { value: 'destination-2' }, platform: { value: 'destination-1' } }],
    });
    const record = { provider: null, accessKey: 'a', secretAccessKey: 's', bucket: 'b', region: '', endpoint: 'e' };
    await made.emulator.act('destination.create', { ...record, name: 'destination-1' });
    const other = rows(made, 'destination').find(
      ({ name, destinationId }) => name === 'destination-1' && destinationId !== 'dst_1',
    );
    const both = ['dst_1', String(other?.destinationId)];
    for (const id of both) {
      backup.destinationId = id;
      expect(await shown()).toEqual(['destinationId', named(id), named('destination-2')]);
    }
    await applied(made, text);
    expect(rows(made, 'backup')).toMatchObject([{ destinationId: 'dst_2' }]);
  });

  test.each([
    ['that looks like a secret', 's3://backup:Vq7mKx2pLw9z@store.test/b'],
    ['that is the id of another', 'dst_2'],
  ])('is shown by its id where it has a name %s', async (_, name) => {
    const made = bench();
    await applied(made, backedUp('destination: destination-2'));
    const [backup] = rows(made, 'backup');
    const [first] = rows(made, 'destination');
    if (backup === undefined || first === undefined) throw new Error('there is no backup');
    [backup.destinationId, first.name] = ['dst_1', name]; // by hand
    const [change] = (await made.plan(head + backedUp('destination: destination-2'))).actions.flatMap(
      ({ changes }) => changes,
    );
    expect(change).toMatchObject({ path: 'destinationId', before: { is: 'value', value: 'dst_1' } });
  });

  test.each([
    ['by private:', ', name: Quarterly, private: [name]'],
    ['by ${env:}', ', name: "${env:BUCKET_NAME}"'],
  ])('is shown by its id where the name is secret %s, also once the block is gone', async (_, more) => {
    const made = bench();
    made.env['BUCKET_NAME'] = 'Quarterly';
    const secrets = bucket('offsite', more);
    await applied(made, secrets + backedUp('destination: destination-2'));
    const [backup] = rows(made, 'backup');
    const offsite = rows(made, 'destination').find(({ name }) => name === 'Quarterly');
    if (backup === undefined || offsite === undefined) throw new Error('there is no backup');
    backup.destinationId = offsite['destinationId']; // by hand
    for (const text of [secrets, '']) {
      const { actions } = await made.plan(head + text + backedUp('destination: destination-2'));
      const change = actions.flatMap(({ changes }) => changes).find(({ path }) => path === 'destinationId');
      expect(change).toMatchObject({ before: { is: 'value', value: offsite['destinationId'] } });
    }
  });

  test('is shown by its id as soon as the manifest makes its name secret', async () => {
    const made = bench();
    const clear = bucket('offsite', ', name: Quarterly');
    await applied(made, clear + backedUp('destination: destination-2'));
    const [backup] = rows(made, 'backup');
    const offsite = rows(made, 'destination').find(({ name }) => name === 'Quarterly');
    if (backup === undefined || offsite === undefined) throw new Error('there is no backup');
    backup.destinationId = offsite['destinationId']; // by hand
    const shown = async (block: string) => {
      const { actions } = await made.plan(head + block + backedUp('destination: destination-2'));
      return actions.flatMap(({ changes }) => changes).find(({ path }) => path === 'destinationId')?.before;
    };
    expect(await shown(clear)).toEqual({ is: 'value', value: 'Quarterly' });
    const secret = bucket('offsite', ', name: Quarterly, private: [name]');
    expect(await shown(secret)).toEqual({ is: 'value', value: offsite['destinationId'] });
    const drift = await driftOf(made, head + secret + backedUp('destination: destination-2'));
    expect(drift.findings).toMatchObject([{ platform: { value: offsite['destinationId'] } }]);
  });

  test('is shown by its name where a backup comes or goes', async () => {
    const made = bench();
    const [without, backed] = [database(), backedUp('destination: destination-2')].map(
      (text) => bucket('offsite') + text,
    );
    const shown = async (text = '') => {
      const { actions } = await made.plan(head + text);
      return actions.flatMap(({ changes }) => changes).find(({ path }) => path === 'destinationId');
    };
    const name = { is: 'value', value: 'destination-2' };
    expect(await shown(backed)).toMatchObject({ after: name });
    await applied(made, backed ?? '');
    expect(await shown(without)).toMatchObject({ before: name });
  });

  test('that nothing is called is an error with the names that there are', async () => {
    const said = await bench()
      .plan(head + backedUp('destination: nowhere'))
      .catch(String);
    expect(said).toContain('there is no destination nowhere');
    expect(said).toContain('destination-1, destination-2');
  });

  test('costs a list for a name, and none for an id that the platform answered before', async () => {
    const made = bench();
    const lists = () => made.requests('GET').filter((operation) => operation === 'destination.all').length;
    await applied(made, backedUp('destination: dst_2'));
    lists();
    await made.plan(head + backedUp('destination: dst_2'));
    expect(lists()).toBe(0);
    await made.plan(head + backedUp('destination: destination-2'));
    expect(lists()).toBe(1);
  });

  test('is an id, which costs no list, on a platform that keeps to the document', async () => {
    const made = bench({ documentedOnly: true });
    await applied(made, backedUp('destinationId: dst_2'));
    expect(rows(made, 'backup')).toMatchObject([{ destinationId: 'dst_2' }]);
    expect(made.requests('GET')).not.toContain('destination.all');
  });

  test('can be an id for a key without the right to list destinations', async () => {
    const world = seedWorld();
    const key = addPerson(world, 'worker', {
      accessedProjects: ['prj_1'],
      accessedEnvironments: ['env_prj_1'],
      canCreateServices: true,
      canDeleteServices: true,
    });
    const made = bench({ emulate: { world } });
    const { send } = made.emulator;
    made.emulator.send = (request) => send({ ...request, headers: { ...request.headers, 'x-api-key': key } });
    await applied(made, backedUp('destination: dst_2'));
    expect(rows(made, 'backup')).toMatchObject([{ destinationId: 'dst_2' }]);
  });
});

test('of a name from the environment, no message tells what has it', async () => {
  const made = bench();
  made.env['AT'] = 'Quarterly';
  await applied(made, bucket('offsite', ', name: Quarterly') + backedUp('destination: offsite'));
  const named = head + backedUp('destination: "${env:AT}"');
  expect(await made.apply(named, everything).catch(String)).toContain(
    'the destination ${env:AT} is deleted, because its block is no longer declared',
  );
  made.env['AT'] = 'Nowhere';
  const none = head + bucket('offsite', ', name: Quarterly') + backedUp('destination: "${env:AT}"');
  const said = await made.plan(none).catch(String);
  expect(said).toContain('there is no destination ${env:AT}: ');
  expect(said).not.toMatch(/Nowhere/);
});

describe('the deletion of a destination', () => {
  test('needs consent to the loss of the backups, and comes after those of the manifest', async () => {
    const made = bench();
    await applied(made, bucket('offsite') + backedUp('destination: offsite'));
    const without = head + database();
    await expect(made.apply(without)).rejects.toThrow(/all backups and volume backups that go to it/);
    made.requests('POST');
    await made.apply(without, everything);
    expect(made.requests('POST')).toEqual(['backup.remove', 'destination.remove']);
    expect((await made.plan(without)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  test('is refused while a backup that stays goes to it', async () => {
    const made = bench();
    await applied(made, bucket('offsite') + backedUp('destination: offsite'));
    const id = String(rows(made, 'destination').find(({ name }) => name === 'offsite')?.destinationId);
    const said = await made.apply(head + backedUp(`destination: ${id}`), everything).catch(String);
    expect(said).toContain('is deleted, because destinations.offsite is no longer declared');
    expect(rows(made, 'backup')).toHaveLength(1);
  });
});

describe('a server', () => {
  const worker = 'servers:\n  worker: { ipAddress: 192.0.2.9, sshKey: key-1 }\n';

  test('is created, with its key by name, before the service that names it; a new one replaces the service', async () => {
    const made = bench();
    await applied(made, worker + onServer('server: worker'));
    const own = rows(made, 'server').find(({ name }) => name === 'worker');
    expect(own).toMatchObject({ sshKeyId: 'key_1', port: 22, username: 'root' });
    expect(rows(made, 'redis')).toMatchObject([{ serverId: own?.serverId }]);
    await applied(made, worker + onServer('server: server-2'));
    expect(rows(made, 'redis')).toMatchObject([{ serverId: 'srv_2' }]);
  });

  test('of the platform is adopted by its name', async () => {
    const made = bench();
    const text = 'servers:\n  server-1: { ipAddress: 192.0.2.1, description: "Moved." }\n';
    await applied(made, text);
    expect(made.store.state?.resources['servers.server-1']?.id).toBe('srv_1');
    expect(rows(made, 'server')).toHaveLength(2);
  });

  test('is not deleted while services of others are on it: the platform refuses, and the state keeps it', async () => {
    const made = bench();
    await applied(made, worker);
    const serverId = rows(made, 'server').find(({ name }) => name === 'worker')?.serverId;
    const redis = { name: 'r', environmentId: 'env_prj_2', databasePassword: 'p', serverId };
    await made.emulator.act('redis.create', redis);
    const { outcomes } = await made.apply(head, everything);
    expect(outcomes).toMatchObject([{ result: 'failed' }]);
    expect(JSON.stringify(outcomes[0]?.diagnostics)).toContain('please delete them first');
    expect(made.store.state?.resources['servers.worker']?.id).toBe(serverId);
  });
});

describe('a registry', () => {
  const registry = (url: string) =>
    `registries:\n  images: { registryUrl: ${url}, username: u, password: correct-horse-1 }\n`;

  test('that the platform stores and cannot log in to is written again by the next run, and the run reports the refusal', async () => {
    const made = bench();
    await applied(made, registry('registry.test'));
    const { outcomes } = await made.apply(head + registry('nowhere.example'), everything);
    const said = outcomes.flatMap(({ diagnostics }) => diagnostics.map(({ code, message }) => `${code}: ${message}`));
    expect(said).toEqual([
      'stored-anyway: registries.images: the platform answered registry.update with 400 and stored the new values all the same: "Error response from daemon: login attempt failed"',
    ]);
    expect((await made.plan(head + registry('nowhere.example'))).actions).toMatchObject([{ action: 'update' }]);
  });
});
