import { expect } from 'vitest';
import type { Operation } from '../../../src/api/contract.ts';
import { columnsOf, notFound, row, type EndpointCase, type Row } from './endpoint-case.ts';

type Database = 'mariadb' | 'postgres' | 'redis';

/** The 12 endpoints that the three kinds of databases share. */
function shared(kind: Database): Readonly<Record<string, EndpointCase>> {
  const operation = (name: string) => `${kind}.${name}` as Operation; // all three have these
  const key = `${kind}Id` as const;
  const columns = [...columnsOf([operation('create'), operation('update')]), 'applicationStatus', 'createdAt'];
  const whole = [...columns, 'environment', 'mounts', 'server', ...(kind === 'redis' ? [] : ['backups'])];
  const login = kind === 'redis' ? {} : { databaseName: 'orders', databaseUser: 'orders' };

  /** A write to the prepared database: it answers true, or what was there before it with its stale status and port. */
  const write = (
    name: string,
    change: {
      readonly input?: Row;
      readonly first?: string;
      readonly from?: Row;
      readonly to: Row;
    },
  ): Readonly<Record<string, EndpointCase>> => {
    const { input, first, from, to } = change;
    return {
      [operation(name)]: {
        input: (ids) => ({ [key]: ids[key], ...input }),
        before: async ({ call, ids }) =>
          first === undefined ? undefined : call(operation(first), { [key]: ids[key] }),
        has: from === undefined ? [] : whole,
        async check({ answer, call, ids }) {
          if (from === undefined) expect(answer).toBe(true);
          else expect(answer).toMatchObject({ [key]: ids[key], ...from });
          expect(await call(operation('one'), { [key]: ids[key] })).toMatchObject(to);
        },
      },
    };
  };
  const isDone = { applicationStatus: 'done' };
  const isIdle = { applicationStatus: 'idle' };
  const settings = {
    name: 'renamed',
    replicas: 2,
    memoryLimit: '536870912',
    healthCheckSwarm: { Test: ['CMD', 'true'] },
  };

  return {
    [operation('create')]: {
      input: ({ environmentId }) => ({
        environmentId,
        name: 'orders',
        appName: 'Orders',
        databasePassword: 'horse',
        ...login,
      }),
      has: columns,
      async check({ answer, call, ids: { environmentId } }) {
        const { [key]: id, appName } = row(answer);
        expect(answer).toMatchObject({
          name: 'orders',
          databasePassword: 'horse',
          applicationStatus: 'idle',
          ...login,
        });
        expect(appName).toMatch(/^orders-[a-z0-9]{6}$/);
        const mounts = [{ type: 'volume', volumeName: `${String(appName)}-data`, serviceType: kind }];
        expect(await call(operation('one'), { [key]: id })).toMatchObject({ mounts });
        const environment = row(await call('environment.one', { environmentId }));
        expect(environment[kind]).toContainEqual(expect.objectContaining({ [key]: id, name: 'orders' }));
      },
    },
    [operation('one')]: {
      input: (ids) => ({ [key]: ids[key] }),
      has: whole,
      check({ answer, ids }) {
        const nested = { environment: { project: { projectId: 'prj_1' } }, mounts: [{ type: 'volume' }], server: null };
        expect(answer).toMatchObject({ databasePassword: 'correct-horse-1', applicationStatus: 'done', ...nested });
        if (kind === 'redis') return expect(answer).not.toHaveProperty('backups');
        const backups = [{ backupId: ids[`${kind}BackupId`], destination: { destinationId: 'dst_1' } }];
        expect(answer).toMatchObject({ backups });
        expect(row(answer)['backups']).not.toHaveProperty('0.destination.secretAccessKey');
      },
    },
    ...write('stop', { from: isDone, to: isIdle }),
    ...write('start', { first: 'stop', from: isIdle, to: isDone }),
    ...write('deploy', { first: 'stop', from: isIdle, to: isDone }),
    // It deploys, too.
    ...write('saveExternalPort', {
      input: { externalPort: 15_432 },
      first: 'stop',
      from: { externalPort: null, ...isIdle },
      to: { externalPort: 15_432, ...isDone },
    }),
    ...write('changeStatus', {
      input: { applicationStatus: 'error' },
      from: isDone,
      to: { applicationStatus: 'error' },
    }),
    ...write('saveEnvironment', { input: { env: 'A=1\n' }, to: { env: 'A=1\n' } }),
    ...write('reload', { input: { appName: 'ignored' }, first: 'stop', to: isDone }),
    ...write('rebuild', { first: 'stop', to: isDone }),
    ...write('update', { input: settings, to: settings }),
    [operation('move')]: {
      input: (ids) => ({ [key]: ids[key], targetEnvironmentId: ids.stagingId }),
      has: columns,
      async check({ answer, call, ids }) {
        expect(answer).toMatchObject({ [key]: ids[key], environmentId: ids.stagingId });
        const [from, to] = [ids.environmentId, ids.stagingId];
        expect(row(await call('environment.one', { environmentId: from }))[kind]).toEqual([]);
        expect(row(await call('environment.one', { environmentId: to }))[kind]).toMatchObject([{ [key]: ids[key] }]);
      },
    },
    [operation('remove')]: {
      input: (ids) => ({ [key]: ids[key] }),
      has: whole,
      async check({ answer, call, ids }) {
        expect(answer).toMatchObject({ [key]: ids[key], mounts: [{ type: 'volume' }] });
        await expect(call(operation('one'), { [key]: ids[key] })).rejects.toMatchObject(notFound);
      },
    },
  };
}

/** The 42 endpoints of the `mariadb`, `postgres` and `redis` groups. */
export const databases: Readonly<Record<string, EndpointCase>> = {
  ...shared('mariadb'),
  ...shared('postgres'),
  ...shared('redis'),
  'postgres.changePassword': {
    input: ({ postgresId }) => ({ postgresId, password: 'battery-staple-2' }),
    async check({ answer, call, ids: { postgresId } }) {
      expect(answer).toBe(true);
      expect(await call('postgres.one', { postgresId })).toMatchObject({ databasePassword: 'battery-staple-2' });
    },
  },
  'postgres.search': {
    input: { name: 'PREPARED', limit: 5, offset: 0 },
    has: ['items', 'total'],
    async check({ answer, call, ids: { postgresId, environmentId } }) {
      expect(answer).toEqual({
        total: 1,
        items: [
          {
            postgresId,
            name: 'prepared',
            appName: expect.any(String),
            description: null,
            environmentId,
            applicationStatus: 'done',
            createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
          },
        ],
      });
      expect(await call('postgres.search', { q: 'no such' })).toEqual({ items: [], total: 0 });
    },
  },
  'postgres.readLogs': {
    input: ({ postgresId }) => ({ postgresId, tail: 1, since: '15m' }),
    check: ({ answer }) => expect(answer).toBe('LOG:  database system is ready to accept connections'),
  },
};
