import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { errorCodes } from '../../src/emulator/error-answers.ts';
import { servedOperations } from '../../src/emulator/served.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { governedOperations } from '../../src/emulator/member-rights.ts';
import type { TableName } from '../../src/emulator/tables.ts';
import { addRow, seedWorld, type World } from '../../src/emulator/world.ts';
import { callerOf } from './caller.ts';
import { addOrganization, addMembership, addPerson, keyFor } from './people.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const environmentId = 'env_prj_1';
const services = ['app', 'com', 'lib', 'mar', 'mon', 'mys', 'pos', 'red'];
const lists = {
  accessedProjects: ['prj_1'],
  accessedEnvironments: [environmentId, 'env_2'],
  accessedServices: services,
};
const flags = {
  canCreateProjects: true,
  canCreateServices: true,
  canDeleteServices: true,
  canAccessToSSHKeys: true,
  canAccessToGitProviders: true,
  canCreateEnvironments: true,
  canDeleteEnvironments: true,
};

const rows: [TableName, Row][] = [
  ['environment', { environmentId: 'env_2', name: 'staging', projectId: 'prj_1', createdAt }],
  ['environment', { environmentId: 'env_3', name: 'hidden', projectId: 'prj_1', createdAt }],
  ['application', { applicationId: 'app', appName: 'app', environmentId, createdAt, dockerImage: 'nginx' }],
  ['compose', { composeId: 'com', appName: 'com', environmentId, createdAt, sourceType: 'raw' }],
  ['mariadb', { mariadbId: 'mar', appName: 'mar', environmentId, createdAt, dockerImage: 'mariadb:6' }],
  ['postgres', { postgresId: 'pos', appName: 'pos', environmentId, createdAt, dockerImage: 'postgres:18' }],
  ['postgres', { postgresId: 'pos_2', appName: 'pos-2', environmentId, createdAt, dockerImage: 'postgres:18' }],
  ['redis', { redisId: 'red', appName: 'red', environmentId, createdAt, dockerImage: 'redis:8' }],
  ['mysql', { mysqlId: 'mys', appName: 'mys', environmentId, createdAt, dockerImage: 'mysql:8' }],
  ['mongo', { mongoId: 'mon', appName: 'mon', environmentId, createdAt, dockerImage: 'mongo:8' }],
  ['libsql', { libsqlId: 'lib', appName: 'lib', environmentId, createdAt, dockerImage: 'libsql:1' }],
  ['domain', { domainId: 'dom', host: 'a.test', applicationId: 'app', createdAt }],
  ['mount', { mountId: 'mou', type: 'volume', volumeName: 'v', mountPath: '/v', composeId: 'com' }],
  ['backup', { backupId: 'bac', appName: 'b', postgresId: 'pos', destinationId: 'dst_1' }],
  ['backup', { backupId: 'web', appName: 'w', databaseType: 'web-server', destinationId: 'dst_1' }],
  ['volumeBackup', { volumeBackupId: 'vol', name: 'v', applicationId: 'app', destinationId: 'dst_1', createdAt }],
  ['certificate', { certificateId: 'cer', name: 'c', certificatePath: 'c', organizationId: 'org_1' }],
  ['port', { portId: 'por', publishedPort: 8080, targetPort: 80, applicationId: 'app' }],
  ['redirect', { redirectId: 'rdr', regex: '^a$', replacement: 'b', applicationId: 'app', createdAt }],
  ['security', { securityId: 'sec', username: 'u', password: 'p', applicationId: 'app', createdAt }],
  ['schedule', { scheduleId: 'sch', name: 's', appName: 's', applicationId: 'app', createdAt }],
  ['schedule', { scheduleId: 'mac', name: 's', appName: 't', scheduleType: 'dokploy-server', organizationId: 'org_1' }],
  ['schedule', { scheduleId: 'far', name: 's', appName: 'f', scheduleType: 'server', serverId: 'srv_1' }],
  ['deployment', { deploymentId: 'run', applicationId: 'app', createdAt }],
  ['deployment', { deploymentId: 'far', scheduleId: 'far', createdAt }],
  ['tag', { tagId: 'tag', name: 't', organizationId: 'org_1', createdAt }],
  ['ai', { aiId: 'ai', name: 'ai', organizationId: 'org_1', createdAt }],
  ['invitation', { id: 'inv', organizationId: 'org_1', email: 'x@example.test', inviterId: 'user_1', createdAt }],
];

