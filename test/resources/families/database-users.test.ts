import { expect, test } from 'vitest';
import { deploymentFindings } from '../../../src/plan/deployment-findings.ts';
import { platform, production } from '../../diagnostics/provoked.ts';

/** Names of databases in commands of a shell. Users: test/scenarios/password.test.ts. */

const dumped = (name: string) =>
  `    postgres: { main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: u, databasePassword: password-1,
      backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/, database: ${JSON.stringify(name)} } } } }\n`;

test.each([
  ["o'neil", 'v0.29.12', ['backup-fails']],
  ['a$b', '0.28.0', ['backup-fails']],
  ['a`id`', 'v0.29.12', ['backup-fails']],
  ['a b', 'v0.29.12', []],
  ["o'neil", 'v0.29.13', []],
  ["o'neil", 'canary', []],
])('a backup of the database %s on %s', async (name, version, expected) => {
  const made = platform();
  const text = production(dumped(name));
  const { deployments } = await made.manifest(text);
  const { actions } = await made.plan(text);
  expect(deploymentFindings(deployments, actions, version).map(({ code }) => code)).toEqual(expected);
  await made.apply(text);
  expect((await made.plan(text)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});
