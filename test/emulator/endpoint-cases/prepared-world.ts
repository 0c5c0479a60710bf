import { createEmulator } from '../../../src/emulator/emulator.ts';
import { addRow, seedWorld, type World } from '../../../src/emulator/world.ts';
import { addMembership, addOrganization, addPerson } from '../people.ts';
import { until } from '../caller.ts';

/** The ids of what stands in the prepared world. */
export type Ids = Awaited<ReturnType<typeof prepareWorld>>['ids'];

const composeFile = [
  'services:',
  '  web:',
  '    image: nginx:1.27',
  '    volumes: [ "uploads:/srv/uploads" ]',
  '  db: { image: "postgres:17" }',
  'volumes:',
  '  uploads: {}',
  '',
].join('\n');

/** One of everything, made by the platform's own operations and deployed: plain JSON, to be copied for each case. */
export async function prepareWorld() {
  const world = peopledWorld();
  const emulator = createEmulator({ world });
  const act = async (operation: string, input: Record<string, unknown> = {}) =>
    (await emulator.act(operation, input)) as Readonly<Record<string, unknown>>;
  const made = async (operation: string, id: string, input: Record<string, unknown>): Promise<string> =>
    String((await act(operation, input))[id]);
  /** The id of the newest in a list, for creates that do not tell it. */
  const newest = async (list: string, id: string, input: Record<string, unknown> = {}): Promise<string> => {
    const all = (await act(list, input)) as unknown as readonly Readonly<Record<string, unknown>>[];
    return String(all.find((item) => item['name'] === 'prepared')?.[id]);
  };

  const environmentId = 'env_prj_1';
  const at = { environmentId, name: 'prepared' };
  const login = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'correct-horse-1' };
  const stagingId = await made('environment.create', 'environmentId', { name: 'staging', projectId: 'prj_1' });
  await act('environment.update', { environmentId: stagingId, env: 'REGION=eu\n' });

  const applicationId = await made('application.create', 'applicationId', at);
  const docker = { dockerImage: 'nginx:1.27', username: null, password: null, registryUrl: null };
  await act('application.saveDockerProvider', { applicationId, ...docker });
  await act('application.redeploy', { applicationId });
  const gitApplicationId = await made('application.create', 'applicationId', at);
  const repository = { customGitUrl: 'https://git.example.test/shop.git', customGitBranch: 'main' };
  const place = { customGitBuildPath: '/web', watchPaths: ['web/**'] };
  await act('application.saveGitProvider', { applicationId: gitApplicationId, ...repository, ...place });

  const composeId = await made('compose.create', 'composeId', { ...at, sourceType: 'raw', composeFile });
  await act('compose.deploy', { composeId });

  const postgresId = await made('postgres.create', 'postgresId', { ...at, ...login });
  const mariadbId = await made('mariadb.create', 'mariadbId', {
    ...at,
    ...login,
    databaseRootPassword: 'root-horse-1',
  });
  const redisId = await made('redis.create', 'redisId', { ...at, databasePassword: 'correct-horse-1' });
  await act('postgres.deploy', { postgresId });
  await act('mariadb.deploy', { mariadbId });
  await act('redis.deploy', { redisId });

  const schedule = { schedule: '0 3 * * *', prefix: 'shop/', destinationId: 'dst_1', database: 'shop', enabled: true };
  const firstBackup = async (operation: string, input: Record<string, unknown>): Promise<string> => {
    const { backups } = await act(operation, input);
    return String((backups as readonly Readonly<Record<string, unknown>>[])[0]?.['backupId']);
  };
  await act('backup.create', { ...schedule, databaseType: 'postgres', postgresId });
  await act('backup.create', { ...schedule, databaseType: 'mariadb', mariadbId });
  await act('backup.create', {
    ...schedule,
    databaseType: 'postgres',
    backupType: 'compose',
    serviceName: 'db',
    composeId,
  });
  await act('backup.create', { ...schedule, databaseType: 'web-server', userId: 'user_1' });

  const volume = { prefix: 'uploads/', cronExpression: '30 3 * * *', destinationId: 'dst_1', name: 'prepared' };
  const uploads = { ...volume, volumeName: 'uploads', serviceName: 'web', serviceType: 'compose', composeId };
  const data = { ...volume, volumeName: 'data', serviceType: 'application', applicationId: gitApplicationId };
  const site = { host: 'shop.example.test', port: 8080, https: true };
  const model = { name: 'prepared', apiUrl: 'https://models.example.test/v1', apiKey: 'model-key', model: 'small' };
  const ids = {
    environmentId,
    stagingId,
    /** From an image, and running. */
    applicationId,
    /** From a repository, and never deployed. */
    gitApplicationId,
    composeId,
    postgresId,
    mariadbId,
    redisId,
    postgresBackupId: await firstBackup('postgres.one', { postgresId }),
    mariadbBackupId: await firstBackup('mariadb.one', { mariadbId }),
    composeBackupId: await firstBackup('compose.one', { composeId }),
    webServerBackupId: await firstBackup('user.getBackups', {}),
    volumeBackupId: await made('volumeBackups.create', 'volumeBackupId', uploads),
    /** Of the application that was never deployed. */
    idleVolumeBackupId: await made('volumeBackups.create', 'volumeBackupId', data),
    domainId: await made('domain.create', 'domainId', { ...site, applicationId }),
    composeDomainId: await made('domain.create', 'domainId', {
      ...site,
      host: 'stack.example.test',
      composeId,
      serviceName: 'web',
      domainType: 'compose',
    }),
    mountId: await made('mounts.create', 'mountId', {
      type: 'volume',
      volumeName: 'uploads',
      mountPath: '/srv/uploads',
      serviceType: 'application',
      serviceId: applicationId,
    }),
    certificateId: await made('certificates.create', 'certificateId', {
      name: 'prepared',
      certificateData: 'certificate',
      privateKey: 'certificate key',
      organizationId: 'org_1',
      serverId: 'srv_1',
    }),
    aiId: (await act('ai.create', { ...model, isEnabled: true }), await newest('ai.getAll', 'aiId')),
    apiKeyId: await made('user.createApiKey', 'id', { name: 'second', metadata: { organizationId: 'org_1' } }),
  };
  await until(async () => {
    const application = await act('application.one', { applicationId });
    const compose = await act('compose.one', { composeId });
    return application['applicationStatus'] === 'done' && compose['composeStatus'] === 'done';
  });
  return { world, ids };
}

/** People and organizations, which no operation makes: a member, an organization more, and two invitations. */
function peopledWorld(): World {
  const world = seedWorld();
  addPerson(world, 'user_2', { canCreateServices: true });
  addOrganization(world, 'org_2');
  addMembership(world, 'user_1', 'org_2', { role: 'owner' });
  const invitation = {
    inviterId: 'user_1',
    expiresAt: '2100-01-01T00:00:00.000Z',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  addRow(world, 'invitation', { ...invitation, id: 'inv_1', organizationId: 'org_1', email: 'new@example.test' });
  addRow(world, 'invitation', { ...invitation, id: 'inv_2', organizationId: 'org_2', email: 'admin@example.test' });
  return world;
}
