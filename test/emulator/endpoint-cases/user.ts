import { expect } from 'vitest';
import { columnsOf, names, notFound, row, rows, type EndpointCase } from './endpoint-case.ts';

const userColumns = columnsOf(['user.update'], ['password', 'currentPassword']);
const memberColumns = [...columnsOf(['user.assignPermissions']), 'organizationId', 'userId', 'role', 'isDefault'];
const permissions = {
  accessedProjects: ['prj_1'],
  accessedEnvironments: ['env_prj_1'],
  accessedServices: [],
  canCreateProjects: false,
  canCreateServices: true,
  canDeleteProjects: false,
  canDeleteServices: true,
  canAccessToDocker: false,
  canAccessToTraefikFiles: false,
  canAccessToAPI: true,
  canAccessToSSHKeys: false,
  canAccessToGitProviders: false,
  canDeleteEnvironments: false,
  canCreateEnvironments: true,
};
const key = { name: 'pipeline', prefix: 'ci_', expiresIn: 86_400, rateLimitEnabled: false };

/** The 18 endpoints of the `user` group. */
export const user: Readonly<Record<string, EndpointCase>> = {
  'user.all': {
    has: [...memberColumns, 'user'],
    check({ answer }) {
      const found = rows(answer).map((member) => [member['userId'], [member['role'], row(member['user'])['email']]]);
      expect(Object.fromEntries(found)).toEqual({
        user_1: ['owner', 'admin@example.test'],
        user_2: ['member', 'user_2@example.test'],
      });
      expect(Object.keys(row(rows(answer)[0]?.['user']))).toEqual(expect.arrayContaining([...userColumns]));
    },
  },
  'user.one': {
    input: { userId: 'user_2' },
    has: [...memberColumns, 'user'],
    async check({ answer, call }) {
      expect(answer).toMatchObject({
        userId: 'user_2',
        canCreateServices: true,
        user: { email: 'user_2@example.test' },
      });
      await expect(call('user.one', { userId: 'stranger' })).rejects.toMatchObject(notFound);
    },
  },
  'user.get': {
    has: [...memberColumns, 'user'],
    check({ answer }) {
      const { user, organizationId } = row(answer);
      expect(organizationId).toBe('org_1');
      expect(Object.keys(row(user))).toHaveLength(13);
      const keys = rows(row(user)['apiKeys']);
      expect(keys.map(({ name }) => name)).toContain('second');
      expect(Object.keys(keys[0] ?? {})).toEqual(['id', 'name', 'prefix', 'enabled', 'expiresAt', 'createdAt']);
    },
  },
  'user.haveRootAccess': { check: ({ answer }) => expect(answer).toBe(false) },
  'user.getBackups': {
    has: [...userColumns, 'backups', 'apiKeys'],
    check({ answer, ids: { webServerBackupId, apiKeyId } }) {
      // Here, and only here, destinations come with their keys.
      const destination = { destinationId: 'dst_1', secretAccessKey: 'secret-access-key-1' };
      expect(row(answer)['backups']).toMatchObject([{ backupId: webServerBackupId, destination, deployments: [] }]);
      const metadata = JSON.stringify({ organizationId: 'org_1' });
      expect(row(answer)['apiKeys']).toContainEqual(expect.objectContaining({ id: apiKeyId, metadata }));
    },
  },
  'user.getServerMetrics': {
    has: userColumns,
    check: ({ answer }) => expect(answer).toMatchObject({ id: 'user_1', email: 'admin@example.test' }),
  },
  'user.update': {
    input: { firstName: 'New', image: null },
    has: userColumns,
    async check({ answer, call }) {
      expect(answer).toMatchObject({ id: 'user_1', firstName: 'New', lastName: 'User' });
      expect(row(await call('user.get'))['user']).toMatchObject({ firstName: 'New' });
      await expect(call('user.update', {})).rejects.toMatchObject({ status: 400 });
    },
  },
  'user.getUserByToken': {
    input: { token: 'inv_1' },
    check: ({ answer }) =>
      expect(answer).toEqual({
        id: 'inv_1',
        email: 'new@example.test',
        status: 'pending',
        role: 'member',
        inviterId: 'user_1',
        isExpired: false,
        userAlreadyExists: false,
      }),
  },
  'user.getMetricsToken': {
    has: ['serverIp', 'enabledFeatures', 'metricsConfig'],
    check: ({ answer }) => expect(answer).toMatchObject({ enabledFeatures: false, metricsConfig: { server: {} } }),
  },
  'user.remove': {
    input: { userId: 'user_2' },
    async check({ call }) {
      await expect(call('user.one', { userId: 'user_2' })).rejects.toMatchObject(notFound);
      expect(await call('user.all')).toHaveLength(1);
    },
  },
  'user.assignPermissions': {
    input: { id: 'user_2', ...permissions, accessedGitProviders: ['git_hub_1'], accessedServers: ['srv_1'] },
    async check({ call }) {
      // Without a licence the platform ignores two lists, without a message.
      const kept = { ...permissions, accessedGitProviders: [], accessedServers: [] };
      expect(await call('user.one', { userId: 'user_2' })).toMatchObject(kept);
    },
  },
  'user.getInvitations': {
    has: ['id', 'email', 'role', 'status', 'expiresAt', 'organization'],
    check: ({ answer }) =>
      expect(answer).toMatchObject([{ id: 'inv_2', organization: { id: 'org_2', name: 'org_2' } }]),
  },
  // It asks the monitoring of a server, of which there is none.
  'user.getContainerMetrics': {
    input: { url: 'http://192.0.2.1:4500', token: 'metrics', appName: 'shop', dataPoints: '50' },
    refused: { status: 500, code: 'INTERNAL_SERVER_ERROR', says: /No monitoring data available for "shop"/ },
    check: () => undefined,
  },
  // A stub: the word itself.
  'user.generateToken': { check: ({ answer }) => expect(answer).toBe('token') },
  'user.deleteApiKey': {
    input: ({ apiKeyId }) => ({ apiKeyId }),
    async check({ answer, call, ids: { apiKeyId } }) {
      expect(answer).toBe(true);
      const { apiKeys } = row(row(await call('user.get'))['user']);
      expect(rows(apiKeys).map(({ id }) => id)).not.toContain(apiKeyId);
    },
  },
  'user.createApiKey': {
    input: { ...key, metadata: { organizationId: 'org_1' } },
    has: [
      ...names(
        'id name start prefix key configId referenceId refillInterval refillAmount rateLimitEnabled rateLimitTimeWindow rateLimitMax remaining enabled expiresAt createdAt updatedAt metadata permissions',
      ),
    ],
    async check({ answer, call }) {
      expect(answer).toMatchObject({ name: 'pipeline', prefix: 'ci_', rateLimitEnabled: false, metadata: null });
      expect(row(answer)['key']).toMatch(/^ci_.{32,}$/);
      const { apiKeys } = row(row(await call('user.get'))['user']);
      expect(apiKeys).toContainEqual(expect.objectContaining({ id: row(answer)['id'], name: 'pipeline' }));
    },
  },
  'user.checkUserOrganizations': {
    input: { userId: 'user_1' },
    check: ({ answer }) => expect(answer).toBe(2),
  },
  'user.sendInvitation': {
    input: { invitationId: 'inv_1', notificationId: 'ntf_1' },
    check: ({ answer }) => expect(answer).toMatch(/^https:\/\/.*inv_1$/),
  },
};
