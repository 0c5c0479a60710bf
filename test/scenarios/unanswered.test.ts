import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Bench } from '../support/world.ts';
import { rowsIn } from '../support/faults.ts';
import { composeBody, database, production, stack } from '../support/manifest-texts.ts';
import { applyOnce, calmPlatform, leftOver } from '../support/unreliable.ts';
import { head } from '../support/world.ts';

/** What one apply does about writes without a good answer, and about what shows late. */

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());

/** Applies a manifest while a file of faults holds: what failed, and what was said. */
async function applyOver(made: Bench, text: string, faults: string) {
  const begin = performance.now();
  const before = made.emulator.log.length;
  const plan = faultPlan.parse(parse(`faults: [${faults}]`));
  const met: number[] = [];
  const { send } = createFaults(made.emulator, plan, () => met.push(Date.now()));
  const { failed, said } = await applyOnce(made, text, send, () => 0.5);
  return {
    failed: failed.map(({ action, result }) => `${action.address} ${result}`),
    said,
    /** When each fault was met. */
    met,
    seconds: (performance.now() - begin) / 1_000,
    /** How often an operation came to the platform, and how often it was carried out. */
    count: (operation: string) => {
      const calls = made.emulator.log.slice(before).filter((item) => item.operation === operation);
      return [calls.length, calls.filter(({ status }) => status === 200).length];
    },
  };
}

/** A platform on which a manifest was applied without any fault. */
async function after(text: string): Promise<Bench> {
  const made = calmPlatform();
  expect((await applyOver(made, text, '')).failed).toEqual([]);
  return made;
}

const one = production(database());
const described = production(database('description: Live.'));
const gone = production('    postgres: {}\n');

describe('an update', () => {
  test.each(['{ answer: 500 }', '{ answer: 400 }'])(
    'that is executed, and answered with %s, is read back, and sent again by the next run',
    async (fault) => {
      const made = await after(one);
      const run = await applyOver(made, described, `{ on: postgres.update, at: 1, after: ${fault} }`);
      expect(run.failed).toEqual(['production.postgres.main unverified']);
      expect(run.count('postgres.update')).toEqual([1, 1]);
      const next = await applyOver(made, described, '');
      expect(next.failed).toEqual([]);
      expect(next.count('postgres.update')).toEqual([1, 1]);
      expect(await leftOver(made, described)).toEqual([]);
    },
  );

  test.each(['drop', '{ page: 502 }', '{ page: 200 }', '{ cut: json }'])(
    'that is executed, and answered with %s, is read back and not sent again',
    async (fault) => {
      const made = await after(one);
      const run = await applyOver(made, described, `{ on: postgres.update, at: 1, after: ${fault} }`);
      expect(run.failed).toEqual([]);
      expect(run.count('postgres.update')).toEqual([1, 1]);
      expect(await leftOver(made, described)).toEqual([]);
    },
  );

  test('that gets lost again and again is sent four times at most', async () => {
    const made = await after(one);
    const lost = await applyOver(made, described, '{ on: postgres.update, before: drop }');
    expect(lost.failed).toEqual(['production.postgres.main failed']);
    expect(lost.count('postgres.update')).toEqual([4, 0]);
    expect(made.store.state?.resources['production.postgres.main']?.pending).toMatchObject({
      is: 'write',
      at: lost.met.at(-1),
    });
    const again = await after(one);
    const third = await applyOver(again, described, '{ on: postgres.update, times: 3, before: { page: 502 } }');
    expect(third.failed).toEqual([]);
    expect(third.count('postgres.update')).toEqual([4, 1]);
    expect(await leftOver(again, described)).toEqual([]);
  });

  test('that is refused is not sent again', async () => {
    const made = await after(one);
    const run = await applyOver(made, described, '{ on: postgres.update, before: { answer: 409 } }');
    expect(run.failed).toEqual(['production.postgres.main failed']);
    expect(run.count('postgres.update')).toEqual([1, 0]);
  });

  test('with only some of its fields in effect is sent again', async () => {
    const text = (value: string) => production(database(`description: ${value}, env: { A: ${value} }`));
    const made = await after(text('one'));
    const theirs = 'with: { postgresId: $postgresId, description: two }';
    const run = await applyOver(made, text('two'), `{ on: postgres.update, at: 1, before: drop }`);
    expect(run.failed).toEqual([]);
    const other = await after(text('one'));
    const partly = `{ on: postgres.update, at: 1, before: { do: postgres.update, ${theirs}, drop: true } }`;
    expect((await applyOver(other, text('two'), partly)).failed).toEqual([]);
    expect(await leftOver(other, text('two'))).toEqual([]);
  });
});

