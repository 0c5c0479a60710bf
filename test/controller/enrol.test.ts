import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseIn } from '../../src/controller/records/database.ts';
import { recordsIn } from '../../src/controller/records/all.ts';
import { enrolmentDocument } from '../../src/render/document-schemas.ts';
import { documentOf, trueup } from '../cli/process.ts';
import { controllerWorld } from '../support/controller-world.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

const missing = whyNoPostgres();
const schema = 'trueup_controller';

test.each([
  [[], 'nothing is named to enrol'],
  [['--platform', 'paris'], 'nothing is named to enrol'],
  [['--platform', 'paris', '--key-file', 'k'], 'the options are of a platform, and --url is missing'],
  [['--url', 'https://a.example'], '--url needs --platform and --key-file'],
  [['--platform', 'a b', '--url', 'https://a.example', '--key-file', 'k'], '--platform must have letters'],
  [
    ['--platform', 'a', '--url', 'https://a.example', '--key-file', 'k', '--profile', 'x'],
    '--profile must be standard',
  ],
  [['--platform', 'a', '--only', 'site=paris'], 'the options are of a platform, and --url is missing'],
  [['--platform', 'a', '--url', 'https://a.example', '--key-file', 'k', '--only', 'x'], '--only must be name=value'],
  [
    '--platform a --url https://a.example --key-file k --platform-label site=rome --only site=paris'.split(' '),
    '--platform-label and --only give site two values',
  ],
  [['--source', 'shop'], '--source and --git go together'],
  [['--source', 'shop', '--git', '/r'], 'the repository has no platform'],
  [['--source', 'shop', '--git', '/r', '--on', 'paris'], '--on must be PLATFORM=PATHS'],
  [['--source', 'shop', '--git', '/r', '--platform', 'a', '--policy', 'maybe'], '--policy must be automatic, approval'],
  [
    ['--source', 'shop', '--git', '/r', '--platform', 'a', '--previews', 'yes'],
    '--previews must be automatic, approval',
  ],
  [['--source', 'shop', '--git', '/r', '--platform', 'a', '--label', 'x'], '--label must be name=value'],
])('%j is refused', async (args, message) => {
  const ran = await trueup(['controller', 'enrol', ...args]);
  expect([ran.code, ran.out]).toEqual([1, '']);
  expect(ran.err).toContain(message);
});

