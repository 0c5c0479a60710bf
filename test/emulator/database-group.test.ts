import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { suffixedAppName } from '../../src/emulator/made-up-names.ts';
import { staleSettings } from '../../src/emulator/docker-volumes.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { callerOf, inputs, until, type Answer } from './caller.ts';

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
beforeEach(() => {
  emulator = createEmulator();
  call = callerOf(emulator.send);
});

const create = async (
  kind: 'mariadb' | 'mongo' | 'mysql' | 'postgres' | 'redis',
  more: Record<string, unknown> = {},
) => {
  const { body } = await call(`${kind}.create`, { ...inputs[kind], ...more });
  return Object.assign(body, { id: String(body[`${kind}Id`]) });
};

describe.each(['mariadb', 'mongo', 'mysql', 'postgres', 'redis'] as const)('%s', (kind) => {
  const key = `${kind}Id`;
  const one = async (id: string) => (await call(`${kind}.one`, { [key]: id })).body;

  test('gets its appName in lower case with six random characters', async () => {
    const { appName } = await create(kind, { appName: 'Shop.DB' });
    expect(appName).toMatch(/^shop\.db-[a-z0-9]{6}$/);
    expect((await create(kind)).appName).toMatch(new RegExp(`^${kind}(?:-[a-z0-9]+){3,6}-[a-z0-9]{6}$`));
    expect((await create(kind, { appName: 'a'.repeat(63) })).appName).toHaveLength(70);
  });

  test('gets a generated password for an empty one', async () => {
    expect((await create(kind, { databasePassword: '' }))['databasePassword']).toMatch(/^[a-z0-9]{16}$/);
  });

  test('brings a data volume that its create does not mention', async () => {
    const { id, appName, mounts } = await create(kind);
    expect(mounts).toBeUndefined();
    expect((await one(id)).mounts).toMatchObject([
      { type: 'volume', volumeName: `${appName}-data`, serviceType: kind, [key]: id },
    ]);
  });

  test('is idle until its deployment is done, which the answer waits for and does not show', async () => {
    const { id } = await create(kind);
    expect(await one(id)).toMatchObject({ applicationStatus: 'idle' });
    expect(await call(`${kind}.deploy`, { [key]: id })).toMatchObject({
      status: 200,
      body: { applicationStatus: 'idle' },
    });
    expect(await one(id)).toMatchObject({ applicationStatus: 'done' });
  });

  test('runs into an error when its image cannot be pulled', async () => {
    const { id } = await create(kind, { dockerImage: 'fail:1' });
    expect((await call(`${kind}.deploy`, { [key]: id })).status).toBe(500);
    expect(await one(id)).toMatchObject({ applicationStatus: 'error' });
  });

  test('is shown running for as long as a slow deployment takes', async () => {
    const slow = createEmulator({ deployDelayMs: 30 });
    const { [key]: id } = (await slow.act(`${kind}.create`, inputs[kind])) as Record<string, unknown>;
    const deployment = slow.act(`${kind}.deploy`, { [key]: id });
    await until(
      async () => ((await slow.act(`${kind}.one`, { [key]: id })) as Answer)['applicationStatus'] === 'running',
    );
    await deployment;
    expect(await slow.act(`${kind}.one`, { [key]: id })).toMatchObject({ applicationStatus: 'done' });
  });

  test('answers start, stop and changeStatus with the row before', async () => {
    const { id } = await create(kind);
    await call(`${kind}.deploy`, { [key]: id });
    expect((await call(`${kind}.stop`, { [key]: id })).body).toMatchObject({ applicationStatus: 'done' });
    expect(await one(id)).toMatchObject({ applicationStatus: 'idle' });
    expect((await call(`${kind}.start`, { [key]: id })).body).toMatchObject({ applicationStatus: 'idle' });
    const changed = await call(`${kind}.changeStatus`, { [key]: id, applicationStatus: 'error' });
    expect(changed.body).toMatchObject({ applicationStatus: 'done' });
    expect(await one(id)).toMatchObject({ applicationStatus: 'error' });
  });

  test('cannot be started or reloaded before its first deployment, and can be stopped', async () => {
    const { id } = await create(kind);
    expect((await call(`${kind}.start`, { [key]: id })).status).toBe(500);
    expect((await call(`${kind}.reload`, { [key]: id, appName: 'x' })).status).toBe(500);
    expect((await call(`${kind}.stop`, { [key]: id })).status).toBe(200);
  });

  test('reloads with any appName', async () => {
    const { id, appName } = await create(kind);
    await call(`${kind}.deploy`, { [key]: id });
    expect(await call(`${kind}.reload`, { [key]: id, appName: 'other' })).toMatchObject({ status: 200, body: true });
    expect(await one(id)).toMatchObject({ appName, applicationStatus: 'done' });
  });

  test('keeps its appName in an update, which fails when nothing else is in it', async () => {
    const { id, appName } = await create(kind);
    expect(await call(`${kind}.update`, { [key]: id, appName: 'other', name: 'n' })).toEqual({
      status: 200,
      body: true,
    });
    expect(await one(id)).toMatchObject({ name: 'n', appName });
    for (const input of [{ [key]: id }, { [key]: id, appName: 'other' }, { [key]: 'unknown', appName: 'other' }])
      expect(await call(`${kind}.update`, input)).toMatchObject({ status: 500, body: { message: 'No values to set' } });
  });

  test('treats null unlike a member that is left out', async () => {
    const { id } = await create(kind);
    await call(`${kind}.update`, { [key]: id, memoryLimit: '1g', env: 'A=1' });
    await call(`${kind}.update`, { [key]: id, memoryLimit: null });
    expect(await one(id)).toMatchObject({ memoryLimit: null, env: 'A=1' });
    await call(`${kind}.saveEnvironment`, { [key]: id, env: '' });
    expect(await one(id)).toMatchObject({ env: '' });
  });

  test('publishes a port by deploying, and a port that is published is taken, its own too', async () => {
    const { id } = await create(kind);
    const other = await create(kind);
    const first = await call(`${kind}.saveExternalPort`, { [key]: id, externalPort: 7000 });
    expect(first).toMatchObject({ status: 200, body: { externalPort: null, applicationStatus: 'idle' } });
    expect(await one(id)).toMatchObject({ externalPort: 7000, applicationStatus: 'done' });
    for (const taken of [id, other.id]) {
      const answer = await call(`${kind}.saveExternalPort`, { [key]: taken, externalPort: 7000 });
      expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    }
    await call(`${kind}.saveExternalPort`, { [key]: id, externalPort: null });
    expect((await call(`${kind}.saveExternalPort`, { [key]: other.id, externalPort: 7000 })).status).toBe(200);
  });

  test('does not see ports of another server', async () => {
    const here = await create(kind, { serverId: 'srv_1' });
    const there = await create(kind, { serverId: 'srv_2' });
    for (const { id } of [here, there])
      expect((await call(`${kind}.saveExternalPort`, { [key]: id, externalPort: 7000 })).status).toBe(200);
  });

  test('takes port 0 for none', async () => {
    for (const { id } of [await create(kind), await create(kind)])
      expect((await call(`${kind}.saveExternalPort`, { [key]: id, externalPort: 0 })).status).toBe(200);
  });

  test('stores a port even when the deployment that was to publish it fails', async () => {
    const { id } = await create(kind, { dockerImage: 'fail:1' });
    expect((await call(`${kind}.saveExternalPort`, { [key]: id, externalPort: 7000 })).status).toBe(500);
    expect(await one(id)).toMatchObject({ externalPort: 7000, applicationStatus: 'error' });
  });

  test('refuses a number that does not fit its column with 500', async () => {
    const { id } = await create(kind);
    expect((await call(`${kind}.saveExternalPort`, { [key]: id, externalPort: 99_999_999_999 })).status).toBe(500);
    expect((await call(`${kind}.update`, { [key]: id, replicas: 1.5 })).status).toBe(500);
  });

  test('moves to another environment', async () => {
    const { id } = await create(kind);
    const answer = await call(`${kind}.move`, { [key]: id, targetEnvironmentId: 'env_prj_2' });
    expect(answer).toMatchObject({ status: 200, body: { environmentId: 'env_prj_2' } });
    expect(answer.body).not.toHaveProperty('mounts');
    expect((await call(`${kind}.move`, { [key]: id, targetEnvironmentId: 'x' })).status).toBe(500);
    expect((await call(`${kind}.update`, { [key]: id, environmentId: 'x' })).status).toBe(500);
  });

  test('is created only where there is an environment and a server', async () => {
    expect((await call(`${kind}.create`, { ...inputs[kind], environmentId: 'x' })).status).toBe(404);
    expect((await call(`${kind}.create`, { ...inputs[kind], serverId: 'x' })).status).toBe(401);
  });

  test('is refused when a database has its appName already, which takes a coincidence', async () => {
    const world = seedWorld();
    const appName = suffixedAppName(kind, 'id_1', 'shop');
    addRow(world, 'postgres', { postgresId: 'other', appName, environmentId: 'env_prj_1' });
    const { send } = createEmulator({ world, newId: () => 'id_1' });
    expect((await callerOf(send)(`${kind}.create`, { ...inputs[kind], appName: 'shop' })).status).toBe(409);
  });

  test('answers for an unknown id as the platform does, operation by operation', async () => {
    const statuses = await Promise.all(
      (
        [
          ['one', {}],
          ['start', {}],
          ['stop', {}],
          ['deploy', {}],
          ['remove', {}],
          ['reload', { appName: 'a' }],
          ['changeStatus', { applicationStatus: 'idle' }],
          ['saveExternalPort', { externalPort: 1 }],
          ['update', { name: 'n' }],
          ['saveEnvironment', { env: '' }],
          ['move', { targetEnvironmentId: 'env_prj_2' }],
          ['rebuild', {}],
        ] as const
      ).map(async ([name, input]) => [name, (await call(`${kind}.${name}`, { [key]: 'unknown', ...input })).status]),
    );
    expect(Object.fromEntries(statuses)).toEqual({
      one: 404,
      start: 404,
      stop: 404,
      deploy: 404,
      remove: 404,
      reload: 404,
      changeStatus: 404,
      saveExternalPort: 404,
      update: 400,
      saveEnvironment: 400,
      move: 500,
      rebuild: 500,
    });
  });

  test('takes its mounts with it and leaves its volume on the machine', async () => {
    const { id, appName } = await create(kind);
    await call(`${kind}.deploy`, { [key]: id });
    expect((await call(`${kind}.remove`, { [key]: id })).body).toMatchObject({ [key]: id, mounts: [{}] });
    expect((await call(`${kind}.one`, { [key]: id })).status).toBe(404);
    expect(Object.keys(emulator.world.tables.mount)).toEqual([]);
    expect(Object.keys(emulator.world.tables.volume)).toEqual([`${appName}-data`]);
  });
});