describe('a deletion', () => {
  test('that is executed without an answer is read back and not sent again', async () => {
    const made = await after(one);
    const run = await applyOver(made, gone, '{ on: postgres.remove, after: drop }');
    expect(run.failed).toEqual([]);
    expect(run.count('postgres.remove')).toEqual([1, 1]);
  });

  test('that gets lost is sent again', async () => {
    const made = await after(one);
    const run = await applyOver(made, gone, '{ on: postgres.remove, times: 3, before: drop }');
    expect(run.failed).toEqual([]);
    expect(rowsIn(made, 'postgres')).toEqual([]);
  });
});

describe('a move', () => {
  const moving = `${head}moved: [{ from: production.postgres.main, to: staging.postgres.main }]\nenvironments:\n  production: {}\n  staging:\n${database()}`;
  const both = `${head}environments:\n  staging: {}\n  production:\n${database()}`;

  test.each([
    ['executed without an answer is read back and not sent again', 'after: drop', [1, 1]],
    ['lost is sent again', 'at: [1, 2], before: drop', [3, 1]],
  ])('that is %s', async (_what, fault, count) => {
    const made = await after(both);
    const run = await applyOver(made, moving, `{ on: postgres.move, ${fault} }`);
    expect(run.failed).toEqual([]);
    expect(run.count('postgres.move')).toEqual(count);
    expect(await leftOver(made, moving)).toEqual([]);
  });
});

describe('a create', () => {
  test('that gets lost again and again is sent four times at most, each time after its in-flight timeout', async () => {
    const made = calmPlatform();
    const run = await applyOver(made, one, '{ on: postgres.create, times: 3, before: drop }');
    expect(run.failed).toEqual([]);
    expect(run.count('postgres.create')).toEqual([4, 1]);
    expect(run.seconds).toBeGreaterThanOrEqual(180);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    expect(await leftOver(made, one)).toEqual([]);
    const all = await applyOver(calmPlatform(), one, '{ on: postgres.create, before: drop }');
    expect(all.failed).toContain('production.postgres.main failed');
    expect(all.count('postgres.create')).toEqual([4, 0]);
  });

  test('that takes effect at the end of its in-flight timeout, during a slow poll, is found and not sent again', async () => {
    const made = calmPlatform();
    const slow = '{ on: environment.one, after: { delay: 25s } }';
    const run = await applyOver(made, one, `{ on: postgres.create, at: 1, late: 58s }, ${slow}`);
    expect(run.failed).toEqual([]);
    expect(run.count('postgres.create')).toEqual([1, 1]);
  });

  test('that is answered with an error, in an environment that does not show yet, is found', async () => {
    const made = calmPlatform();
    const text = `${head}environments:\n  production: {}\n  staging:\n${database()}`;
    const unseen = '{ on: environment.create, after: { unseen: 3s } }';
    const run = await applyOver(made, text, `${unseen}, { on: postgres.create, after: { answer: 500 } }`);
    expect(run.failed).toEqual(['staging.postgres.main unverified', 'staging.postgres.main (deploy) skipped']);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    expect((await applyOver(made, text, '')).failed).toEqual([]);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    expect(await leftOver(made, text)).toEqual([]);
  });

  test('that got lost is polled for with few reads', async () => {
    const made = calmPlatform();
    const calm = await applyOver(calmPlatform(), one, '');
    const run = await applyOver(made, one, '{ on: postgres.create, at: 1, before: drop }');
    expect(run.failed).toEqual([]);
    const [looks = 0] = run.count('environment.one');
    expect(looks - (calm.count('environment.one')[0] ?? 0)).toBeLessThanOrEqual(5);
  });
});

