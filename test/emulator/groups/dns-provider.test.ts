import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import type { Row } from '../../../src/emulator/json-rows.ts';

/** DNS providers: answers have stars in place of a credential, and stars that are sent back keep it. */

const config = { providerType: 'route53', accessKeyId: 'AKIA1', secretAccessKey: 'correct-horse-1' };

async function made() {
  const emulator = createEmulator();
  const { dnsProviderId } = (await emulator.act('dnsProvider.create', { name: 'main', config })) as Row;
  return { emulator, own: { name: 'main', dnsProviderId } };
}

test('a credential is stored and never answered, stars keep it, and blanks around a value are dropped', async () => {
  const { emulator, own } = await made();
  const stars = { ...config, secretAccessKey: '********' };
  expect(await emulator.act('dnsProvider.all')).toMatchObject([{ ...own, providerType: 'route53', config: stars }]);
  await emulator.act('dnsProvider.update', { ...own, config: { ...stars, accessKeyId: ' AKIA2 ' } });
  expect(Object.values(emulator.world.tables.dnsProvider)).toMatchObject([
    { config: { ...config, accessKeyId: 'AKIA2' } },
  ]);
  expect(await emulator.act('dnsProvider.testConnection', { dnsProviderId: own.dnsProviderId })).toBe(true);
  expect(await emulator.act('dnsProvider.remove', { dnsProviderId: own.dnsProviderId })).toBe(true);
});

test.each([
  ['the same name again', 'create', { name: 'main', config }, 'A DNS provider named .* already exists'],
  [
    'stars for another provider',
    'update',
    { config: { providerType: 'cloudflare', apiToken: '********' } },
    're-entered',
  ],
  ['a token of blanks', 'create', { name: 'b', config: { providerType: 'cloudflare', apiToken: ' ' } }, '400'],
  ['none', 'remove', { dnsProviderId: 'none' }, 'DNS provider not found'],
])('refuses %s', async (_title, operation, input, says) => {
  const { emulator, own } = await made();
  const sent = operation === 'update' ? { ...own, ...input } : input;
  await expect(emulator.act(`dnsProvider.${operation}`, sent)).rejects.toThrow(new RegExp(says));
});