describe('the data directory', () => {
  test.each([
    ['postgres:18', '/var/lib/postgresql/18/docker'],
    ['postgres:19-alpine', '/var/lib/postgresql/19/docker'],
    ['postgres:17', '/var/lib/postgresql/data'],
    ['postgres:latest', '/var/lib/postgresql/data'],
  ])('of %s is %s', async (dockerImage, mountPath) => {
    const { id } = await create('postgres', { dockerImage });
    expect((await call('postgres.one', { postgresId: id })).body.mounts).toMatchObject([{ mountPath }]);
  });

  test('of mariadb and redis does not depend on the image', async () => {
    const mariadb = await create('mariadb');
    const redis = await create('redis');
    expect((await call('mariadb.one', { mariadbId: mariadb.id })).body.mounts).toMatchObject([
      { mountPath: '/var/lib/mysql' },
    ]);
    expect((await call('redis.one', { redisId: redis.id })).body.mounts).toMatchObject([{ mountPath: '/data' }]);
  });
});

describe('the settings of the first start', () => {
  test('stay in the volume when an update changes the row', async () => {
    const { id, appName } = await create('postgres');
    await call('postgres.update', { postgresId: id, databaseName: 'early' });
    await call('postgres.deploy', { postgresId: id });
    expect(staleSettings(emulator.world)).toEqual([]);

    await call('postgres.update', { postgresId: id, databaseName: 'late', databasePassword: 'other' });
    await call('postgres.deploy', { postgresId: id });
    expect((await call('postgres.one', { postgresId: id })).body).toMatchObject({ databaseName: 'late' });
    expect(emulator.world.tables.volume[`${appName}-data`]).toMatchObject({
      databaseName: 'early',
      databasePassword: 'p',
    });
    expect(staleSettings(emulator.world).map(({ setting }) => setting)).toEqual(['databaseName', 'databasePassword']);
  });

  test('are taken anew by a rebuild, which destroys the data', async () => {
    const { id } = await create('mariadb');
    await call('mariadb.deploy', { mariadbId: id });
    await call('mariadb.update', { mariadbId: id, databaseName: 'late' });
    expect(await call('mariadb.rebuild', { mariadbId: id })).toEqual({ status: 200, body: true });
    expect(staleSettings(emulator.world)).toEqual([]);
  });

  test('include a root password that mariadb makes up when it is left out', async () => {
    expect((await create('mariadb'))['databaseRootPassword']).toMatch(/^[a-z0-9]{16}$/);
  });
});

