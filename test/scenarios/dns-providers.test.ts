import { expect, test } from 'vitest';
import { exportOf } from '../support/exporting.ts';
import { told } from '../support/problems.ts';
import { type Bench, bench, head } from '../support/world.ts';

/** Accounts at hosts of DNS zones, of which the platform never shows the credential. */

const provider = (config: string) => `${head}dnsProviders: { main: { config: { ${config} } } }\n`;
const cloudflare = provider('type: cloudflare, apiToken: "${secret:TOKEN}"');
const route53 = (id: string) => provider(`type: route53, accessKeyId: ${id}, secretAccessKey: "\${secret:TOKEN}"`);

async function changesOf(one: Bench, text: string): Promise<string[]> {
  const { actions } = await one.plan(text);
  return actions.flatMap(({ action, changes }) => (action === 'no-op' ? [] : changes.map(({ path }) => path)));
}

test('a provider is created, gets another token and another type, and shows none of its credentials', async () => {
  const one = bench();
  one.secrets.TOKEN = 'correct-horse-1';
  const stored = () => Object.values(one.emulator.world.tables.dnsProvider)[0]?.['config'];
  await one.apply(cloudflare);
  expect(stored()).toEqual({ providerType: 'cloudflare', apiToken: 'correct-horse-1' });
  expect(await changesOf(one, cloudflare)).toEqual([]);
  one.secrets.TOKEN = 'battery-staple-2';
  expect(await changesOf(one, cloudflare)).toEqual(['config.apiToken']);
  await one.apply(cloudflare);
  expect(stored()).toMatchObject({ apiToken: 'battery-staple-2' });
  expect(await changesOf(one, cloudflare)).toEqual([]);
  one.requests('POST');
  await one.apply(route53('AKIA1'));
  expect(one.requests('POST')).toEqual(['dnsProvider.update']);
  // The other credential stays where only the id changes, without its secret.
  delete one.secrets.TOKEN;
  await one.apply(route53('AKIA2'));
  expect(stored()).toEqual({ providerType: 'route53', accessKeyId: 'AKIA2', secretAccessKey: 'battery-staple-2' });
  expect(await changesOf(one, route53('AKIA2'))).toEqual([]);
  const { files, notes } = await exportOf(one);
  expect([...files.values()].join('')).toContain('type: route53');
  expect([...files.values()].join('')).not.toMatch(/\*{4}|staple/);
  expect(notes.map(({ message }) => message)).toContainEqual(expect.stringContaining('the platform never shows it'));
  expect(JSON.stringify(one.store.state)).not.toMatch(/staple|horse/);
});

test('a token beside config, and the words of other tools, are refused with the block to write', async () => {
  expect((await told(`${head}dnsProviders: { main: { apiToken: x } }\n`)).said).toContain('write it in config:');
  expect((await told(provider('type: aws'))).said).toContain('route53');
  expect((await told(`${head}cloudflare: { main: {} }\n`)).said).toContain('dnsProviders');
});
