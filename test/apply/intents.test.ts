import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { openUntil } from '../../src/apply/intents.ts';
import type { Row } from '../../src/kind/json.ts';
import {
  applyOver,
  connection,
  database,
  operationOf,
  plansNothing,
  production,
  results,
  rowsIn,
} from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** What a run writes down before it sends something, and what the next one makes of it. */

const main = 'production.postgres.main';
const saying = (description: string) => production(database(`description: ${description}`));
const described = (made: Bench) => (rowsIn(made, 'postgres')[0] as Row).description;

/** The addresses of which the state says that something was sent, while each write is on its way. */
function watching(made: Bench, seen: Map<string, readonly string[]>): Send {
  return async (request) => {
    if (request.method === 'POST') {
      const open = Object.entries(made.store.state?.resources ?? {}).filter(([, { intent }]) => intent !== undefined);
      seen.set(
        operationOf(request),
        open.map(([address]) => address),
      );
    }
    return made.emulator.send(request);
  };
}

describe('before a request is sent, the state says that it is,', () => {
  test('of a create, an update, a replacement and a deletion; and nothing of it when they are over', async () => {
    const made = bench();
    const seen = new Map<string, readonly string[]>();
    await applyOver(made, saying('a'), watching(made, seen));
    await applyOver(made, saying('b'), watching(made, seen));
    await applyOver(made, production('    postgres: {}\n'), watching(made, seen));
    expect(seen.get('postgres.create')).toContain(main);
    expect(seen.get('postgres.update')).toContain(main);
    expect(seen.get('postgres.remove')).toContain(main);
    expect(openUntil(made.store.state, 60_000)).toBeUndefined();
  });
});

describe('an update of which no answer came, twice,', () => {
  /** Updates that are lost, and carried out when the test says so. */
  const losing =
    (made: Bench, lost: (() => Promise<unknown>)[]): Send =>
    (request) => {
      if (operationOf(request) !== 'postgres.update') return made.emulator.send(request);
      lost.push(() => made.emulator.send(request));
      return Promise.reject(connection('ETIMEDOUT'));
    };

  test('may still land: the next run waits until it cannot, and looks then', async () => {
    const made = bench();
    await made.apply(saying('a'));
    const lost: (() => Promise<unknown>)[] = [];
    const failing = await applyOver(made, saying('b'), losing(made, lost));
    expect(results(failing)[main]).toBe('failed');
    expect(lost).toHaveLength(2);
    const before = made.clock.monotonic();
    // It lands while the next run waits, which wants what was before.
    const landing = made.clock.sleep(30_000).then(async () => lost[0]?.());
    await made.apply(saying('a'));
    await landing;
    expect(made.clock.monotonic() - before).toBeGreaterThanOrEqual(50_000);
    expect(described(made)).toBe('a');
    await plansNothing(made, saying('a'));
  });

  test('is waited for once: afterwards nothing is open', async () => {
    const made = bench();
    await made.apply(saying('a'));
    await applyOver(made, saying('b'), losing(made, []));
    await made.apply(saying('b'));
    expect(described(made)).toBe('b');
    const before = made.clock.monotonic();
    await plansNothing(made, saying('b'));
    expect(made.clock.monotonic() - before).toBeLessThan(30_000);
  });
});

test('an intent of a time to come, by a clock that was set back, makes nobody wait longer than the fence', async () => {
  const made = bench();
  await made.apply(saying('a'));
  const { state } = made.store;
  const record = state?.resources[main];
  if (state === undefined || record === undefined) throw new Error('nothing was applied');
  const intent = { at: Date.now() + 1_000_000_000 };
  made.store.state = { ...state, resources: { ...state.resources, [main]: { ...record, intent } } };
  const before = made.clock.monotonic();
  await made.apply(saying('a'));
  expect(made.clock.monotonic() - before).toBeLessThan(70_000);
});
