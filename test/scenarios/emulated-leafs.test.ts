import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { callerOf, inputs } from '../emulator/caller.ts';

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
let composeId: string;
let postgresId: string;
beforeEach(async () => {
  const world = seedWorld();
  addRow(world, 'application', { applicationId: 'app_1', name: 'app', appName: 'app-1', environmentId: 'env_prj_1' });
  emulator = createEmulator({ world });
  call = callerOf(emulator.send);
  composeId = String((await call('compose.create', inputs.compose)).body['composeId']);
  postgresId = String((await call('postgres.create', inputs.postgres)).body['postgresId']);
});

const compose = async () => (await call('compose.one', { composeId })).body;

describe('a mount', () => {
  const volume = { type: 'volume', volumeName: 'v', mountPath: '/v' };
  const create = (input: Record<string, unknown>) => call('mounts.create', { ...volume, ...input });

  test('is stored under the id of its kind of owner, never under serviceId', async () => {
    const { body } = await create({ serviceType: 'compose', serviceId: composeId });
    expect(body).toMatchObject({ composeId, applicationId: null, serviceType: 'compose' });
    expect(body).not.toHaveProperty('serviceId');
    expect((await compose()).mounts).toEqual([body]);
  });

  test('without serviceType is an orphan that no list shows', async () => {
    const { status, body } = await create({ serviceId: composeId });
    expect([status, body]).toMatchObject([200, { serviceType: 'application', applicationId: null, composeId: null }]);
    expect((await compose()).mounts).toEqual([]);
    expect((await call('mounts.one', { mountId: body['mountId'] })).status).toBe(200);
  });

  test('of an owner that is not there is refused with 400', async () => {
    expect((await create({ serviceType: 'compose', serviceId: postgresId })).status).toBe(400);
    expect((await compose()).mounts).toEqual([]);
  });

  test('of type file without filePath is refused, and its row stays', async () => {
    const answer = await create({ type: 'file', content: 'x', serviceType: 'compose', serviceId: composeId });
    expect(answer.status).toBe(400);
    expect((await compose()).mounts).toMatchObject([{ type: 'file', filePath: null }]);
  });

  test('answers an update with the row before, and then stands last', async () => {
    const { mountId } = (await create({ serviceType: 'compose', serviceId: composeId })).body;
    await create({ serviceType: 'compose', serviceId: composeId, mountPath: '/w' });
    const answer = await call('mounts.update', { mountId, mountPath: '/x' });
    expect(answer.body).toMatchObject({ mountPath: '/v', compose: { appName: (await compose()).appName } });
    expect((await compose()).mounts).toMatchObject([{ mountPath: '/w' }, { mountPath: '/x' }]);
  });

  test('is handed to another owner without a question', async () => {
    const { mountId } = (await create({ serviceType: 'compose', serviceId: composeId })).body;
    await call('mounts.update', { mountId, composeId: null, postgresId });
    expect((await compose()).mounts).toEqual([]);
    expect((await call('postgres.one', { postgresId })).body.mounts).toMatchObject([{}, { serviceType: 'compose' }]);
    expect((await call('mounts.update', { mountId, redisId: 'x' })).status).toBe(500);
  });

  test('that is gone is a 404', async () => {
    const { mountId } = (await create({ serviceType: 'compose', serviceId: composeId })).body;
    expect((await call('mounts.remove', { mountId })).body).toMatchObject({ mountId });
    for (const operation of ['mounts.one', 'mounts.update', 'mounts.remove'])
      expect((await call(operation, { mountId })).status).toBe(404);
  });

  test('is not the mount list of the container', async () => {
    expect(await call('mounts.allNamedByApplicationId', { applicationId: 'app_1' })).toEqual({
      status: 200,
      body: undefined,
    });
    expect((await call('mounts.allNamedByApplicationId', { applicationId: 'x' })).status).toBe(404);
  });
});