test.each([
  ['mysql', 'databaseRootPassword', /mysql -u root -p'stored-1' .*IDENTIFIED BY 'wanted-1'.*\nERROR 1045/s],
  ['mariadb', 'databaseRootPassword', /mariadb -u root -p'stored-1' .*IDENTIFIED BY 'wanted-1'.*\nERROR 1045/s],
  [
    'mongo',
    'databasePassword',
    /mongosh -u 'u' -p 'stored-1' .*'wanted-1'.*\nMongoServerError: Authentication failed/s,
  ],
] as const)('%s: a password changes only where the server has the %s of the row', async (kind, column, message) => {
  const key = `${kind}Id`;
  const { id, [column]: first } = await create(kind);
  await call(`${kind}.deploy`, { [key]: id });
  await call(`${kind}.update`, { [key]: id, [column]: 'stored-1' });
  const change = () => call(`${kind}.changePassword`, { [key]: id, password: 'wanted-1' });
  const refused = await change();
  expect([refused.status, refused.body['message']]).toEqual([500, expect.stringMatching(message)]);
  expect((await call(`${kind}.one`, { [key]: id })).body).toMatchObject({ [column]: 'stored-1' });
  await call(`${kind}.update`, { [key]: id, [column]: first });
  expect(await change()).toEqual({ status: 200, body: true });
});