/** A world in which everything that is asked for belongs to `org_1`. */
function world(): World {
  const made = seedWorld();
  for (const [table, row] of rows) addRow(made, table, row);
  addOrganization(made, 'org_2', 'stranger');
  addPerson(made, 'admin', { role: 'admin' });
  addPerson(made, 'nobody');
  addPerson(made, 'reader', lists);
  addPerson(made, 'worker', { ...lists, ...flags });
  addRow(made, 'user', { id: 'stranger', email: 'stranger@example.test', createdAt });
  addMembership(made, 'stranger', 'org_2', { role: 'owner' });
  return made;
}

/** Members of `org_1` without anything, with lists, with lists and flags; and the owner of another organization. */
const callers = ['admin', 'nobody', 'reader', 'worker', 'stranger'] as const;

function ask(caller: 'owner' | (typeof callers)[number], operation: string, input: Row, made = world()) {
  const key = keyFor(caller, caller === 'stranger' ? 'org_2' : 'org_1');
  return callerOf(createEmulator({ world: made }).send, caller === 'owner' ? undefined : key)(operation, input);
}

type Refusals = Partial<Record<(typeof callers)[number], 400 | 401 | 403 | 404>>;

// Section by section: service -> in the list; configuring and deleting -> with the flag; and so on.
const used: Refusals = { nobody: 401, stranger: 401 };
const flagged: Refusals = { nobody: 401, reader: 401, stranger: 401 };
const members: Refusals = { nobody: 401, reader: 401, worker: 401 };
const foreign: Refusals = { stranger: 401 };
/** The same where the platform turns every failure into 400. */
const asBadRequest = (refusals: Refusals): Refusals =>
  Object.fromEntries(Object.keys(refusals).map((caller) => [caller, 400]));

/** The platform does not ask whose organization it is. */
const unowned: Refusals = { nobody: 401 };
const flaggedUnowned: Refusals = { nobody: 401, reader: 401 };
const machines: Refusals = { nobody: 403, reader: 403, worker: 403 };

const database = { name: 'd', environmentId, databaseName: 'd', databaseUser: 'u', databasePassword: 'p' };
const schedule = {
  schedule: '0 0 * * *',
  prefix: '/',
  destinationId: 'dst_1',
  database: 'd',
  databaseType: 'postgres',
};
const about = { Type: 'CPU', Value: 90, Threshold: 80, Message: 'm', Timestamp: createdAt };
const reported = { ServerType: 'Remote', ...about, Token: '' };
const provided = { name: 'n', gitProviderId: 'git_sfg_1' };

