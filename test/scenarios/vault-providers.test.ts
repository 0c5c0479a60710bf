import { expect, test } from 'vitest';
import { notComparedIn } from '../../src/plan/not-compared.ts';
import { exportOf } from '../support/exporting.ts';
import { told } from '../support/problems.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Vaults, of which the platform never shows the credential. */

const main = (more = '', token = '${secret:TOKEN}') =>
  `${head}vaultProviders: { main: { config: { type: hashicorp, url: "https://vault.test", token: "${token}"${more} } } }\n`;

async function made(text = main()): Promise<Bench> {
  const one = bench();
  one.secrets.TOKEN = 'correct-horse-1';
  await one.apply(text);
  one.requests('POST');
  return one;
}

async function changesOf(one: Bench, text: string): Promise<string[]> {
  const { actions } = await one.plan(text);
  return actions.flatMap(({ action, changes }) => (action === 'no-op' ? [] : changes.map(({ path }) => path)));
}

function configOf({ emulator }: Bench): unknown {
  return Object.values(emulator.world.tables.vaultProvider)[0]?.['config'];
}

test('the token is written when its value changes, never compared, and the plan says so', async () => {
  const one = await made();
  const { actions } = await one.plan(main());
  expect(notComparedIn({ actions })).toMatchObject([{ path: 'config.token', why: 'not returned' }]);
  one.secrets.TOKEN = 'battery-staple-2';
  expect(await changesOf(one, main())).toEqual(['config.token']);
  await one.apply(main());
  expect(configOf(one)).toMatchObject({ token: 'battery-staple-2' });
  expect(await changesOf(one, main())).toEqual([]);
});

test('another field is changed without the token, and what a person set beside it stays', async () => {
  const one = await made();
  const { vaultProviderId } = Object.values(one.emulator.world.tables.vaultProvider)[0] ?? {};
  const config = { providerType: 'hashicorp', url: 'https://vault.test', token: '********', namespace: 'team' };
  await one.emulator.act('vaultProvider.update', { vaultProviderId, name: 'main', config, assignments: [] });
  delete one.secrets.TOKEN;
  const text = main(', mount: kv');
  expect(await changesOf(one, text)).toEqual(['config.mount']);
  await one.apply(text);
  expect(configOf(one)).toMatchObject({ token: 'correct-horse-1', namespace: 'team', mount: 'kv' });
});

test('another provider at the same name is one update, with its own credential', async () => {
  const one = await made();
  const text = `${head}vaultProviders: { main: { config: { type: doppler, serviceToken: "\${secret:TOKEN}" } } }\n`;
  await one.apply(text);
  expect(one.requests('POST')).toEqual(['vaultProvider.update']);
  expect(configOf(one)).toEqual({ providerType: 'doppler', serviceToken: 'correct-horse-1' });
  expect(await changesOf(one, text)).toEqual([]);
});

test('projects and environments are assigned by references, in any order', async () => {
  const assigned =
    'assignments: [{ projectId: "${ref:project.id}", environmentIds: ["${ref:staging.id}", "${ref:live.id}"] }], ';
  const text = `trueup: 1\nplatform: emulator\nproject: { name: shop }\nenvironments: { staging: {}, live: {} }\n${main().slice(head.length).replace('{ config', `{ ${assigned}config`)}`;
  const one = await made(text);
  const row = Object.values(one.emulator.world.tables.vaultProvider)[0] ?? {};
  const [{ projectId, environmentIds }] = row['assignments'] as [{ projectId: string; environmentIds: string[] }];
  expect(environmentIds).toHaveLength(2);
  const assignments = [{ projectId, environmentIds: environmentIds.toReversed() }];
  await one.emulator.act('vaultProvider.update', { ...row, assignments });
  expect(await changesOf(one, text)).toEqual([]);
});

test('what names a secret of a vault stays text, in env and in a compose file', async () => {
  const expression = '${{vault.main.shop/db:password}}';
  const text = `${main()}environments:
  production:
    application: { web: { source: { type: docker, image: nginx }, env: { PASSWORD: "${expression}" } } }
`;
  const one = await made(text);
  expect(Object.values(one.emulator.world.tables.application)).toMatchObject([{ env: `PASSWORD=${expression}\n` }]);
  expect(await changesOf(one, text)).toEqual([]);
});

test('an export leaves the token out, says so, and has no stars', async () => {
  const { files, notes } = await exportOf(await made());
  const text = [...files.values()].join('');
  expect(text).toContain('type: hashicorp');
  expect(text).not.toContain('****');
  expect(notes.map(({ message }) => message)).toContainEqual(expect.stringContaining('the platform never shows it'));
});

test('a block without what its provider needs is refused where there is none to adopt', async () => {
  const one = bench();
  await expect(one.apply(`${head}vaultProviders: { main: { config: { type: aws } } }\n`)).rejects.toThrow(
    /config\.region.*config\.secretAccessKey/,
  );
  const { said } = await told(`${head}vaultProviders: { "a b": { config: { type: doppler, token: x } } }\n`);
  expect(said).toContain('letters, digits, hyphens and underscores');
});
