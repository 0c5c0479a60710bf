import { expect } from 'vitest';
import { parse } from 'yaml';
import { until } from '../caller.ts';
import { columnsOf, names, notFound, row, rows, type Call, type EndpointCase } from './endpoint-case.ts';

/** A deployment that ends only when it is killed. Milliseconds. */
const forever = 3_600_000;

const columns = columnsOf(['compose.create', 'compose.update']);
const whole = [
  ...columns,
  ...names('environment deployments mounts domains github gitlab bitbucket gitea server backups'),
];

/** The deployments of a compose by title. */
async function runs(call: Call, composeId: string): Promise<Readonly<Record<string, unknown>>> {
  const { deployments } = row(await call('compose.one', { composeId }));
  return Object.fromEntries(rows(deployments).map(({ title, status }) => [title, status]));
}

/** A deployment that is ordered: the answer comes before the work, which shows in the list of deployments. */
const ordered = (message: string): EndpointCase => ({
  input: ({ composeId }) => ({ composeId, title: 'once more', description: 'by hand' }),
  has: ['success', 'message', 'composeId'],
  async check({ answer, call, ids: { composeId } }) {
    expect(answer).toEqual({ success: true, message, composeId });
    await until(async () => (await runs(call, composeId))['once more'] === 'done');
  },
});

const services = (yaml: unknown): string[] => Object.keys((parse(String(yaml)) as { services: object }).services);