describe('a domain', () => {
  const create = (input: Record<string, unknown> = {}) =>
    call('domain.create', { host: 'a.test', composeId, ...input });

  test('gets the defaults of the platform, domainType application even below a compose', async () => {
    expect((await create()).body).toMatchObject({
      composeId,
      domainType: 'application',
      port: 3000,
      path: '/',
      internalPath: '/',
      https: false,
      certificateType: 'none',
      stripPath: false,
      middlewares: [],
      forwardAuthEnabled: false,
      enabled: true,
    });
  });

  test('keeps null apart from left out', async () => {
    const { body } = await create({ port: null, path: null, internalPath: null, middlewares: null });
    expect(body).toMatchObject({ port: null, path: null, internalPath: null, middlewares: null });
  });

  test('is numbered across all services', async () => {
    const first = await create();
    const second = await call('domain.create', { host: 'b.test', applicationId: 'app_1' });
    expect([first.body['uniqueConfigKey'], second.body['uniqueConfigKey']]).toEqual([1, 2]);
  });

  test('may stand twice, and below nothing at all', async () => {
    await create();
    await create();
    expect((await compose()).domains).toHaveLength(2);
    expect((await call('domain.create', { host: 'a.test' })).status).toBe(200);
  });

  test('turns every failure of its create into 400', async () => {
    for (const input of [{ composeId: 'x' }, { applicationId: 'x' }, { port: 80.5 }, { certificateType: 'other' }])
      expect((await create(input)).status).toBe(400);
    expect((await create({ host: 'a b' })).body).toMatchObject({ issues: [{ path: ['host'] }] });
  });

  test('is listed with the short form of its owner', async () => {
    await create();
    const { appName } = await compose();
    expect((await call('domain.byComposeId', { composeId })).body).toMatchObject([
      { compose: { composeId, appName, name: 'shop' } },
    ]);
    expect((await call('domain.byApplicationId', { applicationId: 'app_1' })).body).toEqual([]);
    expect(await call('domain.byComposeId', { composeId: 'unknown' })).toEqual({ status: 200, body: [] });
  });

  test('needs its host in every update, and then stands last', async () => {
    const { domainId } = (await create()).body;
    await create({ host: 'b.test' });
    expect((await call('domain.update', { domainId, enabled: false })).status).toBe(400);
    const { body } = await call('domain.update', { domainId, host: 'c.test', enabled: false });
    expect(body).toMatchObject({ host: 'c.test', enabled: false, port: 3000 });
    expect((await compose()).domains.map(({ host }) => host)).toEqual(['b.test', 'c.test']);
    expect((await call('domain.update', { domainId: 'x', host: 'c.test' })).status).toBe(404);
    expect((await call('domain.update', { domainId, host: 'c.test', port: 0.5 })).status).toBe(500);
  });

  test('is deleted once', async () => {
    const { domainId } = (await create()).body;
    expect((await call('domain.delete', { domainId })).body).toMatchObject({ domainId });
    expect((await call('domain.delete', { domainId })).status).toBe(404);
  });

  test('can be generated and read without any network', async () => {
    expect((await call('domain.generateDomain', { appName: 'shop', serverId: 'srv_1' })).body).toMatch(
      /^shop-\w{6}-192-0-2-1\./,
    );
    expect((await call('domain.canGenerateTraefikMeDomains', { serverId: 'srv_1' })).body).toBe('192.0.2.1');
    expect((await call('domain.canGenerateTraefikMeDomains', { serverId: '' })).status).toBe(400);
    expect((await call('domain.validateDomain', { domain: 'a.test' })).body).toMatchObject({ isValid: false });
  });
});

