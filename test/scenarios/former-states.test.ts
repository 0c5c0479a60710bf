import { describe, expect, test } from 'vitest';
import { planDocument } from '../../src/documents/plan-document.ts';
import { interruptDeployments } from '../../src/emulator/restart.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import type { World } from '../../src/emulator/world.ts';
import type { Plan } from '../../src/plan/action.ts';
import { verdictOf } from '../../src/render/verdict.ts';
import { actionsOf, notesOf, results } from '../support/faults.ts';
import type { Former } from '../support/former-states.ts';
import { formerSecrets, openFormer } from '../support/former-states.ts';

/** States that the version before format 4 wrote, read by this one: test/fixtures/former-states says how they were made. */

const verdict = (plan: Plan) => verdictOf(planDocument({ plan, counts: { reads: 0, writes: 0 } }));
const changesIn = ({ actions }: Plan) =>
  actions.flatMap(({ address, changes }) => changes.map(({ path }) => `${address} ${path}`));
const notComparedIn = (plan: Plan) =>
  planDocument({ plan, counts: { reads: 0, writes: 0 } }).notCompared.map(
    ({ address, path = '', why }) => `${address} ${path}: ${why}`,
  );
const rows = ({ made }: Former, table: keyof World['tables']): Row[] =>
  Object.values(made.emulator.world.tables[table]);
const formatOf = (former: Former) => /"formatVersion": (\d)/.exec(former.stored()['state.json'] ?? '')?.[1];

/** Plans, which changes neither the state nor the platform. */
async function planned(former: Former, files = former.files): Promise<Plan> {
  const before = former.stored();
  former.made.requests('POST');
  const plan = await former.plan(files);
  expect([former.stored(), former.made.requests('POST')]).toEqual([before, []]);
  return plan;
}

/** Applies, and then plans nothing; the state has the new format, and no journal is left. */
async function applied(former: Former, files = former.files): Promise<Record<string, string>> {
  const result = await former.apply(files);
  expect([formatOf(former), former.stored()['state.journal']]).toEqual(['4', undefined]);
  expect(actionsOf(await planned(former, files))).toEqual([]);
  former.made.requests('POST');
  await former.apply(files);
  expect(former.made.requests('POST')).toEqual([]);
  return results(result);
}

/** Where the manifest of `at-rest` has each secret. */
const placesOf: Readonly<Record<string, readonly string[]>> = {
  SSH_KEY: ['sshKeys.deploy privateKey'],
  CERTIFICATE_KEY: ['certificates.internal privateKey'],
  S3_ACCESS: ['destinations.offsite accessKey'],
  S3_SECRET: ['destinations.offsite secretAccessKey'],
  HOOK: ['notifications.team to.webhookUrl'],
  MODEL_KEY: ['ai.helper apiKey'],
  FORGE_SECRET: ['gitea.forge clientSecret'],
  SHARED: [
    'production env.SHARED',
    'production.redis.sessions description',
    'production.application.web env.NOTE',
    'production.compose.shop.schedules.digest command',
  ],
  DB_PASSWORD: [
    'production.postgres.main databasePassword',
    'production.application.web env.DATABASE_URL',
    'production.compose.shop env',
  ],
  CACHE_PASSWORD: ['production.redis.sessions databasePassword', 'production.redis.sessions env.URL'],
  TOKEN: [
    'production.application.web.mounts["/etc/shop.conf"] content',
    'production.compose.shop source.composeFile',
    'production.compose.shop.files["proxy.conf"] content',
    'staging.compose.shop env.TOKEN',
  ],
  READER_PASSWORD: ['production.application.web.security.reader password'],
  SMTP_PASSWORD: ['production.compose.shop env'],
};
const everyPlace = [...new Set(Object.values(placesOf).flat())];

/** Where it has `${var:port}` beside a secret. */
const portPlaces = [
  'production.redis.sessions env.URL',
  'production.application.web env.DATABASE_URL',
  'production.application.web.mounts["/etc/shop.conf"] content',
  'production.compose.shop source.composeFile',
  'production.compose.shop env',
];

