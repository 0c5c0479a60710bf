import { expect, test } from 'vitest';
import { recordedIds, replays } from '../extension-samples.ts';
import { openWorld } from '../people.ts';

const [recorded, withKey] = ['4CSqolIkdwox6Gtdj64T0', 'PSYL5Lgrq1Te_a6zvydsT'];
const sshKeyId = 'yw1Flz6S3GZqLJwh5HdfK';
const createdAt = '2026-01-01T00:00:00.000Z';

replays('server', {
  rows: [
    ['sshKey', { sshKeyId, name: 'k', organizationId: 'org_1', createdAt }],
    ['server', { serverId: recorded, name: 's', organizationId: 'org_1', createdAt }],
    ['server', { serverId: withKey, name: 't', organizationId: 'org_1', sshKeyId, serverType: 'build', createdAt }],
  ],
  preparations: {
    'server.remove/with a service on it': (emulator) =>
      emulator.act('redis.create', {
        name: 'r',
        environmentId: recordedIds.environment,
        databasePassword: 'p',
        serverId: recorded,
      }),
    'server.remove/again': (emulator) => emulator.act('server.remove', { serverId: recorded }),
  },
});

test('an update writes the whole record, turns the clean-up on, and leaves the command', async () => {
  const { call } = openWorld();
  const record = {
    name: 'worker',
    description: null,
    ipAddress: '192.0.2.9',
    port: 22,
    username: 'root',
    sshKeyId: null,
    serverType: 'deploy',
  };
  const { serverId } = (await call('server.create', { ...record, enableDockerCleanup: false })).body;
  const changed = { ...record, serverId, command: 'echo', enableDockerCleanup: false };
  expect((await call('server.update', changed)).body).toMatchObject({ command: 'echo', enableDockerCleanup: false });
  expect((await call('server.update', { ...record, serverId })).body).toMatchObject({
    command: 'echo',
    enableDockerCleanup: true,
  });
  expect((await call('server.all')).body).toMatchObject([{ serverId, totalSum: 0 }, {}, {}]);
  expect((await call('server.validate', { serverId })).status).toBe(400);
});