/** Who is refused and how; all others get what the owner gets. */
const cases: [operation: string, input: Row, refusals: Refusals][] = [
  ['application.create', { name: 'n', environmentId }, flagged],
  ['application.one', { applicationId: 'app' }, used],
  ['application.saveEnvironment', save({ applicationId: 'app' }), used],
  ['application.stop', { applicationId: 'app' }, used],
  ['application.markRunning', { applicationId: 'app' }, used],
  ['application.clearDeployments', { applicationId: 'app' }, unowned],
  ['application.refreshToken', { applicationId: 'app' }, flaggedUnowned],
  ['application.readTraefikConfig', { applicationId: 'app' }, { nobody: 401, reader: 401, worker: 401 }],
  ['application.disconnectGitProvider', { applicationId: 'app' }, flagged],
  ['application.delete', { applicationId: 'app' }, flagged],
  ['compose.create', { name: 'n', environmentId }, flagged],
  ['compose.one', { composeId: 'com' }, used],
  ['compose.deploy', { composeId: 'com' }, used],
  ['compose.cleanQueues', { composeId: 'com' }, used],
  ['compose.update', { composeId: 'com', name: 'n' }, flagged],
  ['compose.refreshToken', { composeId: 'com' }, flagged],
  ['compose.fetchSourceType', { composeId: 'com' }, asBadRequest(flagged)],
  ['compose.saveEnvironment', { composeId: 'com', env: 'A=1' }, unowned],
  ['compose.clearDeployments', { composeId: 'com' }, unowned],
  ['compose.disconnectGitProvider', { composeId: 'com' }, flaggedUnowned],
  ['compose.move', { composeId: 'com', targetEnvironmentId: 'env_2' }, flaggedUnowned],
  ['compose.readLogs', { composeId: 'com', containerId: 'x' }, used],
  ['compose.search', {}, {}],
  ['deployment.all', { applicationId: 'app' }, unowned],
  ['deployment.allByCompose', { composeId: 'com' }, unowned],
  ['deployment.allByServer', { serverId: 'srv_1' }, foreign],
  ['deployment.allByType', { id: 'bac', type: 'backup' }, { nobody: 401, reader: 401, worker: 401 }],
  ['deployment.allByType', { id: 'sch', type: 'schedule' }, unowned],
  ['deployment.removeDeployment', { deploymentId: 'run' }, unowned],
  ['deployment.removeDeployment', { deploymentId: 'far' }, foreign],
  ['deployment.queueList', {}, {}],
  ['environment.search', {}, {}],
  ['gitProvider.allForPermissions', {}, members],
  ['mounts.listByServiceId', { serviceType: 'compose', serviceId: 'com' }, used],
  ['notification.receiveNotification', reported, {}],
  ['overview.backups', {}, {}],
  ['project.homeStats', {}, {}],
  ['server.getDefaultCommand', { serverId: 'srv_1' }, members],
  ['server.getServerTime', {}, {}],
  ['compose.delete', { composeId: 'com', deleteVolumes: false }, flagged],
  ['mariadb.create', database, flagged],
  ['mariadb.one', { mariadbId: 'mar' }, used],
  ['mariadb.saveEnvironment', { mariadbId: 'mar', env: 'A=1' }, used],
  ['mariadb.deploy', { mariadbId: 'mar' }, used],
  ['mariadb.update', { mariadbId: 'mar', name: 'n' }, flagged],
  ['mariadb.move', { mariadbId: 'mar', targetEnvironmentId: 'env_2' }, flagged],
  ['mariadb.remove', { mariadbId: 'mar' }, flagged],
  ['postgres.one', { postgresId: 'pos' }, used],
  ['postgres.one', { postgresId: 'pos_2' }, { ...used, reader: 401, worker: 401 }],
  ['postgres.saveExternalPort', { postgresId: 'pos', externalPort: 5432 }, flagged],
  ['postgres.changePassword', { postgresId: 'pos', password: 'p' }, flagged],
  ['postgres.readLogs', { postgresId: 'pos' }, used],
  ['postgres.search', {}, {}],
  ['redis.rebuild', { redisId: 'red' }, used],
  ['mysql.create', database, flagged],
  ['mysql.one', { mysqlId: 'mys' }, used],
  ['mysql.remove', { mysqlId: 'mys' }, flagged],
  // Of these a stranger, who owns another organization, is not asked.
  ['mysql.update', { mysqlId: 'mys', name: 'n' }, flaggedUnowned],
  ['mysql.changePassword', { mysqlId: 'mys', password: 'p' }, flaggedUnowned],
  ['mongo.deploy', { mongoId: 'mon' }, { nobody: 401 }],
  ['libsql.saveExternalPorts', { libsqlId: 'lib', externalPort: 8080 }, flaggedUnowned],
  ['redis.changeStatus', { redisId: 'red', applicationStatus: 'done' }, used],

  ['domain.create', { host: 'b.test', composeId: 'com', domainType: 'compose' }, asBadRequest(used)],
  ['domain.create', { host: 'b.test', applicationId: 'app' }, asBadRequest(used)],
  ['domain.one', { domainId: 'dom' }, used],
  ['domain.update', { domainId: 'dom', host: 'c.test' }, used],
  ['domain.delete', { domainId: 'dom' }, used],
  ['domain.byApplicationId', { applicationId: 'app' }, used],
  ['domain.byComposeId', { composeId: 'com' }, used],
  ['domain.canGenerateTraefikMeDomains', { serverId: 'srv_1' }, foreign],
  ['domain.validateDomain', { domain: 'a.test' }, {}],
  [
    'mounts.create',
    { type: 'volume', volumeName: 'v', mountPath: '/', serviceId: 'com', serviceType: 'compose' },
    asBadRequest(used),
  ],
  ['mounts.one', { mountId: 'mou' }, used],
  ['mounts.update', { mountId: 'mou', mountPath: '/w' }, used],
  ['mounts.remove', { mountId: 'mou' }, used],
  ['mounts.allNamedByApplicationId', { applicationId: 'app' }, used],
  ['backup.create', { ...schedule, postgresId: 'pos' }, asBadRequest(used)],
  ['backup.one', { backupId: 'bac' }, used],
  ['backup.one', { backupId: 'web' }, foreign],
  ['backup.remove', { backupId: 'bac' }, asBadRequest(used)],
  ['backup.manualBackupWebServer', { backupId: 'web' }, foreign],
  ['backup.listBackupFiles', { destinationId: 'dst_1', search: '/' }, asBadRequest(foreign)],
  ['volumeBackups.list', { id: 'app', volumeBackupType: 'application' }, used],
  ['volumeBackups.one', { volumeBackupId: 'vol' }, used],
  ['volumeBackups.delete', { volumeBackupId: 'vol' }, used],

  ['environment.create', { name: 'n', projectId: 'prj_1' }, { nobody: 401, reader: 401, stranger: 403 }],
  ['environment.one', { environmentId }, { nobody: 403, stranger: 403 }],
  ['environment.one', { environmentId: 'env_3' }, { nobody: 403, reader: 403, worker: 403, stranger: 403 }],
  ['environment.byProjectId', { projectId: 'prj_1' }, { stranger: 400 }],
  ['environment.update', { environmentId: 'env_2', name: 'n' }, { nobody: 400, stranger: 400 }],
  ['environment.duplicate', { environmentId: 'env_2', name: 'n' }, { nobody: 400, stranger: 400 }],
  ['environment.remove', { environmentId: 'env_2' }, { nobody: 401, reader: 401, stranger: 403 }],
  ['environment.remove', { environmentId: 'env_3' }, { nobody: 401, reader: 401, worker: 401, stranger: 403 }],

  ['sshKey.all', {}, { nobody: 401, reader: 401 }],
  ['sshKey.one', { sshKeyId: 'key_1' }, flagged],
  ['sshKey.update', { sshKeyId: 'key_1', name: 'n' }, { nobody: 401, reader: 401, stranger: 400 }],
  ['sshKey.remove', { sshKeyId: 'key_1' }, flagged],
  ['certificates.all', {}, members],
  ['certificates.one', { certificateId: 'cer' }, { ...members, stranger: 401 }],
  ['certificates.remove', { certificateId: 'cer' }, { ...members, stranger: 401 }],
  ['github.one', { githubId: 'hub_1' }, { nobody: 403, reader: 403, worker: 403, stranger: 404 }],
  ['gitlab.getGitlabRepositories', { gitlabId: 'lab_1' }, { nobody: 403, reader: 403, worker: 403, stranger: 404 }],
  ['bitbucket.testConnection', { bitbucketId: 'bkt_1' }, { nobody: 400, reader: 400, worker: 400, stranger: 400 }],
  ['gitea.create', { giteaUrl: 'https://s.test', name: 'n' }, { nobody: 401, reader: 401 }],
  ['gitea.update', { giteaId: 'sfg_1', giteaUrl: 'https://s.test', ...provided }, { nobody: 401, reader: 401 }],
  ['gitea.getGiteaUrl', { giteaId: 'sfg_1' }, {}],
  ['gitea.giteaProviders', {}, {}],
  ['ai.getAll', {}, members],
  ['ai.one', { aiId: 'ai' }, members],
  ['ai.delete', { aiId: 'ai' }, members],
  ['ai.getModels', { apiUrl: 'https://ai.test', apiKey: 'k' }, members],
  ['stripe.getProducts', {}, members],

  ['organization.create', { name: 'n' }, { nobody: 403, reader: 403, worker: 403 }],
  ['organization.all', {}, {}],
  ['organization.one', { organizationId: 'org_1' }, { stranger: 403 }],
  ['organization.one', { organizationId: 'nothing' }, {}],
  ['organization.setDefault', { organizationId: 'org_1' }, { stranger: 403 }],
  [
    'organization.update',
    { organizationId: 'org_1', name: 'n' },
    { admin: 403, nobody: 403, reader: 403, worker: 403, stranger: 403 },
  ],
  ['organization.allInvitations', {}, members],
  ['organization.removeInvitation', { invitationId: 'inv' }, { ...members, stranger: 403 }],
  ['user.all', {}, members],
  ['user.one', { userId: 'nobody' }, { reader: 401, worker: 401, stranger: 404 }],
  ['user.remove', { userId: 'nobody' }, { nobody: 403, reader: 403, worker: 403, stranger: 404 }],
  ['user.remove', { userId: 'admin' }, { admin: 403, nobody: 403, reader: 403, worker: 403, stranger: 404 }],
  ['user.getBackups', {}, members],
  ['user.sendInvitation', { invitationId: 'inv', notificationId: 'n' }, { ...members, stranger: 403 }],
  ['user.checkUserOrganizations', { userId: 'nobody' }, { reader: 403, worker: 403, stranger: 403 }],
  ['user.createApiKey', { name: 'k', metadata: { organizationId: 'org_1' } }, { stranger: 403 }],
  ['user.deleteApiKey', { apiKeyId: 'apikey_1' }, { admin: 401, ...flagged, worker: 401 }],
  ['user.get', {}, {}],
  ['user.getMetricsToken', {}, {}],

  ['port.create', { applicationId: 'app', publishedPort: 1, targetPort: 1 }, asBadRequest(flaggedUnowned)],
  ['port.one', { portId: 'por' }, asBadRequest(unowned)],
  ['port.update', { portId: 'por', publishedPort: 1, targetPort: 1 }, flaggedUnowned],
  ['port.delete', { portId: 'por' }, flaggedUnowned],
  ['redirects.create', { applicationId: 'app', regex: 'a', replacement: 'b', permanent: true }, flaggedUnowned],
  ['redirects.one', { redirectId: 'rdr' }, unowned],
  ['redirects.delete', { redirectId: 'rdr' }, flaggedUnowned],
  ['security.create', { applicationId: 'app', username: 'v', password: 'p' }, flaggedUnowned],
  ['security.one', { securityId: 'sec' }, unowned],
  ['security.delete', { securityId: 'sec' }, flaggedUnowned],
  ['schedule.create', { name: 's', cronExpression: '@daily', command: 'true', applicationId: 'app' }, unowned],
  ['schedule.create', { name: 's', cronExpression: '@daily', command: '', scheduleType: 'dokploy-server' }, machines],
  ['schedule.list', { id: 'app', scheduleType: 'application' }, unowned],
  ['schedule.list', { id: 'x', scheduleType: 'dokploy-server' }, machines],
  ['schedule.one', { scheduleId: 'sch' }, unowned],
  ['schedule.delete', { scheduleId: 'mac' }, machines],
  ['tag.all', {}, {}],
  ['tag.create', { name: 'n' }, members],
  ['tag.remove', { tagId: 'tag' }, { ...members, stranger: 404 }],
  ['tag.bulkAssign', { projectId: 'prj_1', tagIds: ['tag'] }, used],

  ['project.create', { name: 'n' }, { nobody: 400, reader: 400 }],
  ['project.one', { projectId: 'prj_1' }, used],
  ['project.one', { projectId: 'prj_2' }, { ...flagged, worker: 401 }],
  ['project.all', {}, {}],
  ['project.update', { projectId: 'prj_1', name: 'n' }, used],
  ['project.remove', { projectId: 'prj_1' }, { ...members, stranger: 401 }],
  ['server.all', {}, members],
];

