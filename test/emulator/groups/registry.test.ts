import { expect, test } from 'vitest';
import { replays } from '../extension-samples.ts';
import { openWorld } from '../people.ts';

const recorded = 'K8b2vut26qdsNZOJIHz0p';
const row = { registryName: 'r', username: 'u', password: 'p', createdAt: '2026-01-01T00:00:00.000Z' };

replays('registry', {
  rows: [recorded, 'ggxQ9SD2tvHDTgwVPab8z'].map((registryId) => [
    'registry',
    { registryId, ...row, registryUrl: 'registry.test', organizationId: 'org_1' },
  ]),
  preparations: {
    'registry.remove/again': (emulator) => emulator.act('registry.remove', { registryId: recorded }),
    'registry.one/after its organizationId was changed': (emulator) =>
      emulator.act('registry.update', {
        registryId: 'ggxQ9SD2tvHDTgwVPab8z',
        organizationId: '4KR3zFZRNOyhaB0zjnckp',
      }),
  },
});

test('an update that docker cannot log in with is refused, and stored all the same; only the list has the password', async () => {
  const { call } = openWorld();
  const input = { ...row, registryUrl: 'registry.test', registryType: 'cloud', imagePrefix: null };
  const { registryId } = (await call('registry.create', input)).body;
  const refused = await call('registry.update', { registryId, registryUrl: 'nowhere.example', password: 'other' });
  expect(refused.status).toBe(400);
  const stored = (await call('registry.one', { registryId })).body;
  expect(stored).toMatchObject({ registryUrl: 'nowhere.example' });
  expect(stored).not.toHaveProperty('password');
  expect((await call('registry.all')).body).toMatchObject([{}, {}, { password: 'other' }]);
});

test('a deletion takes the registry from the applications that use it', async () => {
  const { call } = openWorld();
  const input = { ...row, registryUrl: '', registryType: 'cloud', imagePrefix: null };
  const { registryId } = (await call('registry.create', input)).body;
  const { applicationId } = (await call('application.create', { name: 'a', environmentId: 'env_prj_1' })).body;
  await call('application.update', { applicationId, registryId });
  await call('registry.remove', { registryId });
  expect((await call('application.one', { applicationId })).body).toMatchObject({ registryId: null });
});
