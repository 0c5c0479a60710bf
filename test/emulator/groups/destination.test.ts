import { expect, test } from 'vitest';
import { replays } from '../extension-samples.ts';
import { openWorld } from '../people.ts';

const recorded = 'nnHA5kEIcAg973l-7T3-U';

replays('destination', {
  rows: [recorded, 'wASmOYKfY3ZkikpxwdKKm'].map((destinationId) => [
    'destination',
    { destinationId, name: 'd', bucket: 'b', organizationId: 'org_1', createdAt: '2026-01-01T00:00:00.000Z' },
  ]),
  preparations: {
    'destination.remove/again': (emulator) => emulator.act('destination.remove', { destinationId: recorded }),
  },
});

const record = {
  name: 'offsite',
  provider: 'Minio',
  accessKey: 'access',
  secretAccessKey: 'a+b/c=d',
  bucket: 'b',
  region: '',
  endpoint: 'https://s3.test',
};

test('an update without flags removes them, and a deletion takes the backups along', async () => {
  const { call } = openWorld();
  const { body } = await call('destination.create', { ...record, additionalFlags: ['--x'] });
  const { destinationId } = body;
  expect((await call('destination.update', { ...record, destinationId })).body.additionalFlags).toEqual([]);
  await call('postgres.create', {
    name: 'p',
    environmentId: 'env_prj_1',
    databaseName: 'd',
    databaseUser: 'u',
    databasePassword: 'p',
  });
  const environment = await call('environment.one', { environmentId: 'env_prj_1' });
  const [{ postgresId }] = environment.body['postgres'] as [{ postgresId: string }];
  const backup = { schedule: '0 3 * * *', prefix: 'p/', database: 'd', databaseType: 'postgres', destinationId };
  expect((await call('backup.create', { ...backup, postgresId })).status).toBe(200);
  expect((await call('destination.remove', { destinationId })).status).toBe(200);
  expect((await call('postgres.one', { postgresId })).body['backups']).toEqual([]);
});

test('a test of a bucket that does not answer quotes the command line, with special characters escaped', async () => {
  const { call } = openWorld();
  expect((await call('destination.testConnection', record)).status).toBe(200);
  const failed = await call('destination.testConnection', { ...record, endpoint: 'http://127.0.0.1:9' });
  expect(failed).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect(failed.body['message']).toContain(String.raw`--s3-secret-access-key=a+b/c\=d`);
});
