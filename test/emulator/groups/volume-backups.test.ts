import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts';
import { callerOf, inputs } from '../caller.ts';

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
/** The id of one service of each kind. */
let owners: Record<string, string>;
beforeEach(async () => {
  let minutes = 0;
  emulator = createEmulator({ now: () => new Date(Date.UTC(2026, 0, 1, 0, (minutes += 1))) });
  call = callerOf(emulator.send);
  owners = {};
  for (const kind of kinds) {
    await call(`${kind}.create`, inputs[kind]);
    owners[kind] = Object.keys(emulator.world.tables[kind])[0] ?? '';
  }
});

const kinds = ['application', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis', 'compose', 'libsql'] as const;
const required = { name: 'b', volumeName: 'v', prefix: '/p', cronExpression: '0 0 * * *', destinationId: 'dst_1' };
const create = (more: Record<string, unknown> = {}) =>
  call('volumeBackups.create', { ...required, applicationId: owners['application'], ...more });
const createId = async (more: Record<string, unknown> = {}) => String((await create(more)).body['volumeBackupId']);
const of = (kind: string) => ({ applicationId: null, serviceType: kind, [`${kind}Id`]: owners[kind] });
const one = async (volumeBackupId: string) => (await call('volumeBackups.one', { volumeBackupId })).body;
const list = async (kind: string, id = owners[kind]) =>
  (await call('volumeBackups.list', { id, volumeBackupType: kind })).body;

describe('a volume backup', () => {
  test('is answered with its row, and is not enabled by default', async () => {
    const { status, body } = await create();
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { ...required, enabled: null, turnOff: false, serviceType: 'application', keepLatestCount: null },
    });
    expect(body).not.toHaveProperty('application');
  });

  test('keeps the appName that was sent, and gets one when none was', async () => {
    expect((await create({ appName: 'My App' })).body.appName).toBe('My App');
    expect((await create()).body.appName).toMatch(/^volumeBackup(?:-[a-z0-9]+){3,6}-[a-z0-9]{6}$/);
  });

  test('needs a destination that is there, and a name docker takes', async () => {
    expect((await create({ destinationId: 'x' })).status).toBe(500);
    expect((await create({ applicationId: 'x' })).status).toBe(500);
    expect((await create({ volumeName: 'a b' })).status).toBe(400);
    expect(emulator.world.tables.volumeBackup).toEqual({});
  });

  test.each(kinds)('of the kind %s is listed for its owner only', async (kind) => {
    const volumeBackupId = await createId(of(kind));
    expect(await list(kind)).toMatchObject([{ volumeBackupId, serviceType: kind, [`${kind}Id`]: owners[kind] }]);
    for (const other of kinds) if (other !== kind) expect(await list(other)).toEqual([]);
  });

  test('shows its owner by three columns in a list, and no other', async () => {
    await createId(of('postgres'));
    await createId(of('mongo'));
    const { appName } = (await call('postgres.one', { postgresId: owners['postgres'] })).body;
    expect(await list('postgres')).toMatchObject([{ postgres: { appName, serverId: null }, application: null }]);
    expect(
      Object.keys(((await list('postgres')) as unknown as Record<string, object>[])[0]?.['postgres'] ?? {}),
    ).toEqual(['postgresId', 'appName', 'serverId']);
    expect(await list('mongo')).toMatchObject([
      { mongo: { mongoId: owners['mongo'], serverId: null }, postgres: null },
    ]);
  });

  test('is listed with the newest first, also after an update', async () => {
    const [first, second, third] = [await createId(), await createId(), await createId()];
    await call('volumeBackups.update', { volumeBackupId: first, ...required });
    expect(await list('application')).toMatchObject(
      [third, second, first].map((volumeBackupId) => ({ volumeBackupId })),
    );
  });

  test('of a service that is not there is no list at all, with 200', async () => {
    await create();
    expect(await call('volumeBackups.list', { id: 'x', volumeBackupType: 'application' })).toEqual({
      status: 200,
      body: [],
    });
    expect(await list('postgres', owners['application'])).toEqual([]);
  });

  test('is read with its owner and a destination without keys', async () => {
    const view = await one(await createId());
    expect(view).toMatchObject({
      application: { applicationId: owners['application'], environment: { project: { projectId: 'prj_1' } } },
      destination: { destinationId: 'dst_1', bucket: 'bucket-1' },
      compose: null,
      libsql: null,
    });
    expect(view['application']).not.toHaveProperty('env');
    expect(JSON.stringify(view)).not.toContain('access-key');
  });

  test('shows the password of a database that it belongs to', async () => {
    expect(await one(await createId(of('postgres')))).toMatchObject({
      postgres: { databasePassword: 'p', environment: { environmentId: 'env_prj_1' } },
    });
  });

  test('may belong to no service or to two', async () => {
    expect((await create({ applicationId: null })).status).toBe(200);
    const volumeBackupId = await createId({ redisId: owners['redis'] });
    expect(await list('application')).toMatchObject([{ volumeBackupId }]);
    expect(await list('redis')).toMatchObject([{ volumeBackupId }]);
  });

  test('goes with its service', async () => {
    await create();
    await create(of('compose'));
    await call('compose.delete', { composeId: owners['compose'], deleteVolumes: false });
    expect(Object.values(emulator.world.tables.volumeBackup)).toMatchObject([{ applicationId: owners['application'] }]);
    await call('application.delete', { applicationId: owners['application'] });
    expect(emulator.world.tables.volumeBackup).toEqual({});
  });

  test('is deleted with an empty answer', async () => {
    const volumeBackupId = await createId();
    expect(await call('volumeBackups.delete', { volumeBackupId })).toEqual({ status: 200, body: undefined });
    expect(await list('application')).toEqual([]);
  });

  test('that is not there is a 404', async () => {
    const volumeBackupId = 'unknown';
    expect((await call('volumeBackups.update', { ...required, volumeBackupId })).status).toBe(404);
    for (const operation of ['one', 'delete', 'runManually'])
      expect((await call(`volumeBackups.${operation}`, { volumeBackupId })).status).toBe(404);
  });
});