describe('a backup', () => {
  const fields = {
    schedule: '0 3 * * *',
    prefix: '/p',
    destinationId: 'dst_1',
    database: 'd',
    databaseType: 'postgres',
  };
  const whole = { ...fields, enabled: true, keepLatestCount: 3, serviceName: null, metadata: null };
  const backups = async () => (await call('postgres.one', { postgresId })).body.backups;
  const create = async (input: Record<string, unknown> = {}) => {
    await call('backup.create', { ...fields, postgresId, ...input });
    return String((await backups()).at(-1)?.['backupId']);
  };

  test('is created with an empty answer and found below its database, its destination without keys', async () => {
    expect(await call('backup.create', { ...fields, postgresId })).toEqual({ status: 200, body: undefined });
    const [backup] = await backups();
    expect(backup).toMatchObject({ backupType: 'database', includeEncryptionKey: true, deployments: [] });
    expect(backup?.['appName']).toMatch(/^backup(?:-[a-z0-9]+){3,6}-[a-z0-9]{6}$/);
    expect(backup?.['destination']).not.toHaveProperty('accessKey');
    expect(backup?.['destination']).not.toHaveProperty('secretAccessKey');
  });

  test('never runs when enabled is left out', async () => {
    await create();
    expect(await backups()).toMatchObject([{ enabled: null }]);
  });

  test('shows the passwords of its database', async () => {
    const backupId = await create();
    expect((await call('backup.one', { backupId })).body).toMatchObject({
      postgres: { databasePassword: 'p' },
      mariadb: null,
      compose: null,
      destination: { destinationId: 'dst_1' },
    });
  });

  test('is updated as a whole, with an empty answer, and then stands last', async () => {
    const backupId = await create();
    await create();
    expect((await call('backup.update', { backupId, schedule: '* * * * *' })).status).toBe(400);
    expect(await call('backup.update', { ...whole, backupId })).toEqual({ status: 200, body: undefined });
    expect((await backups()).at(-1)).toMatchObject({ backupId, enabled: true, keepLatestCount: 3 });
  });

  test('turns every failure into 400', async () => {
    expect((await call('backup.create', { ...fields, postgresId, destinationId: 'x' })).status).toBe(400);
    expect((await call('backup.create', { ...fields, mariadbId: postgresId })).status).toBe(400);
    expect(await call('backup.update', { ...whole, backupId: 'x' })).toMatchObject({
      status: 400,
      body: { message: 'Backup not found' },
    });
    expect((await call('backup.remove', { backupId: 'x' })).status).toBe(400);
    expect((await call('backup.manualBackupPostgres', { backupId: 'x' })).status).toBe(400);
    expect((await call('backup.manualBackupWebServer', { backupId: 'x' })).status).toBe(404);
    expect((await call('backup.listBackupFiles', { destinationId: 'x', search: 's' })).status).toBe(400);
  });

  test('of a database that does not exist is refused', async () => {
    expect((await call('backup.create', { ...fields, mysqlId: 'mysql_1', databaseType: 'mysql' })).status).toBe(400);
  });

  test('runs by hand when its database runs', async () => {
    const backupId = await create();
    expect((await call('backup.manualBackupPostgres', { backupId })).status).toBe(400);
    await call('postgres.deploy', { postgresId });
    expect(await call('backup.manualBackupPostgres', { backupId })).toEqual({ status: 200, body: true });
    expect((await backups())[0]?.deployments).toMatchObject([{ status: 'error' }, { status: 'done', backupId }]);
    await call('postgres.stop', { postgresId });
    expect((await call('backup.manualBackupPostgres', { backupId })).status).toBe(400);
    expect((await call('backup.listBackupFiles', { destinationId: 'dst_1', search: 's' })).body).toEqual([]);
  });

  test('goes with its database', async () => {
    const backupId = await create();
    await call('postgres.remove', { postgresId });
    expect((await call('backup.one', { backupId })).status).toBe(404);
  });
});