describe('a project at rest', () => {
  test('needs nothing, and gets the new format from the next apply', async () => {
    const former = openFormer('at-rest');
    const plan = await planned(former);
    expect([actionsOf(plan), notComparedIn(plan)]).toEqual([[], []]);
    expect(verdict(plan)).toBe('No changes. 1 field is ignored by the platform.');
    expect(notesOf(plan).map(({ code }) => code)).toEqual(['ignored']);
    expect(formatOf(former)).toBe('3');
    expect((await former.drift()).findings).toEqual([]);
    await applied(former);
  });

  test.each([false, true])('knows each secret that gets another value (applied before: %s)', async (isApplied) => {
    const former = openFormer('at-rest');
    if (isApplied) await applied(former);
    for (const [name, places] of Object.entries(placesOf)) {
      const before = formerSecrets[name] ?? '';
      former.made.secrets[name] = before.replace(/47(\d\d)|b25l/, '48$1');
      expect(former.made.secrets[name]).not.toBe(before);
      const changes = changesIn(await planned(former));
      former.made.secrets[name] = before;
      // Secret data of an object that is replaced stands there with all else that it has.
      expect(changes.filter((change) => everyPlace.includes(change)).toSorted(), name).toEqual(places.toSorted());
      const ofOthers = changes.filter(
        (change) => !places.some((place) => change.startsWith(place.split(' ')[0] ?? '')),
      );
      expect(ofOthers, name).toEqual([]);
    }
    expect(actionsOf(await planned(former))).toEqual([]);
  });

  test('counts what it cannot compare without the secrets, until an apply with them records that', async () => {
    const former = openFormer('at-rest');
    const edited = { ...former.files, 'trueup.yaml': former.files['trueup.yaml']?.replace("'5432'", "'5433'") ?? '' };
    former.keepSecrets([]);
    for (const files of [former.files, edited]) {
      const plan = await planned(former, files);
      expect(actionsOf(plan)).toEqual([]);
      expect(notComparedIn(plan).toSorted()).toEqual(everyPlace.map((place) => `${place}: not recorded`).toSorted());
      expect(verdict(plan)).toMatch(/^No changes in what was compared\. .*: run once with the secrets\.$/);
    }
    // An apply without them records nothing of that.
    await former.apply();
    expect(notComparedIn(await planned(former)).every((one) => one.endsWith(': not recorded'))).toBe(true);

    former.keepSecrets(Object.keys(formerSecrets));
    await applied(former);
    former.keepSecrets([]);
    const plan = await planned(former);
    expect(actionsOf(plan)).toEqual([]);
    expect(notComparedIn(plan).toSorted()).toEqual(everyPlace.map((place) => `${place}: secret missing`).toSorted());
    const refused = (await planned(former, edited)).actions.flatMap(({ address, notes }) =>
      notes
        .filter(({ code }) => code === 'secret-missing')
        .map(({ message }) => `${address} ${message.replace(/: it was edited and needs .*/, '')}`),
    );
    expect(refused.toSorted()).toEqual(portPlaces.toSorted());
  });
});

