import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { applyInTime, platformWith } from '../support/deploying.ts';
import { actionsOf, answered, applyOver, connection, failed, operationOf, results, rowsIn } from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Reads that fail or lie in the middle of a run, and requests that wait when the run ends. */

afterEach(() => void vi.useRealTimers());

const text = production(database('deploy: never'));
const main = 'production.postgres.main';
const none = `${head}environments: {}\n`;
const key = `${none}sshKeys:\n  deploy: { publicKey: "ssh-ed25519 AAAA a", privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\\nx\\n-----END OPENSSH PRIVATE KEY-----" }\n`;
const keysNamedDeploy = (made: Bench) =>
  Object.values(made.emulator.world.tables.sshKey).filter(({ name }) => name === 'deploy');

describe('the record of a create stays pending', () => {
  test.each(['ECONNRESET', 'ECONNREFUSED'])(
    'when its answer is lost and the platform stays away (%s)',
    async (code) => {
      const made = bench();
      let isAway = false;
      await applyOver(made, text, async (request) => {
        if (isAway) throw connection(code);
        const answer = await made.emulator.send(request);
        if (operationOf(request) !== 'postgres.create') return answer;
        isAway = true;
        throw connection('ECONNRESET');
      });
      expect(made.store.state?.resources[main]?.pending?.is).toBe('create');
      expect(actionsOf(await made.plan(text))).toEqual([]);
    },
  );

  test('when it was answered without an id and the list cannot be read', async () => {
    const made = bench();
    let isAway = false;
    await applyOver(made, key, async (request) => {
      if (isAway) throw connection('ECONNREFUSED');
      const answer = await made.emulator.send(request);
      isAway = operationOf(request) === 'sshKey.create';
      return answer;
    });
    expect(actionsOf(await made.plan(none))).toEqual(['delete sshKeys.deploy']);
  });

  test('no longer when it was not sent', async () => {
    const made = bench();
    await applyOver(made, text, async (request) => {
      if (operationOf(request) === 'postgres.create') throw new Stop('refused', []);
      return made.emulator.send(request);
    });
    expect(made.store.state?.resources[main]).toBeUndefined();
  });
});

describe('a pending create when one list lacks its object once', () => {
  /** A platform on which a key was created and the run ended before it was found. */
  async function interrupted(): Promise<Bench> {
    const made = bench();
    const stop = new AbortController();
    const send: Send = async (request) => {
      if (stop.signal.aborted) return answered('[]');
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'sshKey.create') return answer;
      stop.abort();
      throw connection('ECONNRESET');
    };
    await applyOver(made, key, send, { signal: stop.signal });
    return made;
  }

  const lackingOnce = (made: Bench): Send => {
    let lists = 0;
    return async (request) => {
      const answer = await made.emulator.send(request);
      return operationOf(request) === 'sshKey.all' && lists++ === 0 ? answered('[]') : answer;
    };
  };

  test('is found, and nothing is created beside it', async () => {
    const made = await interrupted();
    expect(results(await applyOver(made, key, lackingOnce(made)))['sshKeys.deploy']).toBe('done');
    expect(keysNamedDeploy(made)).toHaveLength(1);
    expect(actionsOf(await made.plan(key))).toEqual([]);
  });

  test('is deleted when its block is gone', async () => {
    const made = await interrupted();
    await applyOver(made, none, lackingOnce(made));
    expect(keysNamedDeploy(made)).toEqual([]);
  });
});

test('a 404 of the parent does not prove that its children are gone', async () => {
  const made = bench();
  await made.apply(text);
  let isWrong = false;
  const again = applyOver(made, text, async (request) => {
    const operation = operationOf(request);
    isWrong ||= operation === 'postgres.one';
    const is404 = isWrong && (operation === 'postgres.one' || operation === 'environment.one');
    return is404 ? failed(`${operation} not found`, 404, { code: 'NOT_FOUND' }) : made.emulator.send(request);
  });
  await expect(again).rejects.toThrow('postgres.one answers that it does not exist');
  expect(rowsIn(made, 'postgres')).toHaveLength(1);
});

test('a clock that is wrong by a quarter of an hour does not hide the object of an answered create', async () => {
  const clock = selfMovingClock();
  const emulator = createEmulator({ now: () => new Date(clock.wall() + 15 * 60_000) });
  const made = bench({ clock, emulator });
  expect(results(await applyOver(made, key, emulator.send))['sshKeys.deploy']).toBe('done');
  expect(actionsOf(await made.plan(key))).toEqual([]);
});

test('deployments that wait for a connection when the run is interrupted are not started, and every outcome is reported', async () => {
  const made = platformWith(1);
  const compose = (name: string) =>
    `      ${name}: { source: { type: raw, composeFile: "services: { web: { image: 'nginx:1' } }" } }\n`;
  const all = ['a', 'b', 'c', 'd', 'e', 'f'];
  const stop = new AbortController();
  let orders = 0;
  const result = await applyInTime(made, production(`    compose:\n${all.map(compose).join('')}`), {
    signal: stop.signal,
    send: async (request) => {
      if (operationOf(request) === 'compose.deploy') {
        orders += 1;
        if (orders === 4) setTimeout(() => stop.abort(), 500);
        await new Promise((resolve) => setTimeout(resolve, 5_000));
      }
      return made.emulator.send(request);
    },
  });
  expect(orders).toBe(4);
  const told = all.map((name) => results(result)[`production.compose.${name} (deploy)`]);
  expect(told.filter((result) => result === 'unverified')).toHaveLength(4);
  expect(told.filter((result) => result === 'failed')).toHaveLength(2);
});
