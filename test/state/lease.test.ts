import { describe, expect, test } from 'vitest';
import { createMemory } from '../../src/state/backends/memory.ts';
import { findHolder } from '../../src/state/holder.ts';
import { leaseContext } from '../../src/state/lease.ts';
import { takeLease } from '../../src/state/take-lease.ts';
import type { Register } from '../../src/state/register.ts';
import { stopOf } from '../../src/state/conformance/states.ts';
import { processTime } from '../../src/state/conformance/virtual-processes.ts';

/** What no place of a lease can be made to do in the suite that all of them share. */

test('a late renewal without an answer does not prolong the lease beyond the record of the state location', async () => {
  const time = processTime();
  const [one, place] = [time.process(), time.process()];
  const { lease: real } = createMemory(place.clock).storage;
  let swaps = 0;
  let landed = 0;
  let isSilent = false;
  const register: Register = {
    ...real,
    swap: async (seen, entry) => {
      swaps++;
      if (isSilent) throw new Error('no answer');
      if (swaps !== 2) return real.swap(seen, entry);
      // The first renewal: it is on its way for 4 s, and nobody hears of it.
      void place.clock.sleep(4_000).then(() => {
        landed = time.now();
        isSilent = true;
        return real.swap(seen, entry);
      });
      throw new Error('no answer');
    },
  };
  const lease = await takeLease(register, { purpose: 'apply' }, leaseContext(one));
  await time.pass(26_000);
  expect(landed).toBe(24_000);
  // Whoever looks at the place takes it over 60 s after that; by then nothing may start.
  await time.pass(landed + 60_000 - time.now());
  expect(lease.check).toThrow('is lost');
});

test('a renewal that is answered late counts from when it was sent', async () => {
  const time = processTime();
  const one = time.process();
  const { lease: real } = createMemory(one.clock).storage;
  let swaps = 0;
  const register: Register = {
    ...real,
    swap: async (seen, entry) => {
      if (++swaps > 2) throw new Error('no answer');
      const swapped = await real.swap(seen, entry);
      if (swaps === 2) await one.clock.sleep(30_000);
      return swapped;
    },
  };
  const lease = await takeLease(register, { purpose: 'apply' }, leaseContext(one));
  await time.pass(79_000); // the renewal was sent at 20 s, and answered at 50 s
  expect(lease.check).not.toThrow();
  await time.pass(1_000);
  expect(lease.check).toThrow('is lost');
});

test('a lease in a state location without a clock ends for a process that watched it for 60 s without a renewal', async () => {
  const time = processTime();
  const [one, two] = [time.process({ machine: 'far' }), time.process()];
  const { lease: real } = createMemory(one.clock).storage;
  const register: Register = {
    ...real,
    look: async () => {
      const seen = await real.look();
      return seen === undefined ? undefined : { ...seen, ageMs: undefined };
    },
  };
  await takeLease(register, { purpose: 'apply' }, leaseContext(one));
  let counter = 0;
  const waiting = takeLease(register, { purpose: 'plan', timeoutMs: 600_000 }, leaseContext(two)).then((lease) => {
    ({ counter } = lease);
    expect((lease.inherited?.mayLandUntil ?? 0) - time.now()).toBe(60_000);
  });
  await time.pass(180_000);
  expect(counter).toBe(0); // it is renewed
  one.kill();
  await time.pass(55_000);
  expect(counter).toBe(0);
  await time.pass(30_000);
  await waiting;
  expect(counter).toBe(2);
});

test('the holder with open requests stays known after renewals, and after a holder that had the lease briefly', async () => {
  const time = processTime();
  const [one, two, three] = [time.process({ machine: 'far' }), time.process(), time.process()];
  const { lease: register } = createMemory(one.clock).storage;
  await takeLease(register, { purpose: 'apply' }, leaseContext(one));
  await (await findHolder(register, leaseContext(two)))?.remove(); // it may send for 60 s, and that may land for 60 s
  const second = await takeLease(register, { purpose: 'plan' }, leaseContext(two));
  expect(second.inherited?.mayLandUntil).toBe(120_000);
  await time.pass(25_000);
  two.kill();
  const third = await takeLease(register, { purpose: 'plan' }, leaseContext(three));
  expect(third.inherited).toMatchObject({ owner: two.host.owner, mayLandUntil: 120_000 });
});

test('a renewal that got no answer and took effect is gone on from', async () => {
  const time = processTime();
  const one = time.process();
  const { lease: real } = createMemory(one.clock).storage;
  let swaps = 0;
  const register: Register = {
    ...real,
    look: () => (swaps === 2 ? Promise.reject(new Error('no answer')) : real.look()),
    swap: async (seen, entry) => {
      const swapped = await real.swap(seen, entry);
      if (++swaps === 2) throw new Error('no answer');
      return swapped;
    },
  };
  const lease = await takeLease(register, { purpose: 'apply' }, leaseContext(one));
  await time.pass(180_000);
  expect(lease.check).not.toThrow();
  await lease.release();
  expect((await real.look())?.entry.holder).toBeNull();
});

describe('a lease that can be read and not be replaced', () => {
  /** A lease that was free once, and that a process looks at so many times. */
  const fixed = async () => {
    const time = processTime();
    const process = time.process();
    const { lease: real } = createMemory(process.clock).storage;
    await (await takeLease(real, { purpose: 'apply' }, leaseContext(process))).release();
    let looks = 0;
    const look: Register['look'] = async () => {
      // A lease that is looked at without a pause would be looked at for ever.
      if (++looks > 100) throw new Error('it never ends');
      return real.look();
    };
    const register: Register = { ...real, look, swap: () => Promise.resolve(undefined) };
    return { time, process, real, register };
  };

  test('ends the run after its wait, which a signal ends sooner', async () => {
    const { time, process, register } = await fixed();
    const stopping = new AbortController();
    const taking = [{}, { timeoutMs: 5_000 }, { timeoutMs: 600_000, signal: stopping.signal }].map(async (about) => {
      const { message } = await stopOf(takeLease(register, { purpose: 'apply', ...about }, leaseContext(process)));
      return [time.now(), message];
    });
    const begun = () => new Promise((done) => void setImmediate(done));
    await begun();
    await time.pass(8_000);
    stopping.abort();
    await begun();
    const why = expect.stringContaining('it can be read, and what was read cannot be replaced') as string;
    expect(await Promise.all(taking)).toEqual([
      [2_000, why],
      [5_000, why],
      [8_000, why],
    ]);
  });

  test('is not renewed, and lost once it expires', async () => {
    const { time, process, real, register } = await fixed();
    let isFixed = false;
    const swap: Register['swap'] = (seen, entry) => (isFixed ? register.swap(seen, entry) : real.swap(seen, entry));
    const lease = await takeLease({ ...register, swap }, { purpose: 'apply' }, leaseContext(process));
    isFixed = true;
    await time.pass(59_000);
    lease.check();
    await time.pass(2_000);
    expect(lease.check).toThrow('the last renewal failed: the lock can be read, and not be replaced');
  });
});

test('a lease whose counter no number of runs leads to is not taken, nor free for all', async () => {
  const process = processTime().process();
  const { lease: register } = createMemory(process.clock).storage;
  await register.swap(undefined, { counter: 2 ** 52, holder: null, past: null });
  const stop = await stopOf(takeLease(register, { purpose: 'apply' }, leaseContext(process)));
  expect(stop.message).toContain('cannot be taken: no number of runs leads to its counter 4503599627370496');
});