describe('a run that was killed', () => {
  const left = [
    'delete sshKeys.deploy (old)',
    'update production.redis.cache',
    'create production.mariadb.orders',
    'update production.compose.shop',
    'deploy production.application.web (deploy)',
    'deploy production.mariadb.orders (deploy)',
    'deploy production.redis.fresh (deploy)',
  ];
  const shop = 'deploy production.compose.shop (deploy)';

  /** The deployment of the compose ended meanwhile. */
  const ended = (status: 'done' | 'error') => (world: World) => {
    const { deployment, compose } = world.tables;
    for (const run of Object.values(deployment))
      if (run['status'] === 'running') Object.assign(run, { status, finishedAt: '2026-11-26T21:00:00.000Z' });
    for (const one of Object.values(compose)) one['composeStatus'] = status;
  };

  test.each([
    ['was given up', interruptDeployments, [...left, shop]],
    ['succeeded', ended('done'), left],
    ['failed', ended('error'), [...left, shop]],
  ] as const)('is finished, where the deployment that it waited for %s', async (_, meanwhile, expected) => {
    const former = openFormer('interrupted', (world) => void meanwhile(world));
    const plan = await planned(former);
    expect(actionsOf(plan).toSorted()).toEqual(expected.toSorted());
    expect(notComparedIn(plan)).toEqual([]);
    const outcomes = await applied(former);
    expect(new Set(expected.map((one) => outcomes[one.slice(one.indexOf(' ') + 1)]))).toEqual(new Set(['done']));
    // Each object once, whatever became of its create.
    expect(
      rows(former, 'redis')
        .map(({ name }) => String(name))
        .toSorted(),
    ).toEqual(['cache', 'fresh']);
    expect(rows(former, 'mariadb').map(({ name }) => name)).toEqual(['orders']);
    expect(
      rows(former, 'sshKey')
        .filter(({ name }) => name === 'deploy')
        .map(({ publicKey }) => publicKey),
    ).toEqual(['ssh-ed25519 AAAAtwo shop']);
    expect(rows(former, 'compose')).toMatchObject([{ description: 'The shop itself' }]);
    const deployments = (owner: string) =>
      rows(former, 'deployment').filter((row) => typeof row[owner] === 'string').length;
    // The first apply made one of each. The platform lost the second one of the application with its queue.
    expect([deployments('applicationId'), deployments('composeId')]).toEqual([2, expected.includes(shop) ? 3 : 2]);
  });

  test('is finished without a secret too, as far as nothing needs it', async () => {
    const former = openFormer('interrupted', (world) => void interruptDeployments(world));
    former.keepSecrets(Object.keys(formerSecrets).filter((name) => name !== 'TOKEN'));
    const plan = await planned(former);
    expect(actionsOf(plan).toSorted()).toEqual([...left, shop].toSorted());
    expect(notComparedIn(plan)).toEqual(['production.compose.shop source.composeFile: not recorded']);
    await applied(former);
  });
});

test('a first apply that was killed before it saved a state is finished', async () => {
  const former = openFormer('first');
  expect(Object.keys(former.stored())).toEqual(['state.journal']);
  const plan = await planned(former);
  expect(actionsOf(plan)).toEqual([
    'create staging.redis.cache',
    'update staging.compose.shop',
    'deploy staging.compose.shop (deploy)',
    'deploy staging.redis.cache (deploy)',
  ]);
  await applied(former);
  for (const table of ['compose', 'redis'] as const) expect(rows(former, table)).toHaveLength(1);
  expect(rows(former, 'environment').map(({ name }) => name)).toEqual(['production', 'production', 'staging']);
  expect(rows(former, 'sshKey').filter(({ name }) => name === 'deploy')).toHaveLength(1);
});

test('findings that were remembered beside the state stay known, and what was accepted there counts for nothing', async () => {
  const former = openFormer('remembered');
  const shop = 'production.compose.shop';
  const plan = await planned(former);
  expect(changesIn(plan)).toEqual([`${shop} env.REGION`, `${shop} env.ZONE`]);
  const { findings, diagnostics } = await former.drift();
  expect(findings.map(({ path, status, since }) => [path, status, since])).toEqual([
    ['env.REGION', 'known', '2026-11-26'],
    ['env.ZONE', 'known', '2026-11-26'],
  ]);
  expect(diagnostics).toMatchObject([
    {
      code: 'acceptance-void',
      message: expect.stringContaining(`accepts drift of ${shop} env.REGION until 2099-12-31, as an earlier`) as string,
      // Not that day: it is more than a year away.
      remedy: `To renew it: trueup drift accept ${shop} --field env.REGION --until DAY --because 'Black Friday'.`,
    },
  ]);
  await applied(former);
  expect((await former.drift()).findings).toEqual([]);
  expect(former.stored()['documents/drift.yaml']).toContain('trueup-drift: 1');
});