describe('an effect that shows late', () => {
  const late = '{ on: POST, after: { unseen: 3s } }';
  const key = JSON.stringify('-----BEGIN OPENSSH PRIVATE KEY-----\none\n-----END OPENSSH PRIVATE KEY-----\n');
  const withMore = (value: string, databaseName: string) =>
    `${head}sshKeys: { deploy: { publicKey: ssh-ed25519 AAAA, privateKey: ${key}, description: "${value}" } }
environments:
  production: {}
  staging:
    env: { A: "${value}" }
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: ${databaseName}
        databaseUser: u
        databasePassword: password-1
        description: "${value}"
        backups: { nightly: { schedule: '0 3 * * *', destinationId: dst_1, prefix: "${value}/" } }
    compose:
      shop:
        ${composeBody}
        env: { DB: "\${ref:postgres.main.host}" }
        domains: { a.example.com: { serviceName: web, path: "/${value}" } }
`;

  test('is waited for after a create, update, replacement or deletion', async () => {
    const made = calmPlatform();
    for (const text of [withMore('one', 'shop'), withMore('two', 'shop'), withMore('two', 'store'), gone]) {
      expect((await applyOver(made, text, late)).failed).toEqual([]);
      expect(await leftOver(made, text)).toEqual([]);
    }
    expect(rowsIn(made, 'postgres')).toEqual([]);
  });

  test('is waited for by actions that need it', async () => {
    const made = calmPlatform();
    const text = `${head}gitea:
  forge: { giteaUrl: "https://git.example.com", clientId: c, clientSecret: s-1, redirectUri: "https://d.example.com" }
environments:
  production:
    application:
      api:
        source: { type: gitea, provider: forge, owner: o, repository: r, branch: main }
        env: { PROVIDER: "\${ref:gitea.forge.gitProviderId}" }
`;
    expect((await applyOver(made, text, late)).failed).toEqual([]);
    expect(await leftOver(made, text)).toEqual([]);
  });

  test('is polled for 5 s, and then reported as ignored', async () => {
    const made = await after(one);
    const [calm = 0] = (await applyOver(await after(one), described, '')).count('postgres.one');
    const { send } = made.emulator;
    // It answers as if it had kept the value.
    made.emulator.send = (request, about) =>
      request.path === '/api/postgres.update'
        ? Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: 'true' })
        : send(request, about);
    const run = await applyOver(made, described, '');
    expect(run.failed).toEqual(['production.postgres.main ignored']);
    expect(run.seconds).toBeLessThan(8);
    expect((run.count('postgres.one')[0] ?? 0) - calm).toBeLessThanOrEqual(3);
  });
});

describe('a deployment', () => {
  const shop = production(stack());

  test.each(['before: { page: 502 }', 'before: { answer: 500 }'])(
    'that gets %s from a proxy is polled for, and started again',
    async (fault) => {
      const made = calmPlatform();
      const run = await applyOver(made, shop, `{ on: compose.deploy, times: 3, ${fault} }`);
      expect(run.failed).toEqual([]);
      expect(run.count('compose.deploy')).toEqual([4, 1]);
      expect(run.said).toContain('started it again');
      expect(await leftOver(made, shop)).toEqual([]);
    },
  );

  test.each(['{ page: 200 }', '{ answer: 500 }'])('that gets %s is found when it was executed', async (fault) => {
    const run = await applyOver(calmPlatform(), shop, `{ on: compose.deploy, after: ${fault} }`);
    expect([run.failed, run.count('compose.deploy')]).toEqual([[], [1, 1]]);
  });

  test('that got lost is polled for with few reads', async () => {
    const calm = await applyOver(calmPlatform(), shop, '');
    const run = await applyOver(calmPlatform(), shop, '{ on: compose.deploy, at: 1, before: drop }');
    expect(run.failed).toEqual([]);
    expect((run.count('compose.one')[0] ?? 0) - (calm.count('compose.one')[0] ?? 0)).toBeLessThanOrEqual(6);
  });

  test('that gets lost again and again may land a while after the last of them', async () => {
    const made = calmPlatform();
    const run = await applyOver(made, shop, '{ on: compose.deploy, before: drop }');
    expect(run.failed).toEqual(['production.compose.shop (deploy) failed']);
    expect(made.store.state?.deployments['production.compose.shop']?.pending).toMatchObject({ at: run.met.at(-1) });
  });

  test('that is found while it runs is waited for as closely as any other', async () => {
    const made = calmPlatform({ deployDelayMs: 20_000 });
    const run = await applyOver(made, shop, '{ on: compose.deploy, after: drop }');
    expect(run.failed).toEqual([]);
    expect(run.seconds).toBeLessThan(24);
  });

  test('of a database succeeds when its status can be reset only later', async () => {
    const made = await after(one);
    const other = one.replace('postgres:17', 'postgres:17.5');
    const run = await applyOver(made, other, '{ on: postgres.changeStatus, times: 3, before: drop }');
    expect(run.failed).toEqual([]);
    expect(run.count('postgres.changeStatus')).toEqual([4, 1]);
    expect((rowsIn(made, 'postgres')[0] as Row).dockerImage).toBe('postgres:17.5');
    expect(await leftOver(made, other)).toEqual([]);
  });
});