describe('an environment', () => {
  const create = async (name = 'staging') =>
    String((await call('environment.create', { name, projectId: 'prj_1', description: 'd' })).body['environmentId']);

  test('may have the name of another, but not be called production', async () => {
    expect(await create()).not.toBe(await create());
    expect((await call('environment.create', { name: 'production', projectId: 'prj_1' })).status).toBe(400);
    expect((await call('environment.create', { name: 'a', projectId: 'x' })).status).toBe(400);
  });

  test('can be renamed to production afterwards', async () => {
    const environmentId = await create();
    expect((await call('environment.update', { environmentId, name: 'production' })).body).toMatchObject({
      isDefault: false,
    });
  });

  test('that is the default takes no name, not even its own, and is never removed', async () => {
    const environmentId = 'env_prj_1';
    expect((await call('environment.update', { environmentId, name: 'production' })).status).toBe(400);
    expect((await call('environment.update', { environmentId, env: 'A=1' })).body).toMatchObject({ env: 'A=1' });
    expect(await call('environment.remove', { environmentId })).toMatchObject({
      status: 400,
      body: { message: 'You cannot delete the default environment' },
    });
  });

  test('is not updated by nothing', async () => {
    const environmentId = await create();
    expect((await call('environment.update', { environmentId })).status).toBe(400);
    expect((await call('environment.update', { environmentId: 'x', env: '' })).status).toBe(400);
    expect((await call('environment.update', { environmentId, projectId: 'x' })).status).toBe(400);
  });

  test('shows its services without appName, and in the list of the project with it but without env', async () => {
    const environment = (await call('environment.one', { environmentId: 'env_prj_1' })).body;
    expect(environment).toMatchObject({ env: '', postgres: [{ postgresId, name: 'db' }], compose: [{ composeId }] });
    expect(JSON.stringify(environment)).not.toContain('appName');
    const [listed] = (await call('environment.byProjectId', { projectId: 'prj_1' })).body as unknown as Record<
      string,
      unknown
    >[];
    expect(listed).not.toHaveProperty('env');
    expect(listed).toMatchObject({
      postgres: [{ postgresId, appName: expect.any(String) }],
      mysql: [],
      mongo: [],
      libsql: [],
    });
    expect(await call('environment.byProjectId', { projectId: 'unknown' })).toEqual({ status: 200, body: [] });
  });

  test('cannot be removed while it holds a service', async () => {
    const environmentId = await create();
    const { redisId } = (await call('redis.create', { ...inputs.redis, environmentId })).body;
    expect((await call('environment.remove', { environmentId })).status).toBe(400);
    await call('redis.remove', { redisId });
    expect((await call('environment.remove', { environmentId })).body).toMatchObject({ environmentId });
    expect((await call('environment.remove', { environmentId })).status).toBe(404);
  });

  test('is duplicated without its services', async () => {
    await call('environment.update', { environmentId: 'env_prj_1', env: 'A=1' });
    const { body } = await call('environment.duplicate', { environmentId: 'env_prj_1', name: 'copy' });
    expect(body).toMatchObject({ name: 'copy', env: 'A=1', isDefault: false, projectId: 'prj_1' });
    expect((await call('environment.one', { environmentId: body['environmentId'] })).body).toMatchObject({
      compose: [],
    });
    expect((await call('environment.duplicate', { environmentId: 'x', name: 'copy' })).status).toBe(400);
  });
});

describe('the caller', () => {
  test('is answered with the organization of the key', async () => {
    expect((await call('user.get')).body).toMatchObject({
      organizationId: 'org_1',
      role: 'owner',
      user: { email: 'admin@example.test', apiKeys: [{ name: 'emulator' }] },
    });
  });

  test('may use his own objects, and the list is never cleaned', async () => {
    const { environmentId } = (await call('environment.create', { name: 'a', projectId: 'prj_1' })).body;
    await call('compose.delete', { composeId, deleteVolumes: false });
    expect((await call('user.get')).body).toMatchObject({
      accessedServices: [composeId, postgresId],
      accessedEnvironments: [environmentId],
    });
  });
});

describe('a project', () => {
  test('comes with its default environment', async () => {
    const { project, environment } = (await emulator.act('project.create', { name: 'p' })) as Record<
      string,
      Record<string, unknown>
    >;
    expect(environment).toMatchObject({ name: 'production', isDefault: true, projectId: project?.['projectId'] });
    expect(await emulator.act('project.one', { projectId: String(project?.['projectId']) })).toMatchObject({
      name: 'p',
      environments: [{}],
    });
    expect(await emulator.act('project.all')).toHaveLength(3);
    expect((await call('user.get')).body).toMatchObject({ accessedProjects: [project?.['projectId']] });
  });

  test('has destinations and servers beside it', async () => {
    expect(await emulator.act('destination.all')).toHaveLength(2);
    expect(await emulator.act('server.all')).toHaveLength(2);
  });
});
