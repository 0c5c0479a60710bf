import type { Bench, Cases } from './bench.ts';
import { expect } from './expect.ts';
import { recordOf, stateWith, stopOf } from './states.ts';

/** A lock that is lost: it ran out, it was taken away, or its location cannot be reached. */
export const lostLockTests: Cases = {
  'is lost for good when it ran out: nothing starts, nothing is saved': async ({ time, enter, leave }) => {
    const one = await enter();
    await one.store.write(stateWith({ a: recordOf('1') }));
    one.process.stop();
    await time.pass(61_000);
    one.process.goOn();
    const stop = await stopOf(one.lease.check);
    expect(stop.failure).toBe('locked');
    expect(stop.message).toMatch(/is lost: it was not renewed for 61 s \(this process was stopped/);
    expect((await stopOf(one.store.append(stateWith({}), 'b', recordOf('2')))).failure).toBe('locked');
    expect((await stopOf(one.store.write(stateWith({}, 2)))).failure).toBe('locked');
    await time.pass(30_000); // it is not renewed unnoticed
    expect(one.lease.check).toThrow('is lost');
    await one.store.close();
    const two = await enter();
    expect(await two.store.read()).toEqual(stateWith({ a: recordOf('1') }));
    expect(two.lease.inherited?.owner).toBe(one.process.host.owner);
    await leave(two);
  },

  'is not renewed by a process that was stopped for too long, whatever it does first': async ({ time, enter }) => {
    const one = await enter();
    one.process.stop();
    await time.pass(61_000);
    one.process.goOn();
    await time.pass(10_000); // renewals are due since long
    expect(one.lease.check).toThrow('is lost');
    one.process.kill();
    expect((await enter()).lease.inherited?.owner).toBe(one.process.host.owner);
  },

  'is renewed when a run asks for that, behind work in which no timer ran': async ({ time, enter, leave }) => {
    const one = await enter();
    for (const _ of [1, 2]) {
      one.process.stop();
      await time.pass(40_000);
      one.process.goOn();
      await one.lease.keep();
    }
    expect(one.lease.check).not.toThrow();
    await leave(one);
  },

  'is lost when another run took it after that': async ({ time, enter, leave, resourcesNow }) => {
    const one = await enter({ machine: 'far' });
    one.process.stop();
    await time.pass(61_000);
    const two = await enter();
    await two.store.write(stateWith({ a: recordOf('1') }));
    one.process.goOn();
    expect(one.lease.check).toThrow('is lost');
    await stopOf(one.store.append(stateWith({}), 'b', recordOf('2')));
    await stopOf(one.store.write(stateWith({}, 7)));
    await one.lease.release();
    expect(await resourcesNow()).toEqual({ a: recordOf('1') });
    expect(two.lease.check).not.toThrow();
    await leave(two);
  },

  'counts the larger of two clocks: one that is set forward ends it, one that is set back does not prolong it': async ({
    time,
    enter,
  }) => {
    const one = await enter();
    one.process.setClock(61_000);
    expect(one.lease.check).toThrow('is lost');
    one.process.kill();
    const two = await enter();
    two.process.stop();
    two.process.setClock(-3_600_000);
    await time.pass(58_000);
    expect(two.lease.check).not.toThrow();
    await time.pass(2_000);
    expect(two.lease.check).toThrow('is lost');
    two.process.kill();
  },

  'outlives a place that cannot be reached for a while, and not one that cannot be reached for long': async ({
    ground,
    time,
    begin,
    enter,
    leave,
  }) => {
    const one = await enter({ machine: 'far' });
    ground.breakDown();
    await time.pass(45_000);
    expect(one.lease.check).not.toThrow();
    ground.mend();
    await time.pass(10_000);
    expect((await stopOf((await begin()).store.lock({ purpose: 'plan' }))).failure).toBe('locked');
    await time.pass(40_000);
    expect(one.lease.check).not.toThrow();
    ground.breakDown();
    await time.pass(62_000);
    const stop = await stopOf(one.lease.check);
    expect(stop.message).toMatch(/was not renewed for \d+ s \(the last renewal failed: .+\)/);
    ground.mend();
    await leave(one);
  },

  'is removed from a holder that is gone, and from one that is not': async ({ time, begin, enter, leave }) => {
    const one = await enter({ machine: 'far' });
    const two = await begin();
    const holder = await two.store.holder();
    expect(holder).toMatchObject({ owner: one.process.host.owner, purpose: 'apply' });
    expect(holder?.endsInMs).toBeGreaterThan(58_000);
    expect(await holder?.remove()).toBe(true);
    expect(await two.store.holder()).toBeUndefined();
    const lease = await two.store.lock({ purpose: 'plan' });
    expect(lease.counter).toBe(one.lease.counter + 1);
    // Until it notices, it may send; what it sends may land until its lease and the in-flight timeout are over.
    expect(lease.inherited?.owner).toBe(one.process.host.owner);
    expect((lease.inherited?.mayLandUntil ?? 0) - time.now()).toBeGreaterThan(118_000);
    await time.pass(25_000);
    expect(one.lease.check).toThrow(`${two.process.host.owner} has it, for plan`);
    await stopOf(one.store.write(stateWith({ a: recordOf('1') })));
    await leave(two);
  },

  ...Object.fromEntries(
    [false, true].map((wrote) => [
      `that was removed ${wrote ? 'in the middle of a run' : 'before the first write'} lets its holder save nothing more, long before the holder notices`,
      async ({ begin, enter, leave, resourcesNow }: Bench) => {
        const one = await enter({ machine: 'far' });
        const base = stateWith({ a: recordOf('1') });
        if (wrote) {
          await one.store.write(base);
          await one.store.append(base, 'b', recordOf('2'));
        }
        await (await (await begin()).store.holder())?.remove();
        const kept = wrote ? { a: recordOf('1'), b: recordOf('2') } : undefined;
        if (wrote) expect((await stopOf(one.store.append(base, 'c', recordOf('3')))).failure).toBe('locked');
        const two = await enter();
        expect((await two.store.read())?.resources).toEqual(kept);
        expect((await stopOf(one.store.append(base, 'c', recordOf('3')))).failure).toBe('locked');
        expect((await stopOf(one.store.write(stateWith({}, 9)))).failure).toBe('locked');
        await two.store.append(stateWith(kept ?? {}), 'd', recordOf('4'));
        expect(await resourcesNow()).toEqual({ ...kept, d: recordOf('4') });
        await leave(two);
      },
    ]),
  ),

  'is not removed when it was renewed since it was read': async ({ time, begin, enter, leave }) => {
    const one = await enter();
    const two = await begin();
    const holder = await two.store.holder();
    await time.pass(25_000);
    expect(await holder?.remove()).toBe(false);
    expect(one.lease.check).not.toThrow();
    await leave(one);
    await two.store.close();
  },

  'is needed to write where others can write': async ({ begin, isShared }) => {
    const { store } = await begin();
    const writing = store.write(stateWith({})).catch((error: unknown) => String(error));
    const isRefused = String(await writing).includes('is not written without its lock');
    expect(isRefused).toBe(isShared);
    await store.close();
  },
};

/** A lock that is lost, in a location where others can write. */
export const lostSharedLockTests: Cases = {
  'stops a holder that does not know yet that it lost the lock, where others can write': async ({
    time,
    enter,
    leave,
    resourcesNow,
  }) => {
    const one = await enter({ machine: 'far' });
    const base = stateWith({ a: recordOf('1') });
    await one.store.write(base);
    await one.store.append(base, 'b', recordOf('2'));
    one.process.stop();
    one.process.freezeClock();
    await time.pass(61_000);
    const two = await enter();
    const read = (await two.store.read()) ?? base;
    expect(Object.keys(read.resources)).toEqual(['a', 'b']);
    await two.store.append(read, 'c', recordOf('3'));
    expect(one.lease.check).not.toThrow();
    await one.store.append(base, 'd', recordOf('4')).catch(() => undefined);
    await stopOf(one.store.write(stateWith({}, 9)));
    expect(Object.keys((await resourcesNow()) ?? {})).toEqual(['a', 'b', 'c']);
    await two.store.write(stateWith({ e: recordOf('5') }, 2));
    expect(await resourcesNow()).toEqual({ e: recordOf('5') });
    await leave(two);
  },
};
