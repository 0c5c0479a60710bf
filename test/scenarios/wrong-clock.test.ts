import { afterEach, describe, expect, test, vi } from 'vitest';
import { needsConsent } from '../../src/plan/action.ts';
import type { Send } from '../../src/api/wire.ts';
import type { Clock } from '../../src/state/clock.ts';
import { session } from '../../src/workflow/session.ts';
import { passing, platformWith } from '../support/deploying.ts';
import {
  actionsOf,
  applyOver,
  byHand,
  connection,
  everything,
  idOf,
  losing,
  operationOf,
  plansNothing,
  platformOver,
  results,
  rowsIn,
} from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import { bench } from '../support/world.ts';

/** The clock of the machine is wrong by more than the 10 minutes that two clocks may differ. */

afterEach(() => void vi.useRealTimers());

const main = 'production.postgres.main';
const text = production(database());

/** A platform with the right time, which its answers show in `Date`, and a run whose clock is off by so much. */
function world(offMs: number) {
  const right = selfMovingClock();
  const made = bench({ clock: right, emulate: {} });
  const wrong: Clock = { ...right, wall: () => right.wall() + offMs };
  const dated: Send = async (request) => {
    const answer = await made.emulator.send(request);
    return { ...answer, headers: { ...answer.headers, date: new Date(right.wall()).toUTCString() } };
  };
  return { made, wrong: { ...made, clock: wrong }, dated };
}

/** Runs an apply that ends, like a killed one, after the platform created the database and before the answer. */
async function killed({ wrong, dated }: ReturnType<typeof world>): Promise<void> {
  const stopped = new AbortController();
  let isDead = false;
  const send: Send = async (request) => {
    if (isDead) throw connection('ECONNREFUSED');
    const answer = await dated(request);
    if (operationOf(request) !== 'postgres.create') return answer;
    isDead = true;
    stopped.abort();
    throw connection('ECONNRESET');
  };
  await applyOver(wrong, text, send, { signal: stopped.signal });
}

describe.each([12, -12, 600])('K11: a clock that is wrong by %i minutes', (minutes) => {
  test('does not keep the next run from knowing the object of a killed one', async () => {
    const about = world(minutes * 60_000);
    const { made } = about;
    await killed(about);
    expect(made.store.state?.resources[main]).toMatchObject({ id: null, pending: { is: 'create' } });
    const planned = await made.plan(text);
    expect(planned.actions.filter(needsConsent)).toEqual([]);
    expect(actionsOf(planned)).not.toContain(`create ${main}`);
    await made.apply(text);
    expect(Object.keys(made.emulator.world.tables.postgres)).toEqual([idOf(made, main)]);
    await plansNothing(made, text);
  });
});

test('K11: an object that somebody made hours earlier is not that of a killed run, whatever the clock', async () => {
  const about = world(11 * 60_000);
  const { made } = about;
  await killed(about);
  const [postgresId = ''] = Object.keys(made.emulator.world.tables.postgres);
  await made.emulator.act('postgres.remove', { postgresId });
  const row = made.emulator.world.tables.postgres;
  const id = await byHand(made);
  Object.assign(row[id] ?? {}, { createdAt: new Date(made.clock.wall() - 7_200_000).toISOString() });
  const planned = await made.plan(text);
  expect(planned.actions.filter(needsConsent).map(({ address }) => address)).toEqual([main]);
});

test.each([1, 15])(
  'with right clocks, a create whose answer is lost %i minutes after the answer before it is found',
  async (minutes) => {
    const made = platformWith();
    const loses = losing(made, 'postgres.create');
    const dated: Send = async (request) => {
      const answer = await loses(request);
      return { ...answer, headers: { ...answer.headers, date: new Date().toUTCString() } };
    };
    const manifest = await made.manifest(text);
    const applying = session(
      manifest,
      platformOver(made, dated),
      { purpose: 'apply', clock: made.clock },
      async (run) => {
        const planned = await run.plan();
        await made.clock.sleep(minutes * 60_000); // for the approval
        return run.apply(planned, everything);
      },
    );
    expect(results(await passing(applying))[main]).toBe('done');
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
  },
);
