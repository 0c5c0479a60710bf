import { expect, test } from 'vitest';
import { told } from '../support/problems.ts';
import { bench, head } from '../support/world.ts';

/** Backups of the platform itself, which belong to the user of the API key. */

const nightly = (more = '') =>
  `${head}backups: { nightly: { schedule: "0 3 * * *", prefix: platform/, destinationId: dst_1${more} } }\n`;

test('a backup of the platform is created below the user, changed in place, and then it plans nothing', async () => {
  const one = bench();
  await one.apply(nightly());
  const { backups } = (await one.emulator.act('user.getBackups')) as { backups: unknown[] };
  expect(backups).toMatchObject([
    { userId: 'user_1', databaseType: 'web-server', backupType: 'database', database: 'dokploy', enabled: true },
  ]);
  one.requests('POST');
  const text = nightly(', includeEncryptionKey: false, keepLatestCount: 7');
  await one.apply(text);
  expect(one.requests('POST')).toEqual(['backup.update']);
  expect(Object.values(one.emulator.world.tables.backup)).toMatchObject([
    { includeEncryptionKey: false, keepLatestCount: 7, databaseType: 'web-server', database: 'dokploy' },
  ]);
  expect((await one.plan(text)).actions.map(({ action }) => action)).toEqual(['no-op']);
});

test('one that a person made is adopted, and deleted when its block is gone', async () => {
  const one = bench();
  const made = { schedule: '0 3 * * *', prefix: 'platform/', destinationId: 'dst_1', database: 'dokploy' };
  const server = { databaseType: 'web-server', backupType: 'database', userId: 'user_1', enabled: true };
  await one.emulator.act('backup.create', { ...made, ...server });
  await one.apply(nightly(), { adoption: true });
  expect(one.store.state?.resources['backups.nightly']?.id).toBe(Object.keys(one.emulator.world.tables.backup)[0]);
  await one.apply(head);
  expect(one.emulator.world.tables.backup).toEqual({});
});

test('a database is no key of it: the error leads to the block of the database', async () => {
  const { said } = await told(nightly(', §database: shop'));
  expect(said).toContain('a backup of a database stands below its block');
});
