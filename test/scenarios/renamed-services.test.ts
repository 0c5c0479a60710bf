import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { everything, plansNothing, rowsIn } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** A deployment renames the services of a compose with randomize and a suffix; users go on writing the plain names. */

const shop = (settings: string, more = '') => `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx }, api: { image: api }, db: { image: db } }" }
${settings === '' ? '' : `        ${settings}\n`}        domains:
          shop.example.com: { serviceName: web, port: 80${more} }
        backups:
          nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: shop/, database: shop, databaseType: postgres, serviceName: db }
        volumeBackups:
          uploads: { volumeName: up, cronExpression: "0 3 * * *", destinationId: dst_1, prefix: up/, serviceName: api }
`;
const randomized = (suffix = 'a1', more = '') => `randomize: true, suffix: ${suffix}${more}`;
const withSettings = (settings: string, more = '') => shop(settings.replaceAll(', ', '\n        '), more);

const addresses = [
  'production.compose.shop.domains["shop.example.com"]',
  'production.compose.shop.backups.nightly',
  'production.compose.shop.volumeBackups.uploads',
];
const names = (made: ReturnType<typeof bench>) =>
  (['domain', 'backup', 'volumeBackup'] as const).map((table) =>
    Object.values(made.emulator.world.tables[table]).map((row) => row['serviceName']),
  );
const statusOf = (made: ReturnType<typeof bench>) => rowsIn(made, 'compose').map((row) => row['composeStatus']);

