import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { deployByHand } from '../support/deployments.ts';
import { benchWith, exportOf, worldOf } from '../support/exporting.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import type { Exported } from '../../src/export/prove-export.ts';

/** An export, and then a plan: empty. An export, and then an apply on an empty platform: the same world. */

const examples = resolve(import.meta.dirname, '../../examples');

/** The platform after the apply of an example. */
async function appliedExample(name: string): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-export-of-'));
  cpSync(join(examples, name), folder, { recursive: true });
  const made = bench({ folder });
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
  for (const [, secret = ''] of texts.join('\n').matchAll(/\$\{secret:(\w+)\}/g))
    made.secrets[secret] = `canary-${secret}`;
  made.secrets.EVERYTHING_SLACK_WEBHOOK = 'https://hooks.test/canary-of-a-hook';
  made.secrets.EVERYTHING_SSH_KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n`;
  await made.apply({}, { adoption: true, dataLoss: true });
  for (const gitlabId of Object.keys(made.emulator.world.tables.gitlab))
    await made.emulator.act('gitlab.connect', { gitlabId });
  for (const [id, row] of Object.entries(made.emulator.world.tables.application)) {
    if (row.sourceType !== 'docker') await deployByHand(made, id);
  }
  await made.apply({}, { adoption: true, dataLoss: true });
  return made;
}

async function plansNothing(made: Bench, { files, state }: Exported): Promise<void> {
  const fresh = benchWith(made, { state } as Exported);
  const plan = await fresh.plan(Object.fromEntries(files));
  expect(
    plan.actions.flatMap(({ address, action, changes }) => (action === 'no-op' ? [] : [{ address, action, changes }])),
  ).toEqual([]);
  expect(plan.actions.flatMap(({ notes }) => notes)).toEqual([]);
  expect(plan.diagnostics).toEqual([]);
}

async function givesTheSameWorld(made: Bench, exported: Exported): Promise<void> {
  const other = bench();
  for (const { name, value } of exported.secrets) other.secrets[name] = value;
  // The values that the platform never shows are written by hand.
  const byHand = (text: string) =>
    text
      .replace('type: hashicorp', '$&\n      token: canary-EVERYTHING_VAULT_TOKEN')
      .replace('type: cloudflare', '$&\n      apiToken: canary-EVERYTHING_DNS_TOKEN');
  const files = Object.fromEntries([...exported.files].map(([name, text]) => [name, byHand(text)]));
  for (let turn = 0; turn < 2; turn++) {
    const { outcomes } = await other.apply(files, { adoption: true, dataLoss: true });
    expect(outcomes.filter(({ result }) => result !== 'done').flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
    for (const gitlabId of Object.keys(other.emulator.world.tables.gitlab))
      await other.emulator.act('gitlab.connect', { gitlabId });
  }
  expect(worldOf(other)).toEqual(worldOf(made));
}

test.each(['adopt', 'hello', 'shop', 'everything'])(
  'the example %s is exported: the plan is empty, and an apply elsewhere gives the same world',
  async (name) => {
    const made = await appliedExample(name);
    made.requests('POST');
    const exported = await exportOf(made);
    expect(made.requests('POST')).toEqual([]);
    expect(
      exported.notes.filter(
        ({ address = '' }) => !/^(sshKeys\.key-|members\["admin|(vault|dns)Providers\.team|webServer$)/.test(address),
      ),
    ).toEqual([]);
    expect(JSON.stringify([...exported.files])).not.toContain('canary');
    await plansNothing(made, exported);
    await givesTheSameWorld(made, exported);
  },
);

test('the user of a database in the backup of a compose is no secret; its password is', async () => {
  const made = bench();
  const text = `
trueup: 1
platform: emulator
project: prj_1
environments:
  production:
    compose:
      cloud:
        source:
          type: raw
          composeFile: 'services: { app: { image: "nextcloud:30-apache" }, db: { image: "mariadb:11" } }'
        backups:
          nightly:
            schedule: 0 3 * * *
            prefix: cloud/
            destinationId: dst_1
            serviceName: db
            databaseType: mariadb
            database: cloud
            metadata: { mariadb: { databaseUser: nextcloud, databasePassword: "\${secret:PW}" } }
`;
  made.secrets.PW = 'canary-of-a-password';
  await made.apply(text, { adoption: true });
  const exported = await exportOf(made);
  const files = [...exported.files.values()].join('\n');
  expect(files).toContain('databaseUser: nextcloud');
  expect(files).toContain('image: "nextcloud:30-apache"');
  const ofBlock = exported.secrets.filter(({ name }) => name.startsWith('PRODUCTION_'));
  expect(ofBlock.map(({ value }) => value)).toEqual(['canary-of-a-password']);
  await plansNothing(made, exported);
});
