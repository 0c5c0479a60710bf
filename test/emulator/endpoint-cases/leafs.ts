import { expect } from 'vitest';
import { columnsOf, notFound, row, type EndpointCase } from './endpoint-case.ts';

const domainColumns = [...columnsOf(['domain.create', 'domain.update']), 'uniqueConfigKey', 'createdAt'];
const mountColumns = columnsOf(['mounts.create', 'mounts.update'], ['serviceId']);
const mountWhole = [
  ...mountColumns,
  'application',
  'compose',
  'mariadb',
  'mongo',
  'mysql',
  'postgres',
  'redis',
  'libsql',
];
const backupColumns = [...columnsOf(['backup.create', 'backup.update']), 'appName'];
const volumeColumns = columnsOf(['volumeBackups.create', 'volumeBackups.update']);

/** The 9 endpoints of the `domain` group. */
export const domain: Readonly<Record<string, EndpointCase>> = {
  'domain.create': {
    input: ({ composeId }) => ({
      host: 'api.example.test',
      path: '/v1',
      https: true,
      certificateType: 'letsencrypt',
      composeId,
      serviceName: 'web',
      domainType: 'compose',
    }),
    has: domainColumns,
    async check({ answer, call, ids: { composeId } }) {
      const made = { host: 'api.example.test', path: '/v1', port: 3000, https: true, enabled: true, composeId };
      expect(answer).toMatchObject(made);
      const { domains } = row(await call('compose.one', { composeId }));
      expect(domains).toContainEqual(expect.objectContaining(made));
    },
  },
  'domain.byApplicationId': {
    input: ({ applicationId }) => ({ applicationId }),
    has: [...domainColumns, 'application'],
    async check({ answer, call, ids: { applicationId, domainId } }) {
      const application = { applicationId, name: 'prepared', appName: expect.any(String) as string };
      expect(answer).toMatchObject([{ domainId, application }]);
      expect(await call('domain.byApplicationId', { applicationId: 'unknown' })).toEqual([]);
    },
  },
  'domain.byComposeId': {
    input: ({ composeId }) => ({ composeId }),
    has: [...domainColumns, 'compose'],
    async check({ answer, call, ids: { composeId, composeDomainId } }) {
      expect(answer).toMatchObject([{ domainId: composeDomainId, compose: { composeId, name: 'prepared' } }]);
      expect(await call('domain.byComposeId', { composeId: 'unknown' })).toEqual([]);
    },
  },
  'domain.generateDomain': {
    input: { appName: 'shop', serverId: 'srv_1' },
    check: ({ answer }) => expect(answer).toMatch(/^shop-[a-z0-9]{6}-192-0-2-1\.[a-z.]+$/),
  },
  'domain.canGenerateTraefikMeDomains': {
    input: { serverId: 'srv_1' },
    async check({ answer, call }) {
      expect(answer).toBe('192.0.2.1');
      const unknown = call('domain.canGenerateTraefikMeDomains', { serverId: 'unknown' });
      await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  },
  'domain.update': {
    input: ({ domainId }) => ({ domainId, host: 'new.example.test', port: 9090, enabled: false }),
    has: domainColumns,
    async check({ answer, call, ids: { domainId } }) {
      const now = { host: 'new.example.test', port: 9090, enabled: false, https: true };
      expect(answer).toMatchObject(now);
      expect(await call('domain.one', { domainId })).toMatchObject(now);
    },
  },
  'domain.one': {
    input: ({ domainId }) => ({ domainId }),
    has: [...domainColumns, 'application'],
    check: ({ answer, ids: { domainId, applicationId } }) =>
      expect(answer).toMatchObject({ domainId, host: 'shop.example.test', application: { applicationId } }),
  },
  'domain.delete': {
    input: ({ domainId }) => ({ domainId }),
    has: domainColumns,
    async check({ answer, call, ids: { domainId, applicationId } }) {
      expect(answer).toMatchObject({ domainId });
      expect(await call('domain.byApplicationId', { applicationId })).toEqual([]);
    },
  },
  'domain.validateDomain': {
    input: { domain: 'shop.example.test', serverId: 'srv_1' },
    has: ['isValid'],
    check: ({ answer }) => expect(answer).toEqual({ isValid: false, error: expect.stringContaining('ENOTFOUND') }),
  },
};

/** The 5 endpoints of the `mounts` group. */
export const mounts: Readonly<Record<string, EndpointCase>> = {
  'mounts.create': {
    input: ({ composeId }) => ({
      type: 'file',
      filePath: 'shop.conf',
      content: 'a = 1\n',
      mountPath: 'shop.conf',
      serviceType: 'compose',
      serviceId: composeId,
    }),
    has: mountColumns,
    async check({ answer, call, ids: { composeId } }) {
      const made = { type: 'file', filePath: 'shop.conf', content: 'a = 1\n', composeId };
      expect(answer).toMatchObject(made);
      expect(answer).not.toHaveProperty('serviceId');
      expect(row(await call('compose.one', { composeId }))['mounts']).toMatchObject([made]);
    },
  },
  'mounts.remove': {
    input: ({ mountId }) => ({ mountId }),
    has: mountColumns,
    async check({ answer, call, ids: { mountId, applicationId } }) {
      expect(answer).toMatchObject({ mountId, mountPath: '/srv/uploads' });
      expect(row(await call('application.one', { applicationId }))['mounts']).toEqual([]);
    },
  },
  'mounts.one': {
    input: ({ mountId }) => ({ mountId }),
    has: mountWhole,
    check: ({ answer, ids: { applicationId } }) =>
      expect(answer).toMatchObject({
        applicationId,
        volumeName: 'uploads',
        application: { serverId: null, environment: { project: { organizationId: 'org_1' } } },
        compose: null,
      }),
  },
  // Answers what was there before.
  'mounts.update': {
    input: ({ mountId }) => ({ mountId, mountPath: '/srv/media' }),
    has: mountWhole,
    async check({ answer, call, ids: { mountId } }) {
      expect(answer).toMatchObject({ mountPath: '/srv/uploads' });
      expect(await call('mounts.one', { mountId })).toMatchObject({ mountPath: '/srv/media', volumeName: 'uploads' });
    },
  },
  'mounts.allNamedByApplicationId': {
    input: ({ applicationId }) => ({ applicationId }),
    has: ['Type', 'Name', 'Source', 'Destination'],
    async check({ answer, call, ids: { gitApplicationId } }) {
      expect(answer).toMatchObject([{ Type: 'volume', Name: 'uploads', Destination: '/srv/uploads' }]);
      expect(await call('mounts.allNamedByApplicationId', { applicationId: gitApplicationId })).toBeUndefined();
    },
  },
};

const plan = {
  schedule: '0 4 * * *',
  prefix: 'orders/',
  destinationId: 'dst_2',
  database: 'orders',
  enabled: false,
  keepLatestCount: 7,
};

/** A backup that is run by hand: done within the request, and listed with its owner. */
function byHand(
  backup: 'postgresBackupId' | 'mariadbBackupId' | 'composeBackupId' | 'webServerBackupId',
  list: 'postgres.one' | 'mariadb.one' | 'compose.one' | 'user.getBackups',
  owner?: 'postgresId' | 'mariadbId' | 'composeId',
): EndpointCase {
  return {
    input: (ids) => ({ backupId: ids[backup] }),
    async check({ answer, call, ids }) {
      expect(answer).toBe(true);
      const { backups } = row(await call(list, owner === undefined ? {} : { [owner]: ids[owner] }));
      expect(backups).toMatchObject([{ backupId: ids[backup], deployments: [{ status: 'done' }] }]);
    },
  };
}

/** A backup of an engine that the platform has no services of: there is nothing that could run. */
const nothingRuns: EndpointCase = {
  input: ({ postgresBackupId }) => ({ backupId: postgresBackupId }),
  refused: { status: 400, code: 'BAD_REQUEST', says: /no running container/ },
  check: async ({ call, ids: { postgresId } }) =>
    expect(row(await call('postgres.one', { postgresId }))['backups']).toMatchObject([
      { deployments: [{ status: 'error' }] },
    ]),
};

/** The 11 endpoints of the `backup` group. */
export const backup: Readonly<Record<string, EndpointCase>> = {
  'backup.create': {
    input: ({ postgresId }) => ({ ...plan, databaseType: 'postgres', postgresId }),
    check: async ({ call, ids: { postgresId } }) =>
      expect(row(await call('postgres.one', { postgresId }))['backups']).toContainEqual(
        expect.objectContaining({ ...plan, postgresId, databaseType: 'postgres', backupId: expect.any(String) }),
      ),
  },
  'backup.one': {
    input: ({ postgresBackupId }) => ({ backupId: postgresBackupId }),
    has: [...backupColumns, 'postgres', 'mysql', 'mariadb', 'mongo', 'libsql', 'compose', 'destination'],
    check({ answer, ids: { postgresId } }) {
      const destination = { destinationId: 'dst_1', bucket: 'bucket-1' };
      const postgres = { postgresId, databasePassword: 'correct-horse-1' };
      expect(answer).toMatchObject({ prefix: 'shop/', postgres, mariadb: null, compose: null, destination });
      expect(row(answer)['destination']).not.toHaveProperty('secretAccessKey');
    },
  },
  'backup.update': {
    input: ({ postgresBackupId }) => ({
      ...plan,
      backupId: postgresBackupId,
      databaseType: 'postgres',
      serviceName: null,
      metadata: null,
    }),
    check: async ({ call, ids: { postgresBackupId, postgresId } }) =>
      expect(await call('backup.one', { backupId: postgresBackupId })).toMatchObject({ ...plan, postgresId }),
  },
  'backup.remove': {
    input: ({ postgresBackupId }) => ({ backupId: postgresBackupId }),
    has: backupColumns,
    async check({ answer, call, ids: { postgresBackupId, postgresId } }) {
      expect(answer).toMatchObject({ backupId: postgresBackupId });
      expect(await call('postgres.one', { postgresId })).toMatchObject({ backups: [] });
    },
  },
  'backup.manualBackupPostgres': byHand('postgresBackupId', 'postgres.one', 'postgresId'),
  'backup.manualBackupMySql': nothingRuns,
  'backup.manualBackupMariadb': byHand('mariadbBackupId', 'mariadb.one', 'mariadbId'),
  'backup.manualBackupCompose': byHand('composeBackupId', 'compose.one', 'composeId'),
  'backup.manualBackupMongo': nothingRuns,
  'backup.manualBackupWebServer': byHand('webServerBackupId', 'user.getBackups'),
  'backup.listBackupFiles': {
    input: { destinationId: 'dst_1', search: 'shop/' },
    check: ({ answer }) => expect(answer).toEqual([]),
  },
};

/** The 6 endpoints of the `volumeBackups` group. */
export const volumeBackups: Readonly<Record<string, EndpointCase>> = {
  'volumeBackups.list': {
    input: ({ composeId }) => ({ id: composeId, volumeBackupType: 'compose' }),
    has: [...volumeColumns, 'compose'],
    check: ({ answer, ids: { volumeBackupId, composeId } }) =>
      expect(answer).toMatchObject([
        { volumeBackupId, compose: { composeId, appName: expect.any(String) as string, serverId: null } },
      ]),
  },
  'volumeBackups.create': {
    input: ({ applicationId }) => ({
      name: 'media',
      volumeName: 'uploads',
      prefix: 'media/',
      cronExpression: '0 5 * * *',
      destinationId: 'dst_1',
      serviceType: 'application',
      appName: 'media-copy',
      applicationId,
    }),
    has: volumeColumns,
    async check({ answer, call, ids: { applicationId } }) {
      // Left out, `enabled` stays null and the schedule never runs.
      const made = { name: 'media', appName: 'media-copy', enabled: null, turnOff: false, applicationId };
      expect(answer).toMatchObject(made);
      const list = await call('volumeBackups.list', { id: applicationId, volumeBackupType: 'application' });
      expect(list).toMatchObject([made]);
    },
  },
  'volumeBackups.one': {
    input: ({ volumeBackupId }) => ({ volumeBackupId }),
    has: [...volumeColumns, 'compose', 'destination'],
    check({ answer, ids: { composeId } }) {
      const compose = { composeId, environment: { project: { projectId: 'prj_1' } } };
      expect(answer).toMatchObject({ volumeName: 'uploads', compose, destination: { destinationId: 'dst_1' } });
      expect(row(answer)['destination']).not.toHaveProperty('secretAccessKey');
    },
  },
  'volumeBackups.delete': {
    input: ({ volumeBackupId }) => ({ volumeBackupId }),
    async check({ call, ids: { composeId, volumeBackupId } }) {
      expect(await call('volumeBackups.list', { id: composeId, volumeBackupType: 'compose' })).toEqual([]);
      await expect(call('volumeBackups.one', { volumeBackupId })).rejects.toMatchObject(notFound);
    },
  },
  'volumeBackups.update': {
    input: ({ volumeBackupId }) => ({
      volumeBackupId,
      name: 'renamed',
      volumeName: 'uploads',
      prefix: 'uploads/',
      cronExpression: '0 6 * * *',
      destinationId: 'dst_2',
      keepLatestCount: 3,
    }),
    has: volumeColumns,
    async check({ answer, call, ids: { volumeBackupId, composeId } }) {
      const now = {
        name: 'renamed',
        cronExpression: '0 6 * * *',
        destinationId: 'dst_2',
        keepLatestCount: 3,
        composeId,
      };
      expect(answer).toMatchObject(now);
      expect(await call('volumeBackups.one', { volumeBackupId })).toMatchObject(now);
    },
  },
  // Nothing when it worked, false with a 200 when not; its runs show in no operation of the document.
  'volumeBackups.runManually': {
    input: ({ volumeBackupId }) => ({ volumeBackupId }),
    async check({ answer, call, ids: { idleVolumeBackupId } }) {
      expect(answer).toBeUndefined();
      expect(await call('volumeBackups.runManually', { volumeBackupId: idleVolumeBackupId })).toBe(false);
    },
  },
};