test.each(['mysql', 'mariadb'] as const)(
  '%s: a refused change of the root password names root, and no other user',
  async (kind) => {
    const key = `${kind}Id`;
    const { id } = await create(kind);
    await call(`${kind}.deploy`, { [key]: id });
    await call(`${kind}.update`, { [key]: id, databaseRootPassword: 'stored-1' });
    const { status, body } = await call(`${kind}.changePassword`, { [key]: id, password: 'wanted-1', type: 'root' });
    expect([status, body['message']]).toEqual([500, expect.stringContaining("ALTER USER 'root'@'%' IDENTIFIED BY")]);
  },
);

test.each([
  ['mysql', /mysql -u root .*"ALTER USER 'late'@'%'.*\nERROR 1396 .* Operation ALTER USER failed for 'late'@'%'\n$/s],
  [
    'mariadb',
    /mariadb -u root .*"ALTER USER 'late'@'%'.*\nERROR 1396 .* Operation ALTER USER failed for 'late'@'%'\n$/s,
  ],
  ['postgres', /psql -U late -d postgres -c "ALTER USER \\"late\\" .*\npsql: error: .*role "late" does not exist\n$/s],
  ['mongo', /mongosh -u 'late' .*changeUserPassword\('late', .*\nMongoServerError: Authentication failed\.\n$/s],
] as const)('%s: the password of a user that the server does not have stays', async (kind, message) => {
  const key = `${kind}Id`;
  const { id, databasePassword } = await create(kind);
  await call(`${kind}.deploy`, { [key]: id });
  await call(`${kind}.update`, { [key]: id, databaseUser: 'late' });
  const refused = await call(`${kind}.changePassword`, { [key]: id, password: 'wanted-1' });
  expect([refused.status, refused.body['message']]).toEqual([500, expect.stringMatching(message)]);
  expect((await call(`${kind}.one`, { [key]: id })).body).toMatchObject({ databasePassword });
});

describe('postgres alone', () => {
  test('changes its password in the row and in the database, once it runs', async () => {
    const { id, appName } = await create('postgres');
    const change = () => call('postgres.changePassword', { postgresId: id, password: 'new' });
    expect(await change()).toMatchObject({
      status: 400,
      body: { message: `No running container found for ${appName}` },
    });
    await call('postgres.deploy', { postgresId: id });
    expect(await change()).toEqual({ status: 200, body: true });
    expect((await call('postgres.one', { postgresId: id })).body).toMatchObject({ databasePassword: 'new' });
    expect(staleSettings(emulator.world)).toEqual([]);
  });

  test('is searched by text, in pages, newest first, and only among the services of the caller', async () => {
    let minute = 0;
    emulator = createEmulator({ now: () => new Date(Date.UTC(2026, 0, 1, 0, (minute += 1))) });
    call = callerOf(emulator.send);
    for (const name of ['alpha', 'beta', 'gamma']) await create('postgres', { name });
    const names = async (input: Record<string, unknown>) => {
      const { items, total } = (await call('postgres.search', input)).body as unknown as {
        items: Answer[];
        total: number;
      };
      return [total, ...items.map((item) => item['name'])];
    };
    expect(await names({})).toEqual([3, 'gamma', 'beta', 'alpha']);
    expect(await names({ limit: 1, offset: 1 })).toEqual([3, 'beta']);
    expect(await names({ q: 'ALPHA' })).toEqual([1, 'alpha']);
    expect(await names({ q: ' ', name: ' eta ' })).toEqual([1, 'beta']);
    expect(await names({ name: 'a', appName: 'postgres-', environmentId: 'env_prj_1' })).toHaveLength(4);
    expect(await names({ name: 'alpha', description: 'alpha' })).toEqual([0]);
    expect(await names({ environmentId: 'env_prj_2' })).toEqual([0]);
    expect(await names({ projectId: 'prj_2' })).toEqual([0]);

    const member = emulator.world.tables.member['member_1'];
    if (Array.isArray(member?.['accessedServices'])) member['accessedServices'].splice(0, 1);
    expect(await names({})).toEqual([2, 'gamma', 'beta']);
  });

  test('shows its log once there is a container', async () => {
    const { id } = await create('postgres');
    expect((await call('postgres.readLogs', { postgresId: id })).status).toBe(500);
    await call('postgres.deploy', { postgresId: id });
    expect((await call('postgres.readLogs', { postgresId: id, tail: 1 })).body).toContain(
      'ready to accept connections',
    );
    expect((await call('postgres.readLogs', { postgresId: id, search: 'listening' })).body).toMatch(/^LOG: .*5432$/);
    expect((await call('postgres.readLogs', { postgresId: id, since: 'yesterday' })).status).toBe(400);
    await call('postgres.stop', { postgresId: id });
    expect((await call('postgres.readLogs', { postgresId: id })).status).toBe(500);
  });
});

test('redis shows no backups, the others do', async () => {
  const [redis, mariadb] = [await create('redis'), await create('mariadb')];
  expect((await call('redis.one', { redisId: redis.id })).body).not.toHaveProperty('backups');
  expect((await call('mariadb.one', { mariadbId: mariadb.id })).body).toHaveProperty('backups', []);
});