describe('rights', () => {
  test.each(cases)('%s %o is refused to %o only', async (operation, input, refusals) => {
    const owner = await ask('owner', operation, input);
    for (const caller of callers) {
      const { status, body } = await ask(caller, operation, input);
      const refused = refusals[caller];
      expect([caller, status]).toEqual([caller, refused ?? owner.status]);
      if (refused === undefined) continue;
      expect(errorCodes[body['code'] as keyof typeof errorCodes][0]).toBe(refused);
      expect(owner.status).not.toBe(refused);
    }
  });

  test('exist for every operation, and for nothing else', () => {
    expect(governedOperations.toSorted()).toEqual(servedOperations.toSorted());
  });

  test('are checked before the input where a flag guards a whole operation, and after it where the id counts', async () => {
    expect((await ask('nobody', 'sshKey.one', {})).status).toBe(401);
    expect((await ask('worker', 'sshKey.one', {})).status).toBe(400);
    expect((await ask('nobody', 'compose.one', {})).status).toBe(400);
  });
});

describe('hidden from a member', () => {
  test.each(['compose.one', 'compose.deploy', 'compose.cleanQueues'])(
    'is whether there is such a service: %s of an unknown id is 401',
    async (operation) => {
      expect((await ask('worker', operation, { composeId: 'unknown' })).status).toBe(401);
    },
  );

  test('are objects without access: lists show only his own', async () => {
    const names = async (caller: 'owner' | 'reader', operation: string, input: Row, list?: string) => {
      const { body } = await ask(caller, operation, input);
      const found = (list === undefined ? body : body[list]) as Row[];
      return new Set(found.map((row) => row['postgresId'] ?? row['environmentId'] ?? row['projectId']));
    };
    expect(await names('owner', 'environment.one', { environmentId }, 'postgres')).toEqual(new Set(['pos', 'pos_2']));
    expect(await names('reader', 'environment.one', { environmentId }, 'postgres')).toEqual(new Set(['pos']));
    expect(await names('owner', 'environment.byProjectId', { projectId: 'prj_1' })).toEqual(
      new Set([environmentId, 'env_2', 'env_3']),
    );
    expect(await names('reader', 'environment.byProjectId', { projectId: 'prj_1' })).toEqual(
      new Set(['env_2', environmentId]),
    );
    expect(await names('owner', 'project.all', {})).toEqual(new Set(['prj_1', 'prj_2']));
    expect(await names('reader', 'project.all', {})).toEqual(new Set(['prj_1']));
    // Here the owner too sees only what is in his list, and he has made none of these.
    expect(await names('owner', 'postgres.search', {}, 'items')).toEqual(new Set([]));
    expect(await names('reader', 'postgres.search', {}, 'items')).toEqual(new Set(['pos']));
  });

  test('is a database that was moved into another organization', async () => {
    const made = world();
    const call = callerOf(createEmulator({ world: made }).send);
    const { body } = await call('postgres.create', database);
    const total = async () => (await call('postgres.search')).body['total'];
    expect(await total()).toBe(1);
    await call('postgres.move', { postgresId: body['postgresId'], targetEnvironmentId: 'env_org_2' });
    expect(await total()).toBe(0);
  });
});

