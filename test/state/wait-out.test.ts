import { expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { waitOut } from '../../src/state/wait-out.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { createMemory, memoryStore } from '../../src/state/backends/memory.ts';
import type { StateStore } from '../../src/state/state.ts';
import { processTime } from '../../src/state/conformance/virtual-processes.ts';
import {
  applyOver,
  connection,
  everything,
  operationOf,
  plansNothing,
  results,
  rowsIn,
  said,
  worldOver,
} from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** How long a run waits for what runs before it may have sent. */

const inFlightTimeoutMs = 60_000;

/** A memory in which a run is open, and processes that work with it. */
async function begin({ isOpen }: { readonly isOpen: boolean }) {
  const made = bench();
  await made.apply(production('    postgres: {}\n'));
  if (isOpen) {
    const controller = new AbortController();
    const send: Send = (request) => {
      if (operationOf(request) !== 'postgres.create') return made.emulator.send(request);
      controller.abort();
      return Promise.reject(connection('ETIMEDOUT'));
    };
    await applyOver(made, production(database()), send, { signal: controller.signal });
  }
  const time = processTime();
  const memory = createMemory(time.process().clock);
  memory.state = made.store.state;
  const enter = async (machine: string, setClock = 0) => {
    const process = time.process({ machine });
    process.setClock(setClock);
    const store = memoryStore(undefined, { ...process, memory });
    const lease = await store.lock({ purpose: 'apply' });
    return { process, store, lease };
  };
  /** What a run waits that takes the lock now. */
  const waited = async (machine: string, setClock = 0): Promise<number> => {
    const { process, store, lease } = await enter(machine, setClock);
    let ms = 0;
    const clock = { ...process.clock, sleep: () => Promise.resolve() };
    await waitOut(store, { inFlightTimeoutMs, clock, lease, onWait: (told) => (ms = told) });
    await store.close();
    return ms;
  };
  return { time, memory, enter, waited };
}

test.each([-3_600_000, 0, 61_000, 3_600_000])(
  'a machine with a clock that is off by %i ms waits for the pending requests of the earlier run, not longer',
  async (setClock) => {
    const { time, enter, waited } = await begin({ isOpen: true });
    await (await enter('here')).store.close();
    await time.pass(20_000);
    expect(await waited('far', setClock)).toBe(40_000);
    await time.pass(60_000);
    expect(await waited('further', setClock)).toBe(0);
  },
);

test('a run waits the whole in-flight timeout where no lock gives the time of the pending requests', async () => {
  expect(await (await begin({ isOpen: true })).waited('here')).toBe(inFlightTimeoutMs);
});

test('the longer of two timeouts counts: that of the run before, and that of this one', async () => {
  const { time, memory, enter, waited } = await begin({ isOpen: true });
  const { state } = memory;
  if (state === undefined) throw new Error('nothing was applied');
  const withTimeout = (timeoutMs: number) =>
    Object.fromEntries(
      Object.entries(state.resources).map(([address, record]) => [
        address,
        record.id === null && record.pending !== undefined
          ? { ...record, pending: { ...record.pending, timeoutMs } }
          : record,
      ]),
    );
  await (await enter('here')).store.close();
  for (const [timeoutMs, ms] of [
    [5_000, 60_000],
    [300_000, 300_000],
  ] as const) {
    memory.state = { ...state, resources: withTimeout(timeoutMs) };
    expect(await waited('here')).toBe(ms);
  }
  await time.pass(200_000);
  await (await enter('here')).store.close();
  expect(await waited('here')).toBe(300_000);
  await time.pass(299_000);
  expect(await waited('far')).toBe(1_000);
});

test('a run that left nothing open is not waited for', async () => {
  const { enter, waited } = await begin({ isOpen: false });
  await (await enter('here')).store.close();
  expect(await waited('here')).toBe(0);
  (await enter('here')).process.kill();
  expect(await waited('here')).toBe(0);
});

test.each([true, false])(
  'a run waits for a holder that lost its lock and may still send, with something pending: %s',
  async (isOpen) => {
    const { time, enter, waited } = await begin({ isOpen });
    const { store } = await enter('far');
    await time.pass(10_000);
    await (await store.holder())?.remove();
    expect(await waited('here')).toBe(110_000);
    // Whoever comes after a run that did not wait knows of it too.
    await time.pass(30_000);
    expect(await waited('here')).toBe(80_000);
    await time.pass(80_000);
    expect(await waited('here')).toBe(0);
  },
);

test('of two that hold one lock after another only one makes anything, when the first one does not know yet', async () => {
  const made = bench();
  await made.apply(production('    postgres: {}\n'));
  const time = processTime();
  const memory = createMemory(time.process().clock);
  memory.state = made.store.state;
  const open = (machine: string) => memoryStore(undefined, { ...time.process({ machine }), memory });
  const [one, two] = [open('far'), open('here')];
  const text = production(database());
  const planned = async (store: StateStore) => {
    const lease = await store.lock({ purpose: 'apply' });
    const world = worldOver(
      made,
      async (request) => {
        if (request.method === 'POST') lease.check();
        return made.emulator.send(request);
      },
      store,
    );
    const shown = await plan(await made.manifest(text), world);
    return () => applyPlan(shown, world, { permissions: everything, connections: 4, clock: made.clock });
  };
  const first = await planned(one);
  await (await two.holder())?.remove();
  const second = await planned(two);
  const [failed, done] = [await first().catch((error: unknown) => error), await second()];
  expect(String(failed instanceof Error ? failed : said(failed as typeof done))).toContain(
    'the lock of the state in memory is lost',
  );
  expect(results(done)['production.postgres.main']).toBe('done');
  expect(rowsIn(made, 'postgres')).toHaveLength(1);
  made.store.state = memory.state;
  await plansNothing(made, text);
});
