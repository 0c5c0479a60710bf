import { describe, expect, test } from 'vitest';
import { actionsOf } from '../support/faults.ts';
import { begin, goOn, nothing, run } from '../support/histories.ts';
import { fetching, inProduction, keys, pem, rowsOf, watched } from '../support/organization-blocks.ts';
import type { Bench } from '../support/world.ts';
import { head } from '../support/world.ts';

/** Which object is which, of what stands at the top of a manifest. */

const forge = (key: string, more = '') => `gitea:\n  ${key}: { giteaUrl: "https://git.example.com"${more} }\n`;
const complete = ', clientId: c, clientSecret: correct-horse';
const idAt = (made: Bench, address: string) => made.store.state?.resources[address]?.id;

async function applied(made: Bench, text: string): Promise<void> {
  expect(await run(made, head + text, { adoption: true })).toEqual([]);
  await goOn(made, head + text);
}

test('an object that no list shows keeps its id, although another object has its new name', async () => {
  const made = begin(nothing);
  await applied(made, forge('forge', complete));
  const id = idAt(made, 'gitea.forge');
  const { gitProviderId } = made.emulator.world.tables.gitea[String(id)] ?? {};
  const row = { giteaId: id, gitProviderId, name: 'forge', giteaUrl: 'https://git.example.com' };
  await made.emulator.act('gitea.update', { ...row, clientSecret: '' });
  expect(await made.emulator.act('gitea.giteaProviders')).toHaveLength(2);
  // The platform lists it no more, and has another one that is called gitea-1.
  await applied(made, `moved: [{ from: gitea.forge, to: gitea.gitea-1 }]\n${forge('gitea-1', complete)}`);
  expect(idAt(made, 'gitea.gitea-1')).toBe(id);
  expect(made.emulator.world.tables.gitea.sfg_1?.giteaUrl).toBe('https://gitea-1.example.test');
});

test('an object that leaves the state because it cannot be deleted is adopted by a block of its name in the same run, with consent', async () => {
  const made = begin({ ...nothing, lacks: ['gitProvider.remove'] });
  await applied(made, forge('forge', `, name: forge${complete}`));
  const id = idAt(made, 'gitea.forge');
  const renamed = head + forge('main', `, name: forge${complete}`);
  const planned = await made.plan(renamed);
  expect(actionsOf(planned).toSorted()).toEqual(['adopt gitea.main', 'forget gitea.forge']);
  expect(planned.actions.find(({ action }) => action === 'adopt')).toMatchObject({ needsConsent: true });
  expect(await run(made, renamed, { adoption: true })).toEqual([]);
  expect(idAt(made, 'gitea.main')).toBe(id);
  expect(rowsOf(made, 'gitProvider').filter((row) => row.name === 'forge')).toHaveLength(1);
  await goOn(made, renamed);
});

describe('a name in a source', () => {
  const deploy = (pair: string) => keys(pair).replace('name: deploy', 'name: prod');
  const keyOf = (made: Bench) => rowsOf(made, 'application')[0]?.customGitSSHKeyId;

  test('means the block that is declared with it, also under another key, and follows it to a new object', async () => {
    const made = begin(nothing);
    await applied(made, deploy('one') + fetching('prod'));
    expect(keyOf(made)).toBe(idAt(made, 'sshKeys.deploy'));
    const noted: string[] = [];
    expect(await run(made, head + deploy('two') + fetching('prod'), { send: watched(made, noted) })).toEqual([]);
    expect(noted).toEqual([]);
    expect(keyOf(made)).toBe(idAt(made, 'sshKeys.deploy'));
    await goOn(made, head + deploy('two') + fetching('prod'));
  });

  test('that two blocks are declared with is an error that lists them', async () => {
    const made = begin(nothing);
    const twin = `  other: { name: prod, publicKey: ssh-rsa AAAAtwin, privateKey: ${pem('RSA PRIVATE KEY', 'twin')} }\n`;
    const attempt = made.plan(head + deploy('one') + twin + fetching('prod'));
    await expect(attempt).rejects.toThrow('source.sshKey: 2 blocks are called prod: sshKeys.deploy, sshKeys.other');
  });

  test('does not find an object that is deleted because its block is removed, by name or by id', async () => {
    const made = begin(nothing);
    await applied(made, keys('one') + fetching());
    const id = String(idAt(made, 'sshKeys.deploy'));
    for (const name of ['deploy', id]) {
      const attempt = made.plan(head + fetching(name));
      await expect(attempt).rejects.toThrow(`is deleted, because sshKeys.deploy is no longer declared`);
    }
    expect(keyOf(made)).toBe(id);
  });

  test('that closes a cycle with the service is an error', async () => {
    const made = begin(nothing);
    const described = deploy('one').replace(
      'name: prod',
      'name: prod, description: "${ref:production.application.api.appName}"',
    );
    await expect(made.plan(head + described + fetching('prod'))).rejects.toThrow('in a circle');
    expect(made.requests('POST')).toEqual([]);
  });
});

test('fields that the answer of a create lacks are read for references', async () => {
  const made = begin(nothing);
  const text =
    forge('forge', complete) +
    inProduction(
      'redis:\n  cache: { databasePassword: correct-horse, env: { G: "${ref:gitea.forge.gitProviderId}" } }\n',
    );
  await applied(made, text);
  const record = rowsOf(made, 'gitProvider').find((row) => row.name === 'forge');
  const [cache] = Object.values(made.emulator.world.tables.redis);
  expect(cache?.env).toBe(`G=${String(record?.gitProviderId)}\n`);
});
