import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import type { Row } from '../../../src/emulator/json-rows.ts';

/** Vault providers: answers have stars in place of a credential, and stars that are sent back keep it. */

const config = { providerType: 'hashicorp', url: 'https://vault.test', token: 'correct-horse-1' };
const provider = { name: 'main', config, assignments: [] };

async function made() {
  const emulator = createEmulator();
  const { vaultProviderId } = (await emulator.act('vaultProvider.create', provider)) as Row;
  return { emulator, own: { ...provider, vaultProviderId } };
}

test('a credential is stored and never answered, and stars keep it', async () => {
  const { emulator, own } = await made();
  const stars = { ...config, token: '********', mount: 'secret' };
  expect(await emulator.act('vaultProvider.all')).toMatchObject([{ name: 'main', config: stars }]);
  await emulator.act('vaultProvider.update', { ...own, config: { ...stars, mount: 'kv' } });
  expect(Object.values(emulator.world.tables.vaultProvider)).toMatchObject([{ config: { ...config, mount: 'kv' } }]);
  expect(await emulator.act('vaultProvider.testConnection', { vaultProviderId: own.vaultProviderId })).toBe(true);
});

test.each([
  ['the same name again', 'create', provider, 'already exists'],
  [
    'a project of others',
    'create',
    { ...provider, name: 'b', assignments: [{ projectId: 'none', environmentIds: [] }] },
    'outside this organization',
  ],
  [
    'an environment of another project',
    'create',
    { ...provider, name: 'b', assignments: [{ projectId: 'prj_1', environmentIds: ['none'] }] },
    'outside the selected project',
  ],
  ['a name with a blank', 'create', { ...provider, name: 'a b' }, 'Name can only contain'],
  [
    'stars for another provider',
    'update',
    { config: { providerType: 'doppler', serviceToken: '********' } },
    'must be re-entered',
  ],
  ['nothing to test', 'testConnection', { name: null, config: undefined, vaultProviderId: undefined }, 'to test'],
  ['none', 'remove', { vaultProviderId: 'none' }, 'not found'],
])('refuses %s', async (_title, operation, input, says) => {
  const { emulator, own } = await made();
  const sent = operation === 'update' ? { ...own, ...input } : input;
  await expect(emulator.act(`vaultProvider.${operation}`, sent)).rejects.toThrow(says);
});