describe('an update of a volume backup', () => {
  test('changes the members of the request, keeps the others, and answers with the row', async () => {
    const { body } = await create({ enabled: true, keepLatestCount: 3, turnOff: true, appName: 'given' });
    const volumeBackupId = body['volumeBackupId'];
    const answer = await call('volumeBackups.update', {
      ...required,
      volumeBackupId,
      name: 'c',
      keepLatestCount: null,
    });
    expect(answer).toEqual({ status: 200, body: { ...body, name: 'c', keepLatestCount: null } });
  });

  test('needs five members', async () => {
    const volumeBackupId = await createId();
    for (const member of Object.keys(required)) {
      const input: Record<string, unknown> = { ...required, volumeBackupId };
      delete input[member];
      expect([member, (await call('volumeBackups.update', input)).status]).toEqual([member, 400]);
    }
  });

  test('gives it another appName and another owner, without taking the old one away', async () => {
    const volumeBackupId = await createId();
    const change = { appName: 'X y', redisId: owners['redis'] };
    expect((await call('volumeBackups.update', { ...required, volumeBackupId, ...change })).body).toMatchObject({
      ...change,
      serviceType: 'application',
      applicationId: owners['application'],
    });
  });

  test('to a destination that is not there is a 500 and changes nothing', async () => {
    const volumeBackupId = await createId();
    const input = { ...required, volumeBackupId, name: 'c', destinationId: 'x' };
    expect((await call('volumeBackups.update', input)).status).toBe(500);
    expect(await one(volumeBackupId)).toMatchObject({ name: 'b', destinationId: 'dst_1' });
  });
});

describe('a run by hand', () => {
  const runs = () => Object.values(emulator.world.tables.deployment);

  test('is done within the request, written down, and answered with nothing', async () => {
    const volumeBackupId = await createId(of('postgres'));
    await call('postgres.deploy', { postgresId: owners['postgres'] });
    expect(await call('volumeBackups.runManually', { volumeBackupId })).toEqual({ status: 200, body: undefined });
    expect(runs()).toMatchObject([{ volumeBackupId, title: 'Volume Backup', status: 'done' }]);
    await call('volumeBackups.delete', { volumeBackupId });
    expect(runs()).toEqual([]);
  });

  test.each(['application', 'mysql'])(
    'that fails, for a %s that was never deployed, is a 200 with false',
    async (kind) => {
      const volumeBackupId = await createId(of(kind));
      expect(await call('volumeBackups.runManually', { volumeBackupId })).toEqual({ status: 200, body: false });
      expect(runs()).toMatchObject([{ volumeBackupId, status: 'error' }]);
    },
  );
});