describe('the git providers of a member', () => {
  const one = { bitbucketId: 'bkt_1' };

  async function seen(change: (made: World) => void) {
    const made = world();
    change(made);
    const { status } = await ask('reader', 'bitbucket.one', one, made);
    const listed = await ask('reader', 'bitbucket.bitbucketProviders', {}, made);
    return [status, (listed.body as unknown as unknown[]).length];
  }
  const change = (made: World, table: TableName, id: string, values: Row) =>
    Object.assign(made.tables[table][id] ?? {}, values);

  test('are his own and those that are shared', async () => {
    expect(await seen(() => {})).toEqual([403, 0]);
    expect(await seen((made) => change(made, 'gitProvider', 'git_bkt_1', { userId: 'reader' }))).toEqual([200, 1]);
    expect(await seen((made) => change(made, 'gitProvider', 'git_bkt_1', { sharedWithOrganization: true }))).toEqual([
      200, 1,
    ]);
  });

  test('are those in his list only when the owner has a licence', async () => {
    const list = (made: World) => change(made, 'member', 'reader@org_1', { accessedGitProviders: ['git_bkt_1'] });
    expect(await seen(list)).toEqual([403, 0]);
    const licence = { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true };
    expect(
      await seen((made) => {
        list(made);
        change(made, 'user', 'user_1', licence);
      }),
    ).toEqual([200, 1]);
  });
});

function save(id: Row): Row {
  return { ...id, env: 'A=1', buildArgs: null, buildSecrets: null, createEnvFile: true };
}