describe.skipIf(missing !== undefined)(missing ?? 'over PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let world: Awaited<ReturnType<typeof controllerWorld>>;
  const checkouts = mkdtempSync(join(tmpdir(), 'trueup-enrol-'));
  chmodSync(checkouts, 0o700);

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 2 });
    pool.on('error', () => undefined);
    world = await controllerWorld();
    world.push('redis:7');
  });
  afterAll(async () => {
    await world.close();
    await pool.end();
    server.stop();
  });

  const records = () => recordsIn(pool, schema);
  const enrol = (...args: readonly string[]) =>
    trueup(['controller', 'enrol', '--folder', checkouts, ...args], { env: { TRUEUP_CONTROLLER_URL: server.url() } });
  const ofPlatform = () => ['--platform', 'paris', '--url', world.url, '--key-file', world.keyFile];
  const ofSource = () => ['--source', 'shop', '--git', world.repository, '--platform', 'paris'];

  test('nothing is written where the key is not accepted, git cannot read, or a file is missing', async () => {
    const wrong = join(world.folder, 'wrong');
    writeFileSync(wrong, 'another-key\n', { mode: 0o600 });
    const refused = await enrol('--platform', 'paris', '--url', world.url, '--key-file', wrong);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain('paris, key: the platform rejects the API key (401)');
    expect(refused.out).toContain('Nothing was written.');
    expect(refused.out).not.toContain('another-key');
    const unread = await enrol('--platform', 'paris', '--url', world.url, '--key-file', join(world.folder, 'none'));
    expect(unread.out).toContain('the key of paris: cannot read');
    const noGit = await enrol('--source', 'shop', '--git', join(world.folder, 'nowhere'), '--platform', 'paris');
    expect(noGit.out).toContain('shop: cannot read the source shop: git says:');
    const { rows } = await pool.query(`select to_regclass('${schema}.platform') as is`);
    expect(rows).toEqual([{ is: null }]);
  });

  test('a platform and a source are added, then the same, then changed, each with an event', async () => {
    const labels = ['--platform-label', 'customer=acme', '--label', 'tier=shop'];
    const both = [...ofPlatform(), ...ofSource().slice(0, 4), ...labels, '--poll', '30s', '--forge', 'forgejo'];
    const first = await enrol(...both, '--address', 'https://trueup.example.com/', '--format', 'json');
    expect(first.code).toBe(0);
    const document = enrolmentDocument.parse(documentOf(first));
    expect(document.platform).toEqual({ id: 'paris', is: 'added' });
    expect(document.source).toEqual({
      id: 'shop',
      is: 'added',
      webhook: 'https://trueup.example.com/hooks/shop',
    });
    expect(document.checks.map(({ name, is }) => `${name} ${is}`)).toEqual([
      'file good',
      'platform good',
      'source good',
    ]);
    expect(await records().platform('paris')).toMatchObject({ url: world.url, labels: { customer: 'acme' } });
    expect(await records().source('shop')).toMatchObject({
      ref: 'refs/heads/main',
      platforms: [{ platform: 'paris', paths: '**' }],
      policy: 'approval',
      pollSeconds: 30,
      lookSeconds: 3_600,
      labels: { tier: 'shop' },
    });
    const again = await enrol(...both);
    expect(again.out).toContain('is enrolled so already: platform paris\nis enrolled so already: source shop\n');
    const changed = await enrol(...both, '--policy', 'never', '--previews', 'automatic');
    expect(await records().source('shop')).toMatchObject({ policy: 'never', previewPolicy: 'automatic' });
    expect(changed.out).toContain('is enrolled so already: platform paris\nchanged source shop\n');
    const events = await databaseIn(pool, schema).rows('select what, subject from @event order by id');
    expect(events).toEqual([
      { what: 'added the platform', subject: 'paris' },
      { what: 'added the source', subject: 'shop' },
      { what: 'changed the source', subject: 'shop' },
    ]);
  });

  test('a platform is bound to labels, which are also its own, and is free again without them', async () => {
    const only = ['--only', 'site=paris', '--only', 'floor=2', '--platform-label', 'customer=acme'];
    expect((await enrol(...ofPlatform(), ...only)).out).toContain('changed platform paris\n');
    const bound = { site: 'paris', floor: '2' };
    expect(await records().platform('paris')).toMatchObject({ labels: { ...bound, customer: 'acme' }, only: bound });
    const again = await enrol(...ofPlatform(), ...only);
    expect(again.out).toContain('is enrolled so already: platform paris\n');
    expect((await enrol(...ofPlatform())).out).toContain('changed platform paris\n');
    expect(await records().platform('paris')).toMatchObject({ labels: {}, only: {} });
  });

  test('without checks it is written unseen; files may begin with a variable of the workers', async () => {
    const far = ['--platform', 'far', '--url', 'https://far.example', '--key-file', '${CREDENTIALS_DIRECTORY}/far'];
    const ran = await enrol(...far, '--skip-checks');
    expect(ran).toEqual({ code: 0, out: 'enrolled platform far\n', err: '' });
    expect(await records().platform('far')).toMatchObject({ keyFile: '${CREDENTIALS_DIRECTORY}/far' });
    const sites = [
      '--source',
      'sites',
      '--git',
      'git@github.com:acme/sites.git',
      '--on',
      'far=far/**',
      '--on',
      'paris=**',
    ];
    expect((await enrol(...sites, '--ref', 'refs/tags/live', '--skip-checks')).out).toBe(
      'enrolled source sites\nwebhook: /hooks/sites, with content type application/json\n',
    );
    expect(await records().source('sites')).toMatchObject({
      ref: 'refs/tags/live',
      forge: 'github',
      platforms: [
        { platform: 'far', paths: 'far/**' },
        { platform: 'paris', paths: '**' },
      ],
    });
    const unknown = await enrol('--source', 'x', '--git', '/x', '--platform', 'moon', '--skip-checks');
    expect(unknown.err).toContain('The source x names the platform moon, which is not enrolled');
  });

  test('a source is forgotten with its stacks, and a platform that no source names; what is none is named', async () => {
    const remove = (...args: readonly string[]) =>
      trueup(['controller', 'remove', ...args], { env: { TRUEUP_CONTROLLER_URL: server.url() } });
    expect((await remove('--platform', 'far')).err).toContain('sources that name it: sites');
    const nowhere = await remove('--source', 'sties');
    expect([nowhere.code, nowhere.out]).toEqual([1, '']);
    expect(nowhere.err).toContain('there is no source sties\n  -> Name one of these: shop, sites.');
    expect(await remove('--source', 'sites')).toEqual({ code: 0, out: 'removed source sites\n', err: '' });
    expect(await remove('--platform', 'far')).toEqual({ code: 0, out: 'removed platform far\n', err: '' });
    expect((await records().sources()).map(({ id }) => id)).toEqual(['shop']);
    expect((await records().platforms()).map(({ id }) => id)).toEqual(['paris']);
    const json = enrolmentDocument.parse(documentOf(await remove('--source', 'shop', '--format', 'json')));
    expect(json).toMatchObject({ checks: [], source: { id: 'shop', is: 'removed' } });
    for (const args of [[], ['--source', 'a', '--platform', 'b']])
      expect((await remove(...args)).err).toContain('one thing is removed at a time');
  });
});
