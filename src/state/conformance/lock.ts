import { expect } from './expect.ts';
import type { Cases } from './bench.ts';
import { stateWith, stopOf } from './states.ts';
import type { Lease } from '../lease.ts';
import { Stop } from '../../diagnostics/diagnostic.ts';

/** The lock of a state: one holder, renewal, expiry, removal. */
export const lockTests: Cases = {
  'lets one run in, and tells the others at once who that is': async ({ time, begin, enter, leave }) => {
    const one = await enter({ machine: 'far', purpose: 'apply' });
    await time.pass(2_000);
    const two = await begin();
    const stop = await stopOf(two.store.lock({ purpose: 'plan' })); // while no time passes
    expect(stop).toMatchObject({ failure: 'locked', diagnostics: [{ code: 'locked' }] });
    expect(stop.message).toMatch(
      /^the state .+ is locked by user\d+@far pid \d+, which runs apply since 2030-01-01T00:00:0\d\.\d{3}Z, and expires in (5[78]|59) s unless it is renewed$/,
    );
    expect(stop.diagnostics[0]?.remedy).toMatch('trueup state unlock');
    await leave(one);
    await two.store.lock({ purpose: 'plan' });
    await leave(two);
  },

  'is released once: a later lock belongs to another run': async ({ begin, enter, leave }) => {
    const one = await enter();
    await one.lease.release();
    const two = await enter();
    await one.lease.release();
    expect(one.lease.check).toThrow('it was given back');
    const three = await begin();
    expect((await stopOf(three.store.lock({ purpose: 'plan' }))).message).toMatch('is locked by');
    expect(two.lease.check).not.toThrow();
    await leave(two);
  },

  'has a counter that grows by one with each holder, after any end of the one before': async ({
    time,
    enter,
    leave,
  }) => {
    const counters: number[] = [];
    for (const how of ['release', 'kill', 'expire', 'release'] as const) {
      const one = await enter();
      counters.push(one.lease.counter);
      if (how === 'release') await one.lease.release();
      else one.process.stop();
      if (how === 'kill') one.process.kill();
      if (how === 'expire') await time.pass(61_000);
    }
    const last = await enter();
    expect([...counters, last.lease.counter]).toEqual([1, 2, 3, 4, 5]);
    await leave(last);
  },

  'of 8 processes that come at once lets one in, again and again': async ({ begin, leave }) => {
    const counters: number[] = [];
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(Array.from({ length: 8 }, () => begin()));
      const tried = await Promise.allSettled(all.map(({ store }) => store.lock({ purpose: 'apply' })));
      const entered = tried.flatMap((item) => (item.status === 'fulfilled' ? [item.value] : []));
      const refused = tried.flatMap((item) => (item.status === 'rejected' ? [item.reason as unknown] : []));
      expect(entered).toHaveLength(1);
      expect(refused.every((reason) => reason instanceof Stop && reason.failure === 'locked')).toBe(true);
      counters.push(...entered.map(({ counter }) => counter));
      await Promise.all(all.map(leave));
    }
    expect(counters).toEqual([1, 2, 3, 4, 5]);
  },

  'is waited for as long as is wished': async ({ time, begin, enter, leave }) => {
    const one = await enter();
    const two = await begin();
    let got: Lease | undefined;
    const waiting = two.store.lock({ purpose: 'plan', timeoutMs: 30_000 }).then((lease) => {
      got = lease;
    });
    await time.pass(10_000);
    expect(got).toBeUndefined();
    await one.lease.release();
    await time.pass(2_000);
    await waiting;
    expect(got?.inherited).toBeUndefined();
    const three = await begin();
    const late = stopOf(three.store.lock({ purpose: 'drift', timeoutMs: 5_000 }));
    await time.pass(6_000);
    expect((await late).message).toMatch('is locked by');
    await leave(two);
  },

  'is kept for as long as its holder is there': async ({ time, begin, enter, leave }) => {
    const one = await enter({ machine: 'far' });
    const other = await begin();
    for (let minute = 0; minute < 3; minute++) {
      await time.pass(60_000);
      expect((await stopOf(other.store.lock({ purpose: 'plan' }))).failure).toBe('locked');
      expect(one.lease.check).not.toThrow();
    }
    await one.store.write(stateWith({}));
    await leave(one);
  },

  'of a process of this machine that is gone is free at once': async ({ time, enter, leave }) => {
    const one = await enter();
    await time.pass(1_000);
    one.process.kill();
    const two = await enter();
    expect(two.lease.inherited).toMatchObject({ owner: one.process.host.owner, purpose: 'apply' });
    // It may have sent a request just before: the in-flight timeout counts from now.
    expect(two.lease.inherited?.mayLandUntil).toBe(time.now() + 60_000);
    await leave(two);
  },

  'of another machine is free when it was not renewed for 60 s, and the lease names its holder': async ({
    time,
    begin,
    enter,
    leave,
  }) => {
    const one = await enter({ machine: 'far', purpose: 'destroy' });
    one.process.kill(); // no process here can know that
    await time.pass(56_000);
    const two = await begin();
    expect((await stopOf(two.store.lock({ purpose: 'plan' }))).failure).toBe('locked');
    await time.pass(6_000);
    const lease = await two.store.lock({ purpose: 'plan' });
    expect(lease.counter).toBe(one.lease.counter + 1);
    expect(lease.inherited).toMatchObject({ owner: one.process.host.owner, purpose: 'destroy' });
    const leftMs = (lease.inherited?.mayLandUntil ?? 0) - time.now();
    expect(leftMs).toBeGreaterThan(56_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    await leave(two);
  },

  'of a holder that was gone long ago tells of it, and that nothing of it can land any more': async ({
    time,
    enter,
    leave,
  }) => {
    const one = await enter({ machine: 'far' });
    one.process.kill();
    await time.pass(180_000);
    const two = await enter();
    expect(two.lease.inherited?.owner).toBe(one.process.host.owner);
    expect(two.lease.inherited?.mayLandUntil).toBe(time.now());
    await leave(two);
  },

  'passes on whose requests may still land, until they cannot': async ({ time, enter, leave }) => {
    const one = await enter();
    one.process.kill();
    const two = await enter({ purpose: 'import' });
    const until = two.lease.inherited?.mayLandUntil ?? 0;
    await time.pass(25_000); // renewed once meanwhile
    await leave(two);
    const three = await enter();
    expect(three.lease.inherited?.owner).toBe(one.process.host.owner);
    expect(Math.abs((three.lease.inherited?.mayLandUntil ?? 0) - until)).toBeLessThanOrEqual(2_000);
    await time.pass(40_000);
    await leave(three);
    expect((await enter()).lease.inherited).toBeUndefined();
  },
};