describe('R1: the domains and backups of a compose with randomize and a suffix', () => {
  test('name the service as the file does, and the platform gets the name with the suffix', async () => {
    const made = bench();
    const planned = await made.plan(withSettings(randomized()));
    const shown = planned.actions.flatMap(({ changes }) => changes.filter(({ path }) => path === 'serviceName'));
    expect(shown.map(({ after }) => after)).toEqual(['web', 'db', 'api'].map((value) => ({ is: 'value', value })));
    await made.apply(withSettings(randomized()));
    expect(names(made)).toEqual([['web-a1'], ['db-a1'], ['api-a1']]);
    expect(statusOf(made)).toEqual(['done']);
    await plansNothing(made, withSettings(randomized()));
  });

  test.each([
    ['randomize without a suffix', 'randomize: true'],
    ['a suffix without randomize', 'suffix: a1'],
    ['isolatedDeployment beside both', randomized('a1', ', isolatedDeployment: true')],
    ['isolatedDeployment and a suffix', 'suffix: a1, isolatedDeployment: true'],
    [
      'isolatedDeployment of the volumes too beside both',
      randomized('a1', ', isolatedDeployment: true, isolatedDeploymentsVolume: true'),
    ],
    ['neither', ''],
  ])('have the plain name with %s', async (_title, settings) => {
    const made = bench();
    // Without that network docker would refuse the file.
    if (settings.includes('isolated')) await made.emulator.act('network.create', { name: 'a1' });
    await made.apply(withSettings(settings));
    expect(names(made)).toEqual([['web'], ['db'], ['api']]);
    expect(statusOf(made)).toEqual(['done']);
    await plansNothing(made, withSettings(settings));
  });

  test('have it as a stack too', async () => {
    const made = bench();
    const text = withSettings(randomized('a1', ', composeType: stack'));
    await made.apply(text);
    expect(names(made)).toEqual([['web-a1'], ['db-a1'], ['api-a1']]);
    expect(statusOf(made)).toEqual(['done']);
    await plansNothing(made, text);
  });

  test('have it in schedules likewise, which follow when it goes', async () => {
    const scheduled = (settings: string) =>
      `${withSettings(settings)}        schedules:\n          cleanup: { cronExpression: "0 3 * * *", command: ls, serviceName: api }\n`;
    const made = bench();
    const serviceNames = () => Object.values(made.emulator.world.tables.schedule).map((row) => row['serviceName']);
    await made.apply(scheduled(randomized()));
    expect(serviceNames()).toEqual(['api-a1']);
    await plansNothing(made, scheduled(randomized()));
    await made.apply(scheduled(''), everything);
    expect(serviceNames()).toEqual(['api-a1']);
    await made.apply(scheduled('randomize: false'), everything);
    expect(serviceNames()).toEqual(['api']);
    await plansNothing(made, scheduled('randomize: false'));
  });

  test('follow another suffix before the deployment, and the plan shows what the platform has', async () => {
    const made = bench();
    await made.apply(withSettings(randomized()));
    const planned = await made.plan(withSettings(randomized('b2')));
    const domain = planned.actions.find(({ address }) => address === addresses[0]);
    expect(domain?.changes).toMatchObject([
      { path: 'serviceName', before: { value: 'web-a1' }, after: { value: 'web-b2' } },
    ]);
    made.requests('POST');
    await made.apply(withSettings(randomized('b2')));
    const sent = made.requests('POST');
    expect(sent[0]).toBe('compose.update');
    expect(sent.at(-1)).toBe('compose.deploy');
    expect([...sent].sort()).toEqual(
      ['backup.update', 'compose.deploy', 'compose.update', 'domain.update', 'volumeBackups.update'].sort(),
    );
    expect(names(made)).toEqual([['web-b2'], ['db-b2'], ['api-b2']]);
    expect(statusOf(made)).toEqual(['done']);
    await plansNothing(made, withSettings(randomized('b2')));
  });

  test('get their plain names back when randomize goes', async () => {
    const made = bench();
    await made.apply(withSettings(randomized()));
    await made.apply(withSettings('randomize: false, suffix: a1'));
    expect(names(made)).toEqual([['web'], ['db'], ['api']]);
    expect(statusOf(made)).toEqual(['done']);
    await plansNothing(made, withSettings('randomize: false, suffix: a1'));
  });

  test('follow the settings of the platform where the block does not declare them', async () => {
    const made = bench();
    await made.apply(withSettings(randomized()));
    await made.apply(shop(''));
    expect(names(made)).toEqual([['web-a1'], ['db-a1'], ['api-a1']]);
    await plansNothing(made, shop(''));
  });

  test('are adopted by the plain name when the state is lost', async () => {
    const made = bench();
    await made.apply(withSettings(randomized()));
    const again = bench({ emulator: made.emulator, clock: made.clock });
    again.requests('POST');
    const planned = await again.plan(withSettings(randomized()));
    expect(addresses.map((one) => planned.actions.find(({ address }) => address === one)?.action)).toEqual([
      'adopt',
      'adopt',
      'adopt',
    ]);
    await again.apply(withSettings(randomized()), everything);
    expect(again.requests('POST').filter((operation) => /domain|backup/i.test(operation))).toEqual([]);
    await plansNothing(again, withSettings(randomized()));
  });

  test('that still have the plain name on the platform are repaired, and the plan shows both names', async () => {
    const made = bench();
    await made.apply(withSettings(randomized()));
    for (const row of Object.values(made.emulator.world.tables.domain)) row['serviceName'] = 'web';
    const planned = await made.plan(withSettings(randomized()));
    expect(planned.actions.flatMap(({ changes }) => changes)).toMatchObject([
      { cause: 'drift', before: { value: 'web' }, after: { value: 'web-a1' } },
    ]);
    await made.apply(withSettings(randomized()));
    expect(names(made)[0]).toEqual(['web-a1']);
    await plansNothing(made, withSettings(randomized()));
  });

  test('show drift to another service without the suffix', async () => {
    const made = bench();
    await made.apply(withSettings(randomized()));
    for (const row of Object.values(made.emulator.world.tables.domain)) row['serviceName'] = 'api-a1';
    const planned = await made.plan(withSettings(randomized()));
    expect(planned.actions.flatMap(({ changes }) => changes)).toMatchObject([
      { cause: 'drift', before: { value: 'api' }, after: { value: 'web' } },
    ]);
  });

  test('keep the suffix when another field changes', async () => {
    const made = bench();
    await made.apply(withSettings(randomized()));
    await made.apply(withSettings(randomized(), ', https: true'));
    expect(names(made)).toEqual([['web-a1'], ['db-a1'], ['api-a1']]);
    await plansNothing(made, withSettings(randomized(), ', https: true'));
  });

  test('cannot depend on a suffix that is known only after apply', async () => {
    const made = bench();
    const text = `${withSettings('randomize: true, suffix: "${ref:redis.cache.host}"')}    redis:\n      cache: { dockerImage: redis:8, databasePassword: pw }\n`;
    const error = await made.apply(text).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Stop);
    expect((error as Stop).diagnostics[0]?.message).toMatch(
      /^serviceName: the name on the platform depends on suffix of production\.compose\.shop, which is not known before apply/,
    );
  });
});