/** The 19 endpoints of the `compose` group. */
export const compose: Readonly<Record<string, EndpointCase>> = {
  'compose.create': {
    input: ({ environmentId }) => ({ environmentId, name: 'stack', sourceType: 'raw', composeFile: 'services: {}\n' }),
    has: [...columns, 'composeStatus', 'refreshToken'],
    async check({ answer, call, ids: { environmentId } }) {
      expect(answer).toMatchObject({ name: 'stack', composeFile: 'services: {}\n', composeStatus: 'idle' });
      expect(row(answer)['appName']).toMatch(/^compose(?:-[a-z0-9]+){3,6}-[a-z0-9]{6}$/);
      expect(Object.keys(row(answer))).toHaveLength(48);
      const environment = row(await call('environment.one', { environmentId }));
      const { composeId } = row(answer);
      expect(environment['compose']).toContainEqual(expect.objectContaining({ composeId, name: 'stack' }));
    },
  },
  'compose.one': {
    input: ({ composeId }) => ({ composeId }),
    has: [...whole, 'hasGitProviderAccess', 'unauthorizedProvider'],
    check: ({ answer, ids: { composeDomainId, composeBackupId } }) =>
      expect(answer).toMatchObject({
        sourceType: 'raw',
        composeStatus: 'done',
        environment: { project: { projectId: 'prj_1' } },
        domains: [{ domainId: composeDomainId }],
        backups: [{ backupId: composeBackupId, destination: { destinationId: 'dst_1' }, deployments: [] }],
      }),
  },
  'compose.update': {
    input: ({ composeId }) => ({ composeId, name: 'renamed', env: 'A=1\n', autoDeploy: false, appName: 'ignored' }),
    has: columns,
    async check({ answer, call, ids: { composeId } }) {
      const now = { name: 'renamed', env: 'A=1\n', autoDeploy: false };
      expect(answer).toMatchObject(now);
      expect(await call('compose.one', { composeId })).toMatchObject(now);
      expect(row(answer)['appName']).not.toBe('ignored');
      expect(await call('compose.update', { composeId: 'unknown', name: 'x' })).toBeUndefined();
    },
  },
  'compose.delete': {
    input: ({ composeId }) => ({ composeId, deleteVolumes: true }),
    has: whole,
    async check({ answer, call, ids: { composeId, composeDomainId } }) {
      expect(answer).toMatchObject({ composeId, domains: [{ domainId: composeDomainId }] });
      await expect(call('compose.one', { composeId })).rejects.toMatchObject(notFound);
    },
  },
  'compose.cleanQueues': {
    input: ({ composeId }) => ({ composeId }),
    deployDelayMs: forever,
    has: ['success', 'message'],
    // The second waits for the first, one deployment at a time.
    async before({ call, ids: { composeId } }) {
      await call('compose.deploy', { composeId, title: 'first' });
      await call('compose.deploy', { composeId, title: 'second' });
    },
    async check({ answer, call, ids: { composeId } }) {
      expect(answer).toMatchObject({ success: true });
      await call('compose.deploy', { composeId, title: 'third' });
      await until(async () => (await runs(call, composeId))['first'] === 'running');
      await call('compose.killBuild', { composeId });
      await until(async () => (await runs(call, composeId))['third'] !== undefined);
      expect(await runs(call, composeId)).not.toHaveProperty('second');
    },
  },
  'compose.killBuild': {
    input: ({ composeId }) => ({ composeId }),
    deployDelayMs: forever,
    async before({ call, ids: { composeId } }) {
      await call('compose.deploy', { composeId, title: 'first' });
      await until(async () => (await runs(call, composeId))['first'] === 'running');
    },
    check: ({ call, ids: { composeId } }) => until(async () => (await runs(call, composeId))['first'] === 'error'),
  },
  'compose.loadServices': {
    input: ({ composeId }) => ({ composeId, type: 'cache' }),
    check: ({ answer }) => expect(answer).toEqual(['web', 'db']),
  },
  'compose.loadMountsByService': {
    input: ({ composeId }) => ({ composeId, serviceName: 'web' }),
    has: ['Type', 'Name', 'Source', 'Destination'],
    async check({ answer, call, ids: { composeId, environmentId } }) {
      const { appName } = row(await call('compose.one', { composeId }));
      const volume = { Type: 'volume', Name: `${String(appName)}_uploads`, Destination: '/srv/uploads' };
      expect(answer).toMatchObject([volume]);
      const idle = row(await call('compose.create', { environmentId, name: 'idle', sourceType: 'raw' }));
      const input = { composeId: idle['composeId'], serviceName: 'web' };
      expect(await call('compose.loadMountsByService', input)).toBeUndefined();
    },
  },
  'compose.fetchSourceType': {
    input: ({ composeId }) => ({ composeId }),
    check: ({ answer }) => expect(answer).toBe('raw'),
  },
  'compose.randomizeCompose': {
    input: ({ composeId }) => ({ composeId, suffix: 'x1' }),
    async check({ answer, call, ids: { composeId } }) {
      expect(services(answer)).toEqual(['web-x1', 'db-x1']);
      expect(services(row(await call('compose.one', { composeId }))['composeFile'])).toEqual(['web', 'db']);
    },
  },
  'compose.isolatedDeployment': {
    input: ({ composeId }) => ({ composeId }),
    async check({ answer, call, ids: { composeId } }) {
      expect(services(answer)).toEqual(['web', 'db']);
      expect(await call('compose.one', { composeId })).toMatchObject({ isolatedDeployment: false });
    },
  },
  'compose.getConvertedCompose': {
    input: ({ composeId }) => ({ composeId }),
    check: ({ answer }) => expect(services(answer)).toEqual(['web', 'db']),
  },
  'compose.deploy': ordered('Deployment queued'),
  'compose.redeploy': ordered('Redeployment queued'),
  'compose.stop': {
    input: ({ composeId }) => ({ composeId }),
    async check({ answer, call, ids: { composeId } }) {
      expect(answer).toBe(true);
      expect(await call('compose.one', { composeId })).toMatchObject({ composeStatus: 'idle' });
    },
  },
  'compose.start': {
    input: ({ composeId }) => ({ composeId }),
    before: ({ call, ids: { composeId } }) => call('compose.stop', { composeId }),
    async check({ answer, call, ids: { composeId } }) {
      expect(answer).toBe(true);
      expect(await call('compose.one', { composeId })).toMatchObject({ composeStatus: 'done' });
    },
  },
  'compose.getDefaultCommand': {
    input: ({ composeId }) => ({ composeId }),
    async check({ answer, call, ids: { composeId } }) {
      const { appName } = row(await call('compose.one', { composeId }));
      expect(answer).toMatch(new RegExp(`^docker compose -p ${String(appName)} `));
    },
  },
  'compose.refreshToken': {
    input: ({ composeId }) => ({ composeId }),
    before: ({ call, ids: { composeId } }) => call('compose.update', { composeId, refreshToken: 'old-token' }),
    async check({ answer, call, ids: { composeId } }) {
      expect(answer).toBe(true);
      expect(row(await call('compose.one', { composeId }))['refreshToken']).toMatch(/^(?!old-token$).{10,}$/);
    },
  },
  // Its body is not shown in the document, and the templates are on the internet.
  'compose.deployTemplate': {
    input: ({ environmentId }) => ({ environmentId, id: 'wiki' }),
    refused: { status: 400, code: 'BAD_REQUEST', says: /templates are on the internet/ },
    check: async ({ call, ids: { environmentId, composeId } }) =>
      expect(row(await call('environment.one', { environmentId }))['compose']).toMatchObject([{ composeId }]),
  },
};
