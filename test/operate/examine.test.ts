import { expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { examinePlatform } from '../../src/operate/examine.ts';
import { kinds } from '../../src/resources/index.ts';
import { systemClock } from '../../src/state/clock.ts';

test.each([
  ['http://127.0.0.1:3000', []],
  ['http://127.0.0.2:3000', []],
  ['http://localhost:3000', []],
  ['http://[::1]:3000', []],
  ['https://deploy.example.com', []],
  ['http://192.0.2.1:3000', ['http://192.0.2.1:3000 is not encrypted']],
  ['http://127.0.0.2.example.com', ['http://127.0.0.2.example.com is not encrypted']],
])('of the address %s, trueup doctor warns of these: %j', async (url, expected) => {
  const { send } = createEmulator({ profile: 'standard', apiKey: 'a-key' });
  const redact = (text: string) => text;
  const client = createClient({ send, url, apiKey: 'a-key', redact, contract: extendedContracts.standard });
  const input = { client, url, discovers: false, kinds, clock: systemClock, remembered: undefined };
  const checks = await examinePlatform(input);
  expect(checks.flatMap(({ name, is, message }) => (name === 'address' && is === 'warning' ? [message] : []))).toEqual(
    expected,
  );
});
